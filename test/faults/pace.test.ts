/**
 * A carrier takes 200 parts a second, and nobody has told us: the pace finds it. First the pace alone, against many kinds of
 * limits; then a whole gateway with thousands of messages waiting.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { SubmitAnswer } from '../../src/carriers/carrier.ts';
import { Pace } from '../../src/deliver/pace.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { LIMITS, type Limit } from '../harness/carrier-limits.ts';
import { testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const STEP_MS = 2;
/** A message that was throttled is due again after so long, as in answer-event.ts. */
const RETURN_MS = 200;
const PAUSE_MS = 1000;

/** What came of one second. */
interface Second {
  taken: number;
  refused: number;
  /** What the carrier would have taken. */
  possible: number;
}

interface Result {
  /** Of what the carrier would have taken. */
  readonly used: number;
  /** Of what was sent. */
  readonly refused: number;
  readonly found: readonly (number | null)[];
  readonly seconds: readonly Second[];
  /** Messages that came and were not taken. */
  readonly left: number;
}

interface Setting {
  readonly limit: Limit;
  readonly rateAt?: (now: number) => number;
  readonly seconds: number;
  readonly nodes?: number;
  readonly window?: number;
  readonly latencyMs?: number;
  readonly configured?: number;
  /** Messages that come at this time; without it, there are always more than can be sent. */
  readonly arrivals?: (now: number) => number;
  /** It refuses with a request for a pause. */
  readonly asksToWait?: (now: number) => boolean;
}

/** Nodes that send by a carrier with a limit, in time that is only counted. */
function run({ limit, seconds, arrivals, asksToWait = () => false, ...setting }: Setting): Result {
  const { nodes = 1, window = 50, latencyMs = 20, configured = 0, rateAt = () => 1 } = setting;
  const lanes = Array.from({ length: nodes }, () => ({
    pace: new Pace(configured, 0),
    inFlight: 0,
    waiting: arrivals ? 0 : Number.POSITIVE_INFINITY,
    returns: [] as number[],
    pauseUntil: 0,
  }));
  type Lane = (typeof lanes)[number];
  const answers: { at: number; sentAt: number; is: 'taken' | 'refused' | 'held'; lane: Lane }[] = [];
  const counts = Array.from({ length: seconds }, (): Second => ({ taken: 0, refused: 0, possible: 0 }));
  for (const { pace } of lanes) {
    if (configured === 0) continue;
    pace.shareBy(() => {});
    pace.limitTo(configured / nodes, Number.POSITIVE_INFINITY);
  }
  for (let now = 0; now < seconds * 1000; now += STEP_MS) {
    const second = counts[Math.floor(now / 1000)];
    assert.ok(second);
    second.possible += (rateAt(now) * STEP_MS) / 1000;
    while (answers[0] && answers[0].at <= now) {
      const answer = answers.shift();
      if (!answer) break;
      const { lane, sentAt, is } = answer;
      lane.inFlight--;
      second[is === 'taken' ? 'taken' : 'refused']++;
      if (is === 'taken') lane.pace.taken(1, sentAt, now);
      else lane.pace.throttled(1, sentAt, now, is === 'held');
      if (is === 'held') lane.pauseUntil = now + PAUSE_MS;
      if (is !== 'taken') lane.returns.push(now + RETURN_MS);
    }
    for (const lane of lanes) {
      lane.waiting += arrivals?.(now) ?? 0;
      for (; lane.returns[0] !== undefined && lane.returns[0] <= now; lane.returns.shift()) lane.waiting++;
      const free = Math.min(window - lane.inFlight, lane.waiting);
      const room = now < lane.pauseUntil || free <= 0 ? 0 : Math.min(free, lane.pace.room(now));
      for (let part = 0; part < room; part++) {
        lane.pace.take(1);
        lane.inFlight++;
        lane.waiting--;
        const is = asksToWait(now) ? 'held' : limit(now) ? 'taken' : 'refused';
        answers.push({ at: now + latencyMs, sentAt: now, is, lane });
      }
    }
  }
  const sum = (of: keyof Second) => counts.reduce((total, second) => total + second[of], 0);
  const [taken, refused] = [sum('taken'), sum('refused')];
  return {
    used: taken / sum('possible'),
    refused: refused / (taken + refused),
    found: lanes.map(({ pace }) => pace.foundRate),
    seconds: counts,
    left: lanes.reduce((left, lane) => left + lane.waiting + lane.returns.length + lane.inFlight, 0),
  };
}

