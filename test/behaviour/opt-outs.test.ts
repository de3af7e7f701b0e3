import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { createPrivacy } from '../../src/operate/privacy.ts';
import { parseCsv } from '../../src/platform/csv.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import { bearer } from '../harness/credentials.ts';
import { type Client, testAccount, testGateway } from '../harness/gateway.ts';
import { failNext } from '../harness/network.ts';
import { configFile } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const AD = '(광고) sale 무료수신거부 080-123-4567';
const KIM = '01012345678';
const LEE = '01087654321';
const WITHOUT_A_PHONE = '01012340001';
const rcs = (fields: object = {}) => ({
  rcs: {
    from: '0212345678',
    formatId: 'SS000000',
    brandKey: 'BR.1',
    content: { standalone: { text: 'x' } },
    ...fields,
  },
});
const sms = (text: string) => ({ sms: { from: '0212345678', text } });

async function codes(client: Client, msgKey: string | undefined, records = 1): Promise<string[]> {
  let found: string[] = [];
  await until('its records are there', async () => {
    const { data } = (await client.call('GET', `/v1/report/inquiry/${msgKey}`)).body;
    found = data.report.map((report: { reportCode: string }) => report.reportCode);
    return found.length >= records;
  });
  return found;
}

async function sendAd(client: Client, fields: object = {}): Promise<string> {
  const { body } = await client.sms({ text: AD, ...fields });
  assert.equal(body.code, 'A000', body.result);
  return String(body.msgKey);
}

async function optOut(client: Client, ...optOuts: object[]) {
  const { body } = await client.call('POST', '/v1/optout', { optOuts });
  assert.equal(body.code, 'A000', body.result);
  return body.data;
}

test('advertisements to a listed recipient end at once with 90002, everything else goes out', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const other = await gateway.account('other');
  assert.deepEqual(await codes(shop, await sendAd(shop)), ['10000']);
  assert.deepEqual(await optOut(shop, { to: KIM }, { to: '+82 10-1234-5678' }), { added: 1, known: 1 });
  const refused = await sendAd(shop);
  assert.deepEqual(await codes(shop, refused), ['90002']);
  const call = gateway.operator;
  const [row] = (await call('GET', `/messages?key=${refused}`)).body.data.messages;
  assert.equal(row.carrier, null, 'no carrier was asked');
  assert.equal((await call('GET', `/messages/${refused}`)).body.data.timeline.at(-1).carrier, undefined);
  assert.deepEqual((await call('GET', '/messages?carrier=simulator&code=90002')).body.data.messages, []);
  assert.deepEqual(await codes(shop, await sendAd(shop, { to: LEE })), ['10000']);
  assert.deepEqual(await codes(shop, (await shop.sms()).body.msgKey), ['10000']);
  assert.deepEqual(await codes(other, await sendAd(other)), ['10000']);

  await t.test(
    'in a flow, an entry stops every advertisement, and every step after a first step that is one',
    async () => {
      const send = async (messageFlow: object[], to = KIM) => {
        const { body } = await shop.call('POST', '/v1/send/omni', {
          destinations: [{ to }],
          messageFlow,
        });
        return body.data.destinations[0].msgKey;
      };
      const ad = rcs({ header: '1', footer: '080-123-4567' });
      assert.deepEqual(await codes(shop, await send([ad, sms(AD), sms('receipt')]), 3), [
        '90002',
        '90002',
        '90002',
      ]);
      assert.deepEqual(await codes(shop, await send([sms('receipt'), ad])), ['10000']);
      assert.deepEqual(
        await codes(shop, await send([rcs({ content: { standalone: { text: '(광고) sale' } } })])),
        ['90002'],
      );
      assert.deepEqual(await codes(shop, await send([ad, sms(AD)]), 2), ['90002', '90002']);
      // The first step fails on the simulated network, the second is refused before it goes out.
      await optOut(shop, { to: WITHOUT_A_PHONE });
      const fallback = await send([sms('your code'), sms(AD)], WITHOUT_A_PHONE);
      assert.deepEqual(await codes(shop, fallback, 2), ['23001', '90002']);
    },
  );

  await t.test('an entry covers all messages if it says so, and one sender if it names one', async () => {
    await optOut(shop, { to: LEE, covers: 'all', sender: '02-1234-5678' });
    assert.deepEqual(await codes(shop, (await shop.sms({ to: LEE })).body.msgKey), ['90002']);
    assert.deepEqual(await codes(shop, (await shop.sms({ to: LEE, from: '15880000' })).body.msgKey), [
      '10000',
    ]);
    assert.deepEqual(await codes(shop, await sendAd(shop, { to: LEE, from: '15880000' })), ['10000']);
  });

  await t.test('an entry applies until consent is renewed, and stays as proof', async () => {
    const { body } = await shop.call('POST', '/v1/optout/consent', { recipients: [{ to: KIM }] });
    assert.deepEqual(body.data, { ended: 1 });
    assert.deepEqual(await codes(shop, await sendAd(shop)), ['10000']);
    const listed = await shop.call('GET', `/v1/optout?to=${KIM}&state=all`);
    const [entry] = listed.body.data.optOuts;
    assert.deepEqual(
      [entry.to, entry.sender, entry.covers, entry.sinceWay, entry.sinceBy, entry.endedWay, entry.endedBy],
      [KIM, '*', 'advertisements', 'api', 'shop', 'api', 'shop'],
    );
    assert.deepEqual((await shop.call('GET', `/v1/optout?to=${KIM}`)).body.data, { optOuts: [], next: null });
  });
});

