/** Answers that come after `responseTimeout`, and answers that come while the carrier closes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { Behaviour } from '../../harness/smsc/smsc.ts';
import { internationalStep, type SmppScene, smppScene, submission } from './smpp-under-test.ts';

const LONG_TEXT = `${'a'.repeat(153)}${'b'.repeat(153)}${'c'.repeat(94)}`;
const SILENT: Behaviour = { submit: () => ({ kind: 'silent' }) };
const HOUR_MS = 3_600_000;

/** Submits a text, and lets the time for its answers pass. */
async function silent(scene: SmppScene, text: string, parts: number): Promise<void> {
  const sending = scene.send(text);
  await scene.until('it was submitted', () => scene.smsc.submits.length === parts);
  await scene.eventually('the time for answers is over', () => scene.answers.length === 1);
  const refs = parts > 1 && { refs: Array(parts).fill(undefined) };
  assert.deepEqual(await sending, { kind: 'unknown', isUnanswered: true, ...refs });
}

const lateAnswers = (scene: SmppScene) => scene.host.lateAnswers.map(late => late.answer);

test('a late answer tells the reference under the id of its attempt', async t => {
  const scene = await smppScene(t, SILENT, { responseTimeout: '2s' });
  await silent(scene, 'hello', 1);
  scene.smsc.answer(0, 'A7');
  await scene.until('it is told', () => scene.host.lateAnswers.length === 1);
  assert.deepEqual(scene.host.lateAnswers, [
    { attemptId: 'attempt-+14155550123', answer: { kind: 'accepted', refs: ['a7'] } },
  ]);
  scene.smsc.answer(0, 'A7');
  await scene.carrier.test();
  assert.equal(scene.host.lateAnswers.length, 1);
});

test('a late refusal for good is told, one for now is not', async t => {
  const scene = await smppScene(t, SILENT, { responseTimeout: '2s' });
  await silent(scene, 'hello', 1);
  scene.smsc.answer(0, '', STATUS.invalidDestination);
  await scene.until('it is told', () => scene.host.lateAnswers.length === 1);
  assert.deepEqual(lateAnswers(scene), [
    { kind: 'permanent', reportCode: '23003', detail: 'ESME_RINVDSTADR' },
  ]);

  for (const status of [STATUS.systemError, STATUS.throttled]) {
    const other = await smppScene(t, SILENT, { responseTimeout: '2s' });
    await silent(other, 'hello', 1);
    other.smsc.answer(0, '', status);
    await other.carrier.test();
    assert.deepEqual(lateAnswers(other), []);
    assert.equal(other.smsc.submits.length, 1);
  }
});

test('of a long message each late part adds its reference, and the last one makes it whole', async t => {
  const scene = await smppScene(t, SILENT, { responseTimeout: '2s' });
  await silent(scene, LONG_TEXT, 3);
  scene.smsc.answer(2, 'three');
  scene.smsc.answer(0, 'one');
  scene.smsc.answer(1, 'two');
  await scene.until('all are told', () => scene.host.lateAnswers.length === 3);
  assert.deepEqual(lateAnswers(scene), [
    { kind: 'unknown', refs: [undefined, undefined, 'three'] },
    { kind: 'unknown', refs: ['one', undefined, 'three'] },
    { kind: 'accepted', refs: ['one', 'two', 'three'] },
  ]);
});

test('a part that is taken after another was refused for good keeps its reference', async t => {
  const scene = await smppScene(t, SILENT, { responseTimeout: '2s' });
  await silent(scene, LONG_TEXT, 3);
  scene.smsc.answer(1, '', STATUS.invalidDestination);
  scene.smsc.answer(2, 'three');
  await scene.until('both are told', () => scene.host.lateAnswers.length === 2);
  const refused = { kind: 'permanent', reportCode: '23003', detail: 'ESME_RINVDSTADR' };
  assert.deepEqual(lateAnswers(scene), [refused, { ...refused, refs: [undefined, undefined, 'three'] }]);
});

test('a part that is late while others are still in time makes the message whole', async t => {
  const scene = await smppScene(t, SILENT, { responseTimeout: '2s', window: 2 });
  const sending = scene.send(LONG_TEXT);
  await scene.until('two parts were submitted', () => scene.smsc.submits.length === 2);
  scene.clock.advance(1500);
  scene.smsc.answer(1, 'two');
  await scene.until('the third part follows', () => scene.smsc.submits.length === 3);
  scene.clock.advance(1000);
  scene.smsc.answer(0, 'one');
  await scene.carrier.test();
  scene.smsc.answer(2, 'three');
  assert.deepEqual(await sending, { kind: 'accepted', refs: ['one', 'two', 'three'] });
  assert.deepEqual(scene.host.lateAnswers, []);
});

for (const bind of ['transceiver', 'pair']) {
  test(`close (${bind}) waits for every answer, and each submit has its real one`, async t => {
    const scene = await smppScene(t, SILENT, { bind, responseTimeout: '60s', window: 20 });
    const sending = Promise.all(Array.from({ length: 20 }, (_, index) => scene.send(`message ${index}`)));
    await scene.until('all were submitted', () => scene.smsc.submits.length === 20);
    let isClosed = false;
    const closing = scene.carrier.close().then(() => {
      isClosed = true;
    });
    scene.clock.advance(50_000);
    const late = await scene.carrier.submit([submission('+14155550123', internationalStep('late'))])[0];
    assert.ok(late?.kind === 'temporary' && late.isCarriersFault);
    assert.deepEqual([isClosed, scene.answers.length], [false, 0]);
    for (const index of scene.smsc.submits.keys()) scene.smsc.answer(index, `id${index}`);
    assert.deepEqual(
      (await sending).map(told => (told.kind === 'accepted' ? told.refs[0] : told.kind)),
      Array.from({ length: 20 }, (_, index) => `id${index}`),
    );
    await closing;
  });
}

for (const [name, jumpMs] of [
  ['an hour back', -HOUR_MS],
  ['an hour ahead', HOUR_MS],
] as const) {
  test(`the wall clock is set ${name} while submits are under way: nothing notices`, async t => {
    const submit: Behaviour['submit'] = (_, index) =>
      index === 2 ? { kind: 'refuse', status: STATUS.queueFull } : { kind: 'silent' };
    const scene = await smppScene(t, { submit }, { responseTimeout: '4s' });
    const sending = Promise.all([scene.send('one'), scene.send('two')]);
    await scene.until('both were submitted', () => scene.smsc.submits.length === 2);
    scene.clock.setWallBy(jumpMs);
    scene.clock.advance(2000);
    assert.deepEqual([scene.answers.length, scene.carrier.status().state], [0, 'up']);
    scene.smsc.answer(0, 'one');
    scene.smsc.answer(1, 'two');
    assert.deepEqual(
      (await sending).map(({ kind }) => kind),
      ['accepted', 'accepted'],
    );
    const full = await scene.send('three');
    assert.ok(full.kind === 'temporary' && full.retryAfterMs === 1000);
    scene.clock.setWallBy(-2 * jumpMs);
    assert.equal(scene.carrier.status().state, 'slowed');
    scene.clock.advance(1000);
    assert.equal(scene.carrier.status().state, 'up');
    const last = scene.send('four');
    await scene.until('it was submitted', () => scene.smsc.submits.length === 4);
    scene.clock.setWallBy(jumpMs);
    await scene.eventually('its time is over', () => scene.answers.length === 4);
    assert.equal((await last).kind, 'unknown');
    assert.equal(scene.smsc.binds.length, 1);
    assert.deepEqual(scene.host.lateAnswers, []);
  });
}