const SEEDS = [1, 7, 42];
const COURSES: readonly [course: string, rateAt: (now: number) => number, refusedAtMost: number][] = [
  ['stays at 200/s', () => 200, 0.05],
  ['halves on the way', now => (now < 20_000 ? 200 : 100), 0.07],
  ['doubles on the way', now => (now < 20_000 ? 200 : 400), 0.07],
  ['halves, and comes back', now => (now > 15_000 && now < 30_000 ? 100 : 200), 0.08],
];

for (const [kind, limitOf] of Object.entries(LIMITS)) {
  for (const [course, rateAt, refusedAtMost] of COURSES) {
    test(`a limit (${kind}) that ${course} is used, and seldom run into`, () => {
      for (const latencyMs of [2, 20, 80]) {
        const { used, refused } = run({ limit: limitOf(rateAt), rateAt, seconds: 45, latencyMs });
        assert.ok(used >= 0.85, `${latencyMs} ms: ${used} used`);
        assert.ok(refused <= refusedAtMost, `${latencyMs} ms: ${refused} refused`);
      }
    });
  }

  test(`a limit (${kind}) is used in half a minute, also with slow answers`, () => {
    const rateAt = () => 200;
    for (const [seconds, latencyMs] of [
      [30, 20],
      [60, 500],
      [60, 2000],
    ] as const) {
      const { used } = run({ limit: limitOf(rateAt), rateAt, seconds, latencyMs, window: 1000 });
      assert.ok(used >= 0.85, `${latencyMs} ms: ${used} used`);
    }
  });

  test(`nodes share a limit (${kind})`, () => {
    const rateAt = () => 200;
    for (const nodes of [2, 3]) {
      const { used, refused } = run({ limit: limitOf(rateAt), rateAt, seconds: 60, nodes });
      assert.ok(used >= 0.85 && refused <= 0.1, `${nodes} nodes: ${used} used, ${refused} refused`);
    }
  });

  test(`refusals at random beside a limit (${kind}) cost no more than their share`, () => {
    for (const share of [0.05, 0.3]) {
      for (const seed of SEEDS) {
        const limit = alsoAtRandom(
          share,
          limitOf(() => 200),
          seed,
        );
        const { used } = run({ limit, rateAt: () => 200, seconds: 60 });
        assert.ok(used >= 1 - share - (share < 0.1 ? 0.1 : 0), `${share}, seed ${seed}: ${used} used`);
      }
    }
  });

  test(`a carrier (${kind}) that takes nothing for a time is asked seldom, and used again within ten seconds`, () => {
    for (const shutSeconds of [5, 60]) {
      const opensAt = 10 + shutSeconds;
      const isShut = (now: number) => now > 10_000 && now < opensAt * 1000;
      const open = limitOf(() => 200);
      const limit: Limit = now => !isShut(now) && open(now);
      const { seconds } = run({ limit, seconds: opensAt + 15 });
      const asked = seconds.slice(10, opensAt).reduce((sum, { refused }) => sum + refused, 0);
      assert.ok(asked < 100 + 2 * shutSeconds, `${asked} submits in ${shutSeconds} s`);
      const back = seconds.slice(opensAt).findIndex(({ taken }) => taken >= 180);
      assert.ok(back >= 0 && back < 10, `after ${back} s`);
    }
  });

  test(`a carrier (${kind}) with a full queue is used again within ten seconds`, () => {
    const asksToWait = (now: number) => now > 10_000 && now < 13_000;
    const { seconds } = run({ limit: limitOf(() => 200), seconds: 25, asksToWait });
    const back = seconds.slice(13).findIndex(({ taken }) => taken >= 180);
    assert.ok(back >= 0 && back < 10, `after ${back} s`);
  });
}

test('limits of one part a second and of a thousand are found as well', () => {
  for (const [rate, least, most] of [
    [1, 0.5, 0.2],
    [5, 0.8, 0.06],
    [30, 0.85, 0.06],
    [1000, 0.85, 0.05],
  ] as const) {
    const setting = { limit: LIMITS.slidingWindow(() => rate), rateAt: () => rate, seconds: 300 };
    const { used, refused } = run({ ...setting, window: rate < 100 ? 10 : 200, latencyMs: 100 });
    assert.ok(used >= least, `${rate}/s: ${used} used`);
    assert.ok(refused <= most, `${rate}/s: ${refused} refused`);
  }
});