test('the opt-out of an erased recipient stays, and ended entries are deleted', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const { store } = gateway.gateway;
  await optOut(shop, { to: KIM }, { to: KIM, sender: '15880000' });
  await shop.call('POST', '/v1/optout/consent', { recipients: [{ to: KIM, sender: '15880000' }] });
  const { clock } = gateway;
  const privacy = createPrivacy({
    ...{ store, clock, random: systemRandomness(), formatTime: String },
    removeFile: async () => undefined,
  });
  const subject = { number: '+821012345678', account: undefined };
  assert.equal((await privacy.holdings(subject)).optOuts, 2);
  let text = '';
  for await (const piece of privacy.export(subject)) text += piece;
  const exported = JSON.parse(text);
  assert.equal(exported.optOuts.length, 2);
  const { counts } = await privacy.erase(subject);
  assert.deepEqual([counts.optOuts, counts.keptOptOuts], [1, 1]);
  assert.deepEqual(await codes(shop, await sendAd(shop)), ['90002']);
});

test('the entries of one call are written all or none', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const optOuts = Array.from({ length: 250 }, (_, index) => ({ to: `0101234${1000 + index}` }));
  // The first write is done, and its answer lost: nothing of the list may be missing.
  failNext(gateway.gateway.store.optOuts, 'add', ['after']);
  assert.equal((await shop.call('POST', '/v1/optout', { optOuts })).body.code, 'A920');
  const { body } = await shop.call('POST', '/v1/optout', { optOuts });
  assert.deepEqual(body.data, { added: 0, known: 250 });
});

test('what is null or empty in an entry is not given', async t => {
  const { client: shop } = await testAccount(t);
  const optOuts = [{ to: KIM, sender: null, covers: '' }];
  assert.deepEqual((await shop.call('POST', '/v1/optout', { optOuts })).body.data, { added: 1, known: 0 });
  const recipients = [{ to: KIM, sender: null }];
  const { body } = await shop.call('POST', '/v1/optout/consent', { recipients });
  assert.deepEqual(body.data, { ended: 1 });
});

