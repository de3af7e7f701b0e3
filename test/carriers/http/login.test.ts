/** How the carrier proves who it is: Basic, a token that is kept and renewed, a signature that others can check. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../../src/platform/clock.ts';
import { ATTEMPT, basicKeys, type Keys, makeCarrier, submission, submitOne } from './carrier-under-test.ts';
import { json, startProvider } from './provider-server.ts';

const TOKEN_KEYS = {
  form: { grant_type: 'client_credentials' },
  token: '/data/token',
  expires: '/data/seconds',
  lifetime: '1h',
};

/** A provider that hands out numbered tokens and takes only those it is told are valid. */
async function withTokens(t: TestContext, keys: Keys = {}) {
  const state = { issued: 0, isValid: (_token: string) => true };
  const provider = await startProvider(t, (request, response) => {
    if (request.path === '/token') {
      state.issued++;
      return json(response, 200, { data: { token: `token-${state.issued}`, seconds: 600 } });
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    return state.isValid(token) ? json(response, 200, { id: token }) : json(response, 401, {});
  });
  const token = { ...TOKEN_KEYS, url: `${provider.url}/token` };
  const made = await makeCarrier(t, { ...basicKeys(provider.url), auth: { token }, ...keys });
  return { ...made, provider, state };
}

test('one token serves many messages, also those that come at once', async t => {
  const { carrier, state, provider } = await withTokens(t);
  const answers = await Promise.all(carrier.submit(Array.from({ length: 20 }, () => submission())));
  assert.ok(answers.every(answer => answer.kind === 'accepted' && answer.refs[0] === 'token-1'));
  assert.equal(state.issued, 1);
  assert.equal(provider.at('/token')[0]?.body, 'grant_type=client_credentials');
});

test('a token is renewed before it expires', async t => {
  const { carrier, state, clock } = await withTokens(t);
  await submitOne(carrier);
  clock.advance(539_000);
  await submitOne(carrier);
  assert.equal(state.issued, 1);
  clock.advance(2_000);
  await submitOne(carrier);
  assert.equal(state.issued, 2, 'a minute before its end');
});

test('a token lives as long as it was given, whatever the wall clock does', async t => {
  const { carrier, state, clock } = await withTokens(t);
  await submitOne(carrier);
  clock.setWallBy(3_600_000);
  await submitOne(carrier);
  assert.equal(state.issued, 1, 'ahead: it is not over yet');
  clock.setWallBy(-7_200_000);
  clock.advance(541_000);
  await submitOne(carrier);
  assert.equal(state.issued, 2, 'back: it is not kept beyond its end');
});

test('a token that is refused is replaced, and the message sent again, once', async t => {
  const { carrier, state, provider } = await withTokens(t);
  state.isValid = token => token === 'token-2';
  assert.deepEqual(await submitOne(carrier), { kind: 'accepted', refs: ['token-2'] });
  assert.equal(provider.at('/messages').length, 2);

  state.isValid = () => false;
  const answer = await submitOne(carrier);
  assert.deepEqual(answer, {
    kind: 'temporary',
    reportCode: '22000',
    detail: 'status 401',
    isCarriersFault: true,
  });
  assert.equal(provider.at('/messages').length, 4);
});

test('without a token nothing is sent', async t => {
  const { carrier, provider } = await withTokens(t);
  provider.handle = (_, response) => json(response, 500, {});
  const answer = await submitOne(carrier);
  const detail = 'no token in the answer with status 500';
  assert.deepEqual(answer, { kind: 'temporary', reportCode: '22000', isCarriersFault: true, detail });
  assert.equal(provider.at('/messages').length, 0);
  const life = await carrier.test();
  assert.deepEqual(life, { isOk: false, detail });
});

test('a token is the sign of life', async t => {
  const { carrier, provider } = await withTokens(t);
  assert.deepEqual(await carrier.test(), { isOk: true, detail: `got a token for ${provider.url}` });
});

test('Basic stands in every request, or in that for the token where there is one', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 1, t: 'abc' }));
  const basic = { user: 'bongsu', password: 'pä:ss' };
  const expected = `Basic ${Buffer.from('bongsu:pä:ss').toString('base64')}`;
  const plain = await makeCarrier(t, { ...basicKeys(provider.url), auth: { basic } });
  await submitOne(plain.carrier);
  assert.equal(provider.at('/messages')[0]?.headers.authorization, expected);

  const token = { url: `${provider.url}/token`, token: '/t', header: 'X-Token', value: '{{token}}!' };
  const both = await makeCarrier(t, { ...basicKeys(provider.url), auth: { basic, token } });
  await submitOne(both.carrier);
  assert.equal(provider.at('/token')[0]?.headers.authorization, expected);
  const sent = provider.at('/messages')[1]?.headers;
  assert.deepEqual([sent?.['x-token'], sent?.authorization], ['abc!', undefined]);
});

test('what we sign, others can verify, with each of two secrets', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 1 }));
  const coded = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
  const secrets = [coded, 'a plain secret'];
  // The verifier looks at the real time.
  const { carrier } = await makeCarrier(
    t,
    { ...basicKeys(provider.url), auth: { hmac: { secrets } }, idempotencyHeader: 'Idempotency-Key' },
    { clock: systemClock },
  );
  await submitOne(carrier, submission({ text: '안녕' }));
  const [sent] = provider.requests;
  assert.ok(sent);
  assert.equal(sent.headers['webhook-id'], ATTEMPT);
  assert.equal(sent.headers['idempotency-key'], ATTEMPT);
  new Webhook(coded).verify(sent.body, sent.headers);
  new Webhook('a plain secret', { format: 'raw' }).verify(sent.body, sent.headers);
  assert.throws(() => new Webhook(coded).verify(`${sent.body} `, sent.headers));
  assert.throws(() => new Webhook('another', { format: 'raw' }).verify(sent.body, sent.headers));
});
