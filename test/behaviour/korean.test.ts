/** The API in the language of Accept-Language. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { testAccount } from '../harness/gateway.ts';

const KOREAN = { 'accept-language': 'ko-KR,ko;q=0.9,en;q=0.5' };

test('answers, refusals, report texts and the reasons of routes are in Korean for who asks for it, and codes are the same', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const admin = { ...KOREAN, ...bearer(ADMIN_TOKEN) };
  const sms = { from: '15881234', to: '01012340001', text: '안녕하세요' };

  const sent = await shop.call('POST', '/v1/send/sms', sms, KOREAN);
  assert.deepEqual([sent.status, sent.body.code, sent.body.result], [200, 'A000', '성공']);
  assert.equal(sent.headers['content-language'], 'ko');

  const refused = await shop.call('POST', '/v1/send/sms', { ...sms, text: '가'.repeat(46) }, KOREAN);
  assert.deepEqual(refused.body, {
    code: 'A328',
    result: '"text" 값이 90바이트를 초과했습니다(현재 92바이트)',
  });
  const english = await shop.call('POST', '/v1/send/sms', { ...sms, text: '가'.repeat(46) });
  assert.deepEqual(english.refusal, [400, 'A328', '"text" is longer than 90 bytes (was 92)']);
  assert.equal(english.headers['content-language'], undefined);

  const inParts = { from: '15881234', to: '+14155550123', text: '가'.repeat(336) };
  const tooManyParts = await shop.call('POST', '/v1/send/international', inParts, KOREAN);
  assert.deepEqual(tooManyParts.body, {
    code: 'A328',
    result: '"text" 값이 5건(한글 등 현지 문자 335자)을 초과했습니다(현재 6건, 336자)',
  });

  const unknown = await gateway.request('GET', '/v1/nothing', { headers: KOREAN });
  assert.deepEqual(unknown.refusal, [404, 'A300', 'GET /v1/nothing 경로가 없습니다']);
  const signedOut = await gateway.request('GET', '/admin/v1/accounts', { headers: KOREAN });
  assert.deepEqual(signedOut.refusal, [403, 'A002', '토큰이 올바르지 않습니다']);

  // One recipient of several is refused, in an answer that is a success.
  const omni = {
    destinations: [{ to: '01012345678' }, { to: '12' }],
    messageFlow: [{ sms: { from: '15881234', text: '안녕하세요' } }],
  };
  const several = await shop.call('POST', '/v1/send/omni', omni, KOREAN);
  assert.match(several.text, /"code":"A306","result":"\\"to\\" 값이 올바르지 않습니다/);

  // Over a port a send is answered without the framework.
  const url = await gateway.gateway.listen({ port: 0, host: '127.0.0.1' });
  const overPort = await fetch(`${url}/v1/send/sms`, {
    method: 'POST',
    headers: { ...KOREAN, ...bearer(shop.token), 'content-type': 'application/json' },
    body: JSON.stringify({ ...sms, to: '' }),
  });
  assert.deepEqual(await overPort.json(), { code: 'A306', result: '"to" 값은 필수입니다' });

  const key = String(sent.body.msgKey);
  assert.equal((await shop.reportsOf(key))[0]?.reportText, 'No such subscriber');
  for (const path of [`/v1/report/inquiry/${key}`, '/v1/report/polling']) {
    const answer = await shop.call('GET', path, undefined, KOREAN);
    assert.match(answer.text, /"reportCode":"23001","reportText":"가입자 없음\(결번\)"/);
  }
  const message = await gateway.request('GET', `/admin/v1/messages/${key}`, { headers: admin });
  assert.match(message.text, /"why":"일치하는 라우팅 규칙 없음; 그 밖의 메시지는 simulator에서 처리"/);
  assert.match(message.text, /"text":"안녕하세요"/);

  const check = await gateway.request('POST', '/admin/v1/accounts/shop/check/sms', {
    headers: { ...admin, 'content-type': 'application/json' },
    body: JSON.stringify({ ...sms, from: '' }),
  });
  assert.match(check.text, /"problem":{"code":"A302","result":"\\"from\\" 값은 필수입니다"}/);
});