test('a list goes in and out as CSV, and a wrong row refuses the file', async t => {
  const { client: shop } = await testAccount(t);
  const headers = { 'content-type': 'text/csv' };
  const upload = (text: string) => shop.call('POST', '/v1/optout/csv', text, headers);
  const file = `to,sender,covers\n010-1234-5678,,\n+82 10 8765 4321,02-1234-5678,all\n`;
  assert.deepEqual((await upload(file)).body.data, { added: 2, known: 0 });
  assert.deepEqual((await upload('01012345678\n01011112222\n')).body.data, { added: 1, known: 1 });
  const wrong = await upload('to\n01012345678\nnobody\n');
  assert.deepEqual(wrong.refusal, [
    400,
    'A306',
    'Row 3: "to" must be a phone number, such as 01012345678 or +14155550123',
  ]);
  const repeated = await upload('to,to\n01012345678,01099998888\n');
  assert.deepEqual(repeated.refusal, [400, 'A300', 'Row 1: "to" is given more than once']);
  await shop.call('POST', '/v1/optout/consent', { recipients: [{ to: '01011112222' }] });
  const { text } = await shop.call('GET', '/v1/optout/csv');
  const rows = parseCsv(text);
  const broken = await upload('to\n01012345678\n"0101234\n');
  assert.deepEqual(broken.refusal, [
    400,
    'A300',
    'The file is not CSV: line 3, column 1: the quote that opens here is never closed',
  ]);
  assert.deepEqual(
    rows.map(([to, sender, covers, , , way, by, ended]) => [
      to,
      sender,
      covers,
      way,
      by,
      ended === '' ? '' : 'ended',
    ]),
    [
      ['to', 'sender', 'covers', 'sinceWay', 'sinceBy', 'ended'],
      ['01011112222', '*', 'advertisements', 'csv', 'shop', 'ended'],
      ['01087654321', '0212345678', 'all', 'csv', 'shop', ''],
      [KIM, '*', 'advertisements', 'csv', 'shop', ''],
    ],
  );
  assert.deepEqual((await upload(text)).body.data, { added: 0, known: 2 });
});

test('a recipient who sends a keyword is added to the list of the account, once', async t => {
  const smsc = await Smsc.listen();
  t.after(() => smsc.close());
  const carrier = `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret }`;
  const file = `carriers:\n  sky: ${carrier}\nroutes:\n  - { channel: sms, via: [sky] }\n`;
  const gateway = await testGateway(t, { BONGSU_CONFIG: configFile(file) });
  await until('the carrier is bound', () => smsc.receiver);
  const shop = await gateway.account('shop');
  const { store } = gateway.gateway;
  await store.registry.put('shop' as AccountId, [
    { kind: 'inboundNumber', number: '15881234', keyword: '*' },
  ]);
  const say = (text: string) =>
    smsc.receiver?.deliver({
      dataCoding: 8,
      shortMessage: Buffer.from(text, 'utf16le').swap16(),
    });
  say('수신거부는 어떻게 하나요?');
  say(' 수신 거부.');
  say('STOP');
  const listed = await until('it is on the list', async () => {
    const { optOuts } = (await shop.call('GET', '/v1/optout')).body.data;
    return optOuts.length > 0 && optOuts;
  });
  assert.equal(listed.length, 1);
  assert.deepEqual([listed[0].to, listed[0].sinceWay, listed[0].sinceBy], [KIM, 'keyword', 'recipient']);
  assert.match(listed[0].source, /^[0-9A-Z]+$/);
  assert.deepEqual(await codes(shop, await sendAd(shop)), ['90002']);
});

test('only the service behind the free number can add its callers', async t => {
  const token = 'token-of-the-080-service';
  const { gateway, client: shop } = await testAccount(t, { env: { BONGSU_OPT_OUT_TOKEN: token } });
  const body = { from: '010-1234-5678', to: '080-123-4567' };
  const tell = (headers: Record<string, string>, path = '/optout/calls/shop') =>
    gateway.request('POST', path, { headers, body });
  for (const headers of [{}, { authorization: 'Bearer wrong' }])
    assert.equal((await tell(headers)).status, 403);
  const authorization = `Bearer ${token}`;
  assert.equal((await tell({ authorization })).body.code, 'A000');
  const query = `?token=${token}&caller=01087654321&called=0801234567`;
  assert.equal((await gateway.request('GET', `/optout/calls/shop${query}`)).body.code, 'A000');
  assert.equal((await tell({ authorization }, '/optout/calls/nobody')).status, 404);
  const { optOuts } = (await shop.call('GET', '/v1/optout')).body.data;
  assert.deepEqual(
    optOuts.map((entry: Record<string, string>) => [entry.to, entry.sinceWay, entry.source]),
    [
      [LEE, 'call', '0801234567'],
      [KIM, 'call', '080-123-4567'],
    ],
  );
  assert.deepEqual(await codes(shop, await sendAd(shop)), ['90002']);
  const without = await testGateway(t);
  assert.equal((await without.request('POST', '/optout/calls/shop', { body })).status, 404);
});

