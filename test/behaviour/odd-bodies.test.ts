import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { alimtalk, friendtalk, mms, rcs, sms } from '../harness/flows.ts';
import { type Client, testAccount } from '../harness/gateway.ts';

const to = '01012345678';
/** A good body for each path, to be spoilt. */
const BODIES: Readonly<Record<string, object>> = {
  '/v1/send/sms': { ...sms().sms, to },
  '/v1/send/mms': { ...mms().mms, to, title: 't', fileKey: ['f'] },
  '/v1/send/international': { from: '0212345678', to: '+14155550123', text: 'hello' },
  '/v1/send/rcs': { ...rcs().rcs, to, fallback: { type: 'SMS', text: 'x' } },
  '/v1/send/alimtalk': { ...alimtalk().alimtalk, to, button: [{ type: 'WL', name: 'n', urlMobile: 'u' }] },
  '/v1/send/friendtalk': { ...friendtalk().friendtalk, to, imgUrl: 'https://x.example/i.png' },
  '/v1/send/brandmessage': { senderKey: 'k', sendType: 'basic', msgType: 'FT', templateCode: 't', to },
  '/v1/send/omni': { messageFlow: [rcs(), sms()], destinations: [{ to, replaceWords: { a: 'b' } }] },
  '/v1/form': { messageForm: [rcs(), sms()] },
};

/** The body with one value, at any depth, replaced by something else. */
function spoilt(body: unknown): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.anything({ maxDepth: 3 }),
    fc.constantFrom(
      null,
      '',
      0,
      -1,
      1e308,
      true,
      [],
      {},
      [[[]]],
      '#{',
      '#{x}',
      '\u0000',
      '\ud800',
      '😀',
      'x'.repeat(5000),
    ),
  );
  const places = pathsOf(body);
  return fc.tuple(fc.constantFrom(...places), odd).map(([place, value]) => replaceAt(body, place, value));
}

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  const here = [[...path]];
  if (typeof value !== 'object' || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

function replaceAt(value: unknown, [first, ...rest]: readonly string[], replacement: unknown): unknown {
  if (first === undefined) return replacement;
  const copy: Record<string, unknown> = Array.isArray(value) ? { ...value } : { ...(value as object) };
  copy[first] = replaceAt(copy[first], rest, replacement);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

async function assertAnswered(client: Client, path: string, body: unknown): Promise<void> {
  const json =
    JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? 'null';
  const answer = await client.call('POST', path, json, { 'content-type': 'application/json' });
  assert.ok([200, 400].includes(answer.status), `${answer.status} to ${json}`);
  assert.ok(typeof answer.body.result === 'string' && answer.body.result.length > 0);
  assert.notEqual(answer.body.code, 'A999', json);
  if (answer.status === 400) assert.deepEqual(Object.keys(answer.body), ['code', 'result']);
}

for (const [path, body] of Object.entries(BODIES)) {
  test(`${path} answers every body, however odd, with a code of the contract`, async t => {
    const { client } = await testAccount(t);
    await assertAnswered(client, path, body);
    const bodies = fc.oneof({ weight: 4, arbitrary: spoilt(body) }, { weight: 1, arbitrary: fc.anything() });
    await fc.assert(
      fc.asyncProperty(bodies, odd => assertAnswered(client, path, odd)),
      { numRuns: 150 },
    );
    assert.equal((await client.call('POST', path, body)).body.code, 'A000', 'and goes on');
  });
}