test('refusals at random alone cost a busy link no more than their share', () => {
  for (const share of [0.01, 0.05, 0.3]) {
    for (const seed of SEEDS) {
      // A window of 10 and 50 ms for an answer: 200 a second.
      const limit = alsoAtRandom(share, () => true, seed);
      const { seconds } = run({ limit, seconds: 60, window: 10, latencyMs: 50 });
      const taken = seconds.reduce((sum, second) => sum + second.taken, 0);
      assert.ok(taken >= 200 * 60 * (1 - share) * 0.9, `${share}, seed ${seed}: ${taken}`);
    }
  }
});

test('refusals at random do not stop a lane with little traffic', () => {
  for (const share of [0.05, 0.3]) {
    for (const seed of SEEDS) {
      for (const everyMs of [1000, 200, 50]) {
        const limit = alsoAtRandom(share, () => true, seed);
        const arrivals = (now: number) => (now % everyMs === 0 && now < 110_000 ? 1 : 0);
        const { left } = run({ limit, seconds: 120, arrivals });
        assert.equal(left, 0, `${share}, seed ${seed}, one each ${everyMs} ms`);
      }
      const limit = alsoAtRandom(share, () => true, seed);
      const bursts = run({ limit, seconds: 90, arrivals: now => (now % 15_000 === 0 ? 60 : 0) });
      for (let at = 0; at < 90; at += 15) {
        const taken = bursts.seconds.slice(at, at + 5).reduce((sum, second) => sum + second.taken, 0);
        assert.equal(taken, 60, `${share}, seed ${seed}: ${taken} of 60 at ${at} s`);
      }
    }
  }
});

test('when refusals at random end, nine tenths of the rate are sent within ten seconds', () => {
  for (const seed of SEEDS) {
    const [atRandom, open] = [alsoAtRandom(0.3, () => true, seed), LIMITS.slidingWindow(() => 200)];
    const limit: Limit = now => (now < 10_000 || now > 30_000 || atRandom(now)) && open(now);
    const { seconds } = run({ limit, seconds: 45 });
    const taken = seconds.slice(30, 40).map(second => second.taken);
    assert.ok(
      taken.some(inSecond => inSecond >= 180),
      `seed ${seed}: ${taken}`,
    );
  }
});

test('a configured rate is the upper bound, divided between the nodes', () => {
  const free = { limit: () => true, rateAt: () => 300, seconds: 20 };
  assert.ok(Math.abs(run({ ...free, configured: 300, nodes: 3 }).used - 1) < 0.02);
  const rateAt = () => 100;
  const { used, refused } = run({
    limit: LIMITS.slidingWindow(rateAt),
    rateAt,
    seconds: 30,
    configured: 300,
  });
  assert.ok(used >= 0.85 && refused <= 0.05, `${used} used, ${refused} refused`);
});

test('through the gateway: 4,500 messages wait for a carrier of 200/s without a rate', async t => {
  const messages = 4500;
  const clock = new ManualClock();
  const rateAt = () => 200;
  const limit = LIMITS.slidingWindow(rateAt);
  const sky = new ScriptedCarrier('sky', { window: 50 });
  sky.become('down');
  const path = configFile(
    'carriers:\n  sky: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sky] }\n',
  );
  const { gateway, client } = await testAccount(t, {
    env: { BONGSU_CONFIG: path },
    clock,
    createCarrier: ({ name }) => (name === 'sky' ? sky : new ScriptedCarrier(name)),
  });
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
  const line = await until('it is told', async () => {
    clock.advance(1000);
    const { body } = await gateway.operator('GET', '/carriers');
    return body.data.carriers.find(({ throttled }: { throttled: number }) => throttled === counts.refused);
  });
  assert.ok(line.foundRate > 150 && line.foundRate < 260, `${line.foundRate} found`);
  assert.ok(counts.refused > 0);
  const metrics = (await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' })).body;
  assert.match(metrics, /^bongsu_carrier_found_rate\{carrier="sky"\} \d/m);
  assert.ok(metrics.includes(`bongsu_carrier_throttled_total{carrier="sky"} ${counts.refused}\n`));
});

/** Refuses a share of everything, whatever the rate, beside another limit. */
function alsoAtRandom(share: number, limit: Limit, seed = 1): Limit {
  let state = seed;
  return now => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 >= share && limit(now);
  };
}