test('guesses at the token of the free number are limited by address, and the service is not', async t => {
  const token = 'token-of-the-080-service';
  const { gateway } = await testAccount(t, { env: { BONGSU_OPT_OUT_TOKEN: token } });
  const body = { from: '010-1234-5678', to: '080-123-4567' };
  const tell = async (given: string) =>
    (
      await gateway.request('POST', '/optout/calls/shop', {
        headers: bearer(given),
        body,
      })
    ).body.code;
  for (let guess = 0; guess < 10; guess++) assert.equal(await tell(`guess ${guess}`), 'A002');
  assert.equal(await tell('one more'), 'A020');
  assert.equal(await tell(token), 'A020', 'a right guess beyond the limit tells nothing');
  gateway.clock.advance(10_000);
  assert.equal(await tell(token), 'A000');
  for (let guess = 0; guess < 99; guess++) assert.equal(await tell(`guess ${guess}`), 'A002');
  for (let call = 0; call < 20; call++) {
    assert.equal(await tell(token), 'A000', 'an address from which the service has called');
  }
  assert.equal(await tell('the hundredth guess'), 'A002');
  assert.equal(await tell('one more'), 'A020', 'guesses beside the service have a limit, too');
  gateway.clock.advance(1000);
  assert.equal(await tell(token), 'A000');
});

test('an advertisement is not reserved for an hour in which it may not go out, unless it is deferred', async t => {
  const gateway = await testGateway(t);
  const code = async (id: string, rule: 'refuse' | 'defer', time: string) => {
    const client = await gateway.account(id, { advertisements: rule });
    return (await client.sms({ text: AD, resvSendTime: `2026-02-01 ${time}` })).body.code;
  };
  assert.equal(await code('strict', 'refuse', '21:30:00'), 'A330');
  assert.equal(await code('early', 'refuse', '10:00:00'), 'A000');
  assert.equal(await code('patient', 'defer', '21:30:00'), 'A000');
  // The moment counts, in the zone of the gateway, not the digits.
  assert.equal(await code('abroad', 'refuse', '21:30:00-03:00'), 'A000');
  assert.equal(await code('awake', 'refuse', '10:00:00-03:00'), 'A330');
});

test('a reserved advertisement is not moved into an hour in which it may not go out', async t => {
  const { gateway, client } = await testAccount(t, { settings: { advertisements: 'refuse' } });
  const { resvKey } = (await client.sms({ text: AD, resvSendTime: '2026-02-01 10:00:00' })).body as {
    resvKey?: string;
  };
  const url = `/v1/reservation/resvKey/${resvKey}`;
  const moved = async (resvSendTime: string) => (await client.call('PUT', url, { resvSendTime })).body.code;
  assert.equal(await moved('2026-02-01 21:30:00'), 'A330');
  assert.equal(await moved('2026-02-01T12:30:00Z'), 'A330');
  assert.equal(await moved('2026-02-02 11:00:00'), 'A000');
  assert.equal((await client.call('PUT', url, { resvName: 'x' })).body.code, 'A000');
  const byOperator = (resvSendTime: string) =>
    gateway.operator('PATCH', `/reservations/${resvKey}`, { resvSendTime });
  assert.equal((await byOperator('2026-02-01 21:30:00')).body.code, 'A330');
  assert.equal((await client.call('GET', url)).body.data.resvSendTime, '2026-02-02T11:00:00+09:00');
});
