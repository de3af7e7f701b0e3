import assert from 'node:assert/strict';
import test from 'node:test';
import {
  answerProblem,
  isWebhookUrl,
  keptAnswer,
  nextAttemptAt,
  WEBHOOK_WINDOW_MS,
  type WebhookAttempt,
  withAttempt,
  withoutSecrets,
} from './webhook.ts';

const HOUR = 3_600_000;

test('takes http and https addresses without user and password', () => {
  for (const url of ['https://a.example/r', 'http://a.example:8080/r?x=1']) assert.ok(isWebhookUrl(url), url);
  for (const url of [
    '',
    'a.example',
    'ftp://a.example/',
    'https://me:secret@a.example/',
    'https://me@a.example/',
    'https://a.example/\0',
    'https://a.example/\n',
  ]) {
    assert.equal(isWebhookUrl(url), false, url);
  }
});

const ANSWERS: readonly (readonly [number, string, boolean])[] = [
  [200, '{"msgKey":"k"}', true],
  [200, ' {"msgKey":"k","more":1}\n', true],
  [201, '{"msgKey":"k"}', false],
  [301, '{"msgKey":"k"}', false],
  [500, '{"msgKey":"k"}', false],
  [200, '{"msgKey":"other"}', false],
  [200, '{"msgKey":null}', false],
  [200, '["k"]', false],
  [200, 'null', false],
  [200, '"k"', false],
  [200, '', false],
];

for (const [status, body, counts] of ANSWERS) {
  test(`${status} ${JSON.stringify(body)} ${counts ? 'counts' : 'does not count'}`, () => {
    assert.equal(answerProblem('k', status, body) === undefined, counts);
  });
}

test('delays grow to eight hours, and the last attempt falls on the end of the window', () => {
  const giveUpAt = WEBHOOK_WINDOW_MS;
  const delays: number[] = [];
  let now = 0;
  for (let attempts = 1; ; attempts++) {
    const next = nextAttemptAt({ attempts, now, giveUpAt, jitter: 0 });
    if (next === undefined) break;
    delays.push((next - now) / 1000);
    now = next;
  }
  assert.deepEqual(delays.slice(0, 9), [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800]);
  assert.equal(now, giveUpAt);
  assert.equal(delays.length, 17);
});

test('jitter adds up to a fifth, and the receiver may ask for a longer pause', () => {
  const order = { attempts: 1, now: 0, giveUpAt: WEBHOOK_WINDOW_MS };
  assert.equal(nextAttemptAt({ ...order, jitter: 1 }), 6000);
  assert.equal(nextAttemptAt({ ...order, jitter: 0, askedMs: 60_000 }), 60_000);
  assert.equal(nextAttemptAt({ ...order, attempts: 9, jitter: 0, askedMs: 1 }), 8 * HOUR);
});

test('twenty attempts are kept, the last three with their exchange', () => {
  const exchange = {
    url: 'http://a/',
    format: 'spec',
    headers: {},
    sentMs: 1,
    answeredMs: 2,
    answer: null,
  } as const;
  const attempt = (at: number) => ({ at, status: 500, error: 'e', durationMs: 1, exchange });
  let recent: readonly WebhookAttempt[] = [attempt(1)];
  for (let at = 2; at <= 25; at++) recent = withAttempt(recent, attempt(at));
  assert.deepEqual(
    recent.map(({ at }) => at),
    Array.from({ length: 20 }, (_, index) => index + 6),
  );
  assert.deepEqual(
    recent.filter(one => one.exchange).map(({ at }) => at),
    [23, 24, 25],
  );
});

test('an answer is kept in bounds, without what opens something', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x-${index}`, 'v'.repeat(300)]));
  const kept = keptAnswer(
    { 'Set-Cookie': 'a=b', 'WWW-Authenticate': 'Basic', ...many },
    'é'.repeat(3000),
    false,
  );
  assert.equal(Object.keys(kept.headers).length, 20);
  assert.deepEqual([kept.headers['Set-Cookie'], kept.headers['WWW-Authenticate']], ['***', '***']);
  assert.equal(kept.headers['x-1']?.length, 200);
  assert.deepEqual([kept.body.length, kept.length], [1000, 3000]);
  assert.equal(keptAnswer({}, '{"msgKey":"x"}', true).body, '{"msgKey":"x"}');
  const [half] = keptAnswer({}, `${'x'.repeat(999)}😀`, false).body.slice(-1);
  assert.equal(half?.isWellFormed(), true);
});

const SHOWN: readonly (readonly [url: string, shown: string])[] = [
  ['https://hooks.example', 'https://hooks.example/'],
  ['https://hooks.example/?token=S3CRET', 'https://hooks.example/?***'],
  ['https://hooks.example:8443/reports', 'https://hooks.example:8443/reports'],
  ['https://hooks.example/reports/', 'https://hooks.example/reports'],
  ['https://hooks.example/reports#S3CRET', 'https://hooks.example/reports?***'],
  ['https://hooks.example/services/T000/B000/S3CRET', 'https://hooks.example/services/***'],
  ['https://hooks.example/v1/S3CRET?x=1', 'https://hooks.example/v1/***?***'],
  ['https://hooks.example/S3CRET', 'https://hooks.example/***'],
  ['https://hooks.example//S3CRET', 'https://hooks.example/***'],
  ['https:\\\\hooks.example\\services\\S3CRET', 'https://hooks.example/services/***'],
  ['no URL with a S3CRET', '***'],
];

test('a URL is shown without what may be a token in its path or query', () => {
  for (const [url, shown] of SHOWN) assert.equal(withoutSecrets(url), shown);
});
