/**
 * A carrier takes 200 parts a second, and nobody has told us: the pace finds it. First the pace alone, against many kinds of
 * limits; then a whole gateway with thousands of messages waiting.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { SubmitAnswer } from '../../src/carriers/carrier.ts';
import { Pace } from '../../src/deliver/pace.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import {
  alsoAtRandom,
  calendarSecond,
  type Limit,
  type RateAt,
  slidingWindow,
  tokenBucket,
} from '../harness/carrier-limits.ts';
import { ADMIN_TOKEN, testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const STEP_MS = 2;

interface Result {
  /** Of what the carrier would have taken. */
  readonly used: number;
  /** Of what was sent. */
  readonly refused: number;
  readonly found: readonly (number | null)[];
}

interface Setting {
  readonly limit: Limit;
  readonly rateAt: RateAt;
  readonly seconds: number;
  readonly nodes?: number;
  readonly window?: number;
  readonly latencyMs?: number;
  readonly configured?: number;
}

/** Nodes with more messages than they can send, and a carrier with a limit. */
function run({ limit, rateAt, seconds, ...setting }: Setting): Result {
  const { nodes = 1, window = 50, latencyMs = 20, configured = 0 } = setting;
  const lanes = Array.from({ length: nodes }, () => ({ pace: new Pace(configured, 0), inFlight: 0 }));
  const answers: { at: number; sentAt: number; isTaken: boolean; node: number }[] = [];
  const counts = { taken: 0, refused: 0, possible: 0 };
  for (const { pace } of lanes) {
    if (configured === 0) continue;
    pace.shareBy(() => {});
    pace.limitTo(configured / nodes, Number.POSITIVE_INFINITY);
  }
  for (let now = 0; now < seconds * 1000; now += STEP_MS) {
    counts.possible += (rateAt(now) * STEP_MS) / 1000;
    while (answers[0] && answers[0].at <= now) {
      const answer = answers.shift();
      const lane = answer && lanes[answer.node];
      if (!lane) break;
      lane.inFlight--;
      counts[answer.isTaken ? 'taken' : 'refused']++;
      if (answer.isTaken) lane.pace.taken(1, answer.sentAt, now);
      else lane.pace.throttled(1, answer.sentAt, now, false);
    }
    for (const [node, lane] of lanes.entries()) {
      const room = Math.min(window - lane.inFlight, lane.pace.room(now));
      for (let part = 0; part < room; part++) {
        lane.pace.take(1);
        lane.inFlight++;
        answers.push({ at: now + latencyMs, sentAt: now, isTaken: limit(now), node });
      }
    }
  }
  return {
    used: counts.taken / counts.possible,
    refused: counts.refused / (counts.taken + counts.refused),
    found: lanes.map(({ pace }) => pace.foundRate),
  };
}

const KINDS = { tokenBucket, slidingWindow, calendarSecond };
const COURSES: readonly [string, RateAt][] = [
  ['stays at 200/s', () => 200],
  ['halves on the way', now => (now < 20_000 ? 200 : 100)],
  ['doubles on the way', now => (now < 20_000 ? 200 : 400)],
  ['halves, and comes back', now => (now > 15_000 && now < 30_000 ? 100 : 200)],
];

for (const [kind, limitOf] of Object.entries(KINDS)) {
  for (const [course, rateAt] of COURSES) {
    test(`a limit (${kind}) that ${course} is used, and seldom run into`, () => {
      for (const latencyMs of [2, 20, 80]) {
        const { used, refused } = run({ limit: limitOf(rateAt), rateAt, seconds: 45, latencyMs });
        assert.ok(used >= 0.85, `${latencyMs} ms: ${used} used`);
        assert.ok(refused <= 0.05, `${latencyMs} ms: ${refused} refused`);
      }
    });
  }

  test(`two nodes share a limit (${kind})`, () => {
    const rateAt = () => 200;
    const { used, refused, found } = run({ limit: limitOf(rateAt), rateAt, seconds: 45, nodes: 2 });
    assert.ok(used >= 0.85 && refused <= 0.05, `${used} used, ${refused} refused`);
    assert.ok(
      found.every(rate => rate !== null && rate > 40),
      `${found} found`,
    );
  });

  test(`a carrier (${kind}) that refuses three of ten at random goes on at what it takes`, () => {
    for (const seed of [1, 7, 42]) {
      const limit = alsoAtRandom(
        0.3,
        limitOf(() => 200),
        seed,
      );
      const { used } = run({ limit, rateAt: () => 200, seconds: 60 });
      assert.ok(used >= 0.6, `seed ${seed}: ${used} used`);
    }
  });
}

