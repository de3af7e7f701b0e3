import assert from 'node:assert/strict';
import test from 'node:test';
import { LIFE, Life, type LifeEvent, type LifeState } from './life.ts';

const STATES = Object.keys(LIFE) as LifeState[];
const EVENTS = Object.keys(LIFE.opening) as LifeEvent[];
type Working = 'opening' | 'starting' | 'reloading' | 'stopping';

/** A life whose works end when the test says so. */
function lived() {
  const works: Working[] = [];
  const notes: string[] = [];
  const ends: Partial<Record<Working, PromiseWithResolvers<void>>> = {};
  const work = (name: Working) => () => {
    works.push(name);
    const ending = Promise.withResolvers<void>();
    ends[name] = ending;
    return ending.promise;
  };
  const life = new Life({
    opening: work('opening'),
    starting: work('starting'),
    reloading: work('reloading'),
    stopping: work('stopping'),
    failed: state => notes.push(`${state} failed`),
    refused: (event, state) => notes.push(`${event} refused while ${state}`),
    end: () => notes.push('ends'),
  });
  const settle = () => new Promise(setImmediate);
  return {
    ...{ life, works, notes },
    async end(name: Working) {
      ends[name]?.resolve();
      await settle();
    },
    async fail(name: Working) {
      ends[name]?.reject(new Error('it fails'));
      await settle();
    },
  };
}

const WAY: Readonly<Record<LifeState, readonly (LifeEvent | Working)[]>> = {
  opening: [],
  starting: ['opening'],
  running: ['opening', 'starting'],
  reloading: ['opening', 'starting', 'reload'],
  stopping: ['opening', 'starting', 'stop'],
  stopped: ['opening', 'starting', 'stop', 'stopping'],
};

async function livedUntil(state: LifeState) {
  const one = lived();
  void one.life.begin();
  for (const step of WAY[state]) {
    if (step === 'reload' || step === 'stop') one.life.take(step);
    else await one.end(step as Working);
  }
  assert.equal(one.life.state, state);
  return one;
}

for (const state of STATES) {
  for (const event of EVENTS) {
    const reaction = LIFE[state][event];
    test(`${state}, ${event}: ${reaction}`, async () => {
      const { life, works, notes, end, fail } = await livedUntil(state);
      const before = [...works];
      if (event === 'done') await end(state as Working);
      else if (event === 'failed') await fail(state as Working);
      else life.take(event);
      const isState = STATES.some(each => each === reaction);
      assert.equal(life.state, isState ? reaction : state);
      const hasWork = isState && !['running', 'stopped'].includes(reaction);
      assert.deepEqual(works, hasWork ? [...before, reaction] : before);
      const note =
        reaction === 'refused' ? `${event} refused while ${state}` : reaction === 'ends' ? 'ends' : undefined;
      const failure = event === 'failed' && reaction !== 'ignored' ? `${state} failed` : undefined;
      assert.deepEqual(notes, [note, failure].filter(Boolean));
    });
  }
}

test('a waiting stop is done once and first, and no reload follows it', async () => {
  for (const signals of [['reload', 'reload'], ['stop'], ['reload', 'stop', 'reload']] as const) {
    const { life, works, notes, end } = await livedUntil('starting');
    for (const signal of signals) life.take(signal);
    await end('starting');
    const hasStop = signals.some(signal => signal === 'stop');
    assert.deepEqual(works.slice(2), [hasStop ? 'stopping' : 'reloading']);
    const isRefused = hasStop && signals.length > 1;
    assert.deepEqual(notes, isRefused ? ['reload refused while stopping'] : []);
    await end('reloading');
    assert.equal(life.state, hasStop ? 'stopping' : 'running');
  }
});

test('a reload that waited for the start is done after it, and one that came during a reload after that', async () => {
  const { life, works, end } = await livedUntil('opening');
  life.take('reload');
  await end('opening');
  await end('starting');
  life.take('reload');
  await end('reloading');
  await end('reloading');
  assert.deepEqual(works, ['opening', 'starting', 'reloading', 'reloading']);
  assert.equal(life.state, 'running');
});

test('a reload that ends after the stop has begun changes nothing', async () => {
  const { life, works, end } = await livedUntil('reloading');
  life.take('reload');
  life.take('stop');
  await end('reloading');
  assert.equal(life.state, 'stopping');
  await end('stopping');
  assert.deepEqual([life.state, works.at(-1)], ['stopped', 'stopping']);
});

test('a reload that a stop has cut short was refused; that is no failure', async () => {
  const { life, notes, fail } = await livedUntil('reloading');
  life.take('stop');
  await fail('reloading');
  assert.deepEqual(notes, ['reload refused while stopping']);
  assert.equal(life.state, 'stopping');
});

test('a failed start stops what was started, and a waiting signal does not start it again', async () => {
  const { life, works, fail, end } = await livedUntil('starting');
  life.take('reload');
  await fail('starting');
  assert.equal(life.state, 'stopping');
  await end('stopping');
  assert.deepEqual(works, ['opening', 'starting', 'stopping']);
});
