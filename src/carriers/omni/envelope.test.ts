import assert from 'node:assert/strict';
import test from 'node:test';
import { envelopeOf, type Meaning } from './envelope.ts';

function answer(status: number, body: unknown) {
  const timing = { sentMs: 0, answeredMs: 1 };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers: {}, body: text, timing } as const;
}

const CODES: readonly (readonly [Meaning, readonly string[]])[] = [
  ['taken', ['A000']],
  ['token', ['A001', 'A002']],
  ['throttled', ['A020']],
  ['account', ['A100', 'A110', 'A111', 'A113', 'A199', 'A320']],
  ['file', ['A217']],
  ['repeated', ['A301']],
  ['failed', ['A910', 'A999']],
  ['trouble', ['A802', 'A805', 'A920', 'A950']],
  ['message', ['A010', 'A011', 'A250', 'A300', 'A327', 'A434', 'A505', 'A573']],
];

for (const [meaning, codes] of CODES) {
  test(`${codes.join(', ')}: ${meaning}`, () => {
    for (const code of codes) {
      assert.equal(envelopeOf(answer(200, { code, result: 'x' })).meaning, meaning);
    }
  });
}

test('an answer that is not of the contract is a refusal only if something before the service refused it', () => {
  const meanings = [200, 202, 302, 400, 404, 408, 429, 500, 502, 503].map(
    status => envelopeOf(answer(status, '<html>')).meaning,
  );
  assert.deepEqual(meanings, [
    ...['unknown', 'unknown', 'unknown', 'trouble', 'trouble', 'unknown', 'throttled'],
    ...['unknown', 'unknown', 'unknown'],
  ]);
  for (const body of ['', '{', 'null', '[]', '{"code":1}', '{"code":"A000000"}']) {
    assert.equal(envelopeOf(answer(200, body)).meaning, 'unknown', body);
  }
  assert.equal(envelopeOf(answer(502, { code: 'A000' })).meaning, 'unknown');
});

test('a refusal with a status of a server error is an error of theirs, not of the message', () => {
  for (const code of ['A214', 'A215', 'A300']) {
    assert.equal(envelopeOf(answer(500, { code, result: 'x' })).meaning, 'failed', code);
  }
});

test('their words are shown without numbers of recipients and without control characters', () => {
  const { says } = envelopeOf(
    answer(400, { code: 'A306', result: '"to" was 010-1234-5678\n(+821012345678), 11 digits' }),
  );
  assert.equal(says, 'A306 "to" was …(…), 11 digits');
  const long = envelopeOf(answer(400, { code: 'A300', result: 'x'.repeat(10_000) })).says;
  assert.equal(long.length, 155);
});
