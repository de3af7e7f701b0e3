import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from './clock.ts';
import { type LeaseAsk, LeasedLimiter } from './leased-limiter.ts';
import { RateLimiter } from './rate-limiter.ts';

/** What the store does: test/store/contract/cluster.ts. */
class Bank {
  readonly clock = new ManualClock();
  readonly asks: LeaseAsk[] = [];
  readonly #levels = new Map<string, { level: number; at: number }>();
  isAway = false;
  #gate: Promise<void> | undefined;

  limiter(): LeasedLimiter {
    const { clock } = this;
    return new LeasedLimiter({
      clock,
      lease: asks => this.#lease(asks),
      sweep: async () => {},
    });
  }

  /** Nothing is answered until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return () => {
      this.#gate = undefined;
      resolve();
    };
  }

  async #lease(asks: readonly LeaseAsk[]) {
    await this.#gate;
    if (this.isAway) throw new Error('away');
    return asks.map(ask => {
      this.asks.push(ask);
      const now = this.clock.now();
      const before = this.#levels.get(ask.key) ?? { level: ask.burst, at: now };
      const filled = before.level + ask.returned + ((now - before.at) / 1000) * ask.ratePerSecond;
      const level = Math.min(ask.burst, filled);
      const isEnough = ask.most > 0 && level >= Math.min(ask.least, ask.burst);
      const granted = isEnough ? Math.max(ask.least, Math.min(ask.most, level)) : 0;
      this.#levels.set(ask.key, { level: level - granted, at: now });
      return { granted, left: level - granted };
    });
  }
}

const RATE = { ratePerSecond: 100, burst: 100 };
const GUESSES = { ratePerSecond: 0.2, burst: 20 };

async function taken(limiter: LeasedLimiter, tries: number, rate = RATE): Promise<number> {
  let count = 0;
  for (let index = 0; index < tries; index++) if (!(await limiter.take('a', rate))) count++;
  return count;
}

test('two processes together have one burst, and then one rate', async () => {
  const bank = new Bank();
  const [one, two] = [bank.limiter(), bank.limiter()];
  const first = (await taken(one, 90)) + (await taken(two, 90));
  assert.ok(first <= 100 && first >= 90, `${first} at once`);
  let later = 0;
  for (let ms = 0; ms < 1000; ms += 50) {
    bank.clock.advance(50);
    later += (await taken(one, 10)) + (await taken(two, 10));
  }
  assert.ok(first + later <= 200 && later >= 95, `${later} in a second`);
});

test('asks once for many, and not at all while it is known that nothing is left', async () => {
  const bank = new Bank();
  const limiter = bank.limiter();
  assert.equal(await taken(limiter, 1000), 100);
  assert.ok(bank.asks.length <= 30, `${bank.asks.length} questions`);
  const asked = bank.asks.length;
  assert.equal(await taken(limiter, 1000), 0);
  assert.equal(bank.asks.length, asked);
  assert.deepEqual(limiter.take('a', RATE, 50), { retryAfterSeconds: 1 });
  assert.deepEqual(limiter.take('a', GUESSES, 1), { retryAfterSeconds: 5 });
});

test('what waits for one key asks together, and in the order in which it came', async () => {
  const bank = new Bank();
  const limiter = bank.limiter();
  const answers = await Promise.all(Array.from({ length: 130 }, () => limiter.take('a', RATE)));
  assert.equal(bank.asks.length, 1);
  assert.deepEqual(
    answers.map(over => over === undefined),
    Array.from({ length: 130 }, (_, index) => index < 100),
  );
});

test('guesses in parallel count like guesses one after the other', async () => {
  const bank = new Bank();
  const [one, two] = [bank.limiter(), bank.limiter()];
  const guesses = Array.from({ length: 60 }, (_, index) => (index % 2 ? one : two).take('a', GUESSES));
  const passed = (await Promise.all(guesses)).filter(over => over === undefined);
  assert.equal(passed.length, 20);
});

test('a cost above the burst passes when the bucket is full, and leaves a debt', async () => {
  const bank = new Bank();
  const limiter = bank.limiter();
  assert.equal(await limiter.take('a', RATE, 300), undefined);
  assert.deepEqual(await limiter.take('a', RATE, 1), { retryAfterSeconds: 3 });
  bank.clock.advance(2500);
  assert.equal(await taken(limiter, 100), 50);
});

test('an unused lease is returned for the others', async () => {
  const bank = new Bank();
  const [one, two] = [bank.limiter(), bank.limiter()];
  await taken(one, 1, GUESSES);
  one.giveBack('a');
  assert.equal(await taken(two, 30, GUESSES), 17, 'one token was given back, and two are in hand');
  bank.clock.advance(1000);
  await one.tidy();
  bank.clock.advance(5000);
  assert.equal(await taken(two, 30, GUESSES), 3 + 1);
  await one.close();
});

test('a call that needs a lease fails while nobody answers, and works again afterwards', async () => {
  const bank = new Bank();
  const limiter = bank.limiter();
  bank.isAway = true;
  await assert.rejects(async () => limiter.take('a', RATE), /away/);
  bank.isAway = false;
  assert.equal(await limiter.take('a', RATE), undefined);
  bank.isAway = true;
  assert.equal(limiter.take('a', RATE), undefined, 'there are tokens in hand');
});

test('calls that come while a question is under way wait for the next one', async () => {
  const bank = new Bank();
  const limiter = bank.limiter();
  const answer = bank.hold();
  const first = limiter.take('a', RATE, 95);
  await Promise.resolve();
  const second = limiter.take('a', RATE, 5);
  const third = limiter.take('a', RATE, 1);
  answer();
  assert.deepEqual(await Promise.all([first, second, third]), [
    undefined,
    undefined,
    { retryAfterSeconds: 1 },
  ]);
});

test('one process alone is limited as by buckets of its own', async () => {
  const bank = new Bank();
  const [leased, own] = [bank.limiter(), new RateLimiter(bank.clock)];
  for (let ms = 0; ms < 5000; ms += 100) {
    for (const cost of [1, 7, 1, 30]) {
      const [here, there] = [await leased.take('a', RATE, cost), own.take('a', RATE, cost)];
      assert.equal(here === undefined, there === undefined, `${cost} at ${ms} ms`);
    }
    bank.clock.advance(100);
  }
});