test('limits of one part a second and of a thousand are found as well', () => {
  for (const rate of [1, 5, 30, 1000]) {
    const setting = { limit: slidingWindow(() => rate), rateAt: () => rate, seconds: 300 };
    const { used, refused } = run({ ...setting, window: rate < 100 ? 10 : 200, latencyMs: 100 });
    assert.ok(used >= 0.75, `${rate}/s: ${used} used`);
    assert.ok(refused <= (rate === 1 ? 0.2 : 0.05), `${rate}/s: ${refused} refused`);
  }
});

test('refusals at random alone do not slow a link down for long', () => {
  for (const share of [0.01, 0.05, 0.3]) {
    // A window of 10 and 50 ms for an answer: 200 a second, less what is refused.
    const limit = alsoAtRandom(share, () => true);
    const setting = { limit, rateAt: () => 200 * (1 - share), seconds: 60, window: 10, latencyMs: 50 };
    const { used } = run(setting);
    assert.ok(used >= 0.75, `${share}: ${used} used`);
  }
});

test('a configured rate is the upper bound, divided between the nodes', () => {
  const free = { limit: () => true, rateAt: () => 300, seconds: 20 };
  assert.ok(Math.abs(run({ ...free, configured: 300, nodes: 3 }).used - 1) < 0.02);
  const rateAt = () => 100;
  const { used, refused } = run({ limit: slidingWindow(rateAt), rateAt, seconds: 30, configured: 300 });
  assert.ok(used >= 0.85 && refused <= 0.05, `${used} used, ${refused} refused`);
});

test('a carrier that takes nothing for a minute is asked seldom, and used again at once', () => {
  const isShut = (now: number) => now > 10_000 && now < 70_000;
  const open = tokenBucket(() => 200);
  let asked = 0;
  const limit: Limit = now => {
    if (isShut(now)) asked++;
    return !isShut(now) && open(now);
  };
  const { used } = run({ limit, rateAt: now => (isShut(now) ? 0 : 200), seconds: 80 });
  assert.ok(asked < 200, `${asked} submits while it was shut`);
  assert.ok(used >= 0.85, `${used} used`);
});

test('through the gateway: 4,500 messages wait for a carrier of 200/s without a rate', async t => {
  const messages = 4500;
  const clock = new ManualClock();
  const rateAt = () => 200;
  const limit = slidingWindow(rateAt);
  const sky = new ScriptedCarrier('sky', { window: 50 });
  sky.become('down');
  const path = configFile(
    'carriers:\n  sky: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sky] }\n',
  );
  const gateway = await testGateway(t, { BONGSU_CONFIG: path }, clock, {
    createCarrier: ({ name }) => (name === 'sky' ? sky : new ScriptedCarrier(name)),
  });
  const client = await gateway.account('shop');
  const counts = { taken: 0, refused: 0 };
  const attempts = new Map<string, number>();
  sky.reply = ({ attemptId, to, attempt }): SubmitAnswer => {
    if (!limit(clock.monotonic())) {
      counts.refused++;
      return { kind: 'temporary', reportCode: '23011', isCarriersFault: true, isThrottled: true };
    }
    counts.taken++;
    assert.ok(!attempts.has(to), `${to} is sent twice`);
    attempts.set(to, attempt);
    return { kind: 'accepted', refs: [attemptId] };
  };
  for (let number = 0; number < messages; number += 10) {
    const destinations = Array.from({ length: 10 }, (_, index) => ({
      to: `0101${String(1_000_000 + number + index)}`,
    }));
    const messageFlow = [{ sms: { from: '0212345678', text: 'hello' } }];
    const { body } = await client.call('POST', '/v1/send/omni', { destinations, messageFlow });
    assert.equal(body.code, 'A000', body.result);
  }
  sky.become('up');
  const startedAt = clock.monotonic();
  await until('all are sent', async () => {
    for (let step = 0; step < 20 && counts.taken < messages; step++) {
      clock.advance(20);
      for (let turn = 0; turn < 8; turn++) await new Promise(resolve => setImmediate(resolve));
    }
    return counts.taken === messages;
  });
  const seconds = (clock.monotonic() - startedAt) / 1000;
  const refused = counts.refused / (counts.taken + counts.refused);
  assert.ok(messages / seconds >= 0.85 * 200, `${messages} in ${seconds} s`);
  assert.ok(refused <= 0.05, `${refused} refused`);
  assert.deepEqual(new Set(attempts.values()), new Set([1]));
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const line = await until('it is told', async () => {
    clock.advance(1000);
    const { body } = await gateway.request('GET', '/admin/v1/carriers', { headers });
    return body.data.carriers.find(({ throttled }: { throttled: number }) => throttled === counts.refused);
  });
  assert.ok(line.foundRate > 150 && line.foundRate < 260, `${line.foundRate} found`);
  assert.ok(counts.refused > 0);
  const metrics = (await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' })).body;
  assert.match(metrics, /^bongsu_carrier_found_rate\{carrier="sky"\} \d/m);
  assert.ok(metrics.includes(`bongsu_carrier_throttled_total{carrier="sky"} ${counts.refused}\n`));
});
