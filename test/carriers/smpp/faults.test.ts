/** Each thing that goes wrong between us and an SMSC, and what the gateway is told about it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { Reply } from '../../harness/smsc/smsc.ts';
import { internationalStep, smppScene, submission } from './smpp-under-test.ts';

const ACCEPT: Reply = { kind: 'accept' };
const THROTTLE: Reply = { kind: 'refuse', status: STATUS.throttled };
const LONG_TEXT = `${'a'.repeat(153)}${'b'.repeat(153)}${'c'.repeat(94)}`;

/** The n-th submit meets the n-th reply; submits beyond the list are accepted. */
const inOrder =
  (...replies: Reply[]) =>
  (_: unknown, index: number) =>
    replies[index] ?? ACCEPT;

const kinds = (answers: readonly SubmitAnswer[]) => answers.map(({ kind }) => kind);

test('a throttled message is given back unharmed, and the link goes on', async t => {
  const scene = await smppScene(t, { submit: inOrder(THROTTLE, THROTTLE) });
  for (const text of ['one', 'two']) {
    assert.deepEqual(await scene.send(text), {
      kind: 'temporary',
      reportCode: '23011',
      isCarriersFault: true,
      isThrottled: true,
    });
    assert.equal(scene.carrier.status().state, 'up');
  }
  assert.equal((await scene.send('three')).kind, 'accepted');
  assert.equal(scene.smsc.submits.length, 3);
});

test('a full queue holds the link for a second, however often it comes', async t => {
  const full: Reply = { kind: 'refuse', status: STATUS.queueFull };
  const scene = await smppScene(t, { submit: inOrder(full, full, full) });
  for (let count = 1; count <= 3; count++) {
    assert.deepEqual(await scene.send('hello'), {
      kind: 'temporary',
      reportCode: '23011',
      isCarriersFault: true,
      isThrottled: true,
      retryAfterMs: 1000,
    });
    assert.equal(scene.carrier.status().state, 'slowed');
    const meanwhile = await scene.send('hello');
    assert.ok(meanwhile.kind === 'temporary' && meanwhile.isCarriersFault && meanwhile.retryAfterMs === 1000);
    assert.equal(scene.smsc.submits.length, count);
    scene.clock.advance(1000);
    assert.equal(scene.carrier.status().state, 'up');
  }
  assert.equal((await scene.send('hello')).kind, 'accepted');
});

test("a refusal of our account is the carrier's own trouble, and told with its name", async t => {
  const scene = await smppScene(t, { submit: inOrder({ kind: 'refuse', status: STATUS.alreadyBound }) });
  const refusal = { kind: 'temporary', reportCode: '23011', isCarriersFault: true, detail: 'ESME_RALYBND' };
  assert.deepEqual(await scene.send('one'), refusal);
  assert.deepEqual(scene.host.notices, ['accountRefused']);
  assert.deepEqual(scene.host.details[0], { status: 'ESME_RALYBND' });
  assert.equal((await scene.send('two')).kind, 'accepted');
});

test('a session with five unanswered submits in a row is replaced', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'silent' }) }, { responseTimeout: '2s' });
  for (let count = 1; count <= 4; count++) void scene.send(`message ${count}`);
  await scene.eventually('four are given up', () => scene.answers.length === 4);
  scene.clock.advance(10_000);
  assert.equal(scene.carrier.status().state, 'up');
  void scene.send('message 5');
  await scene.until('it was submitted', () => scene.smsc.submits.length === 5);
  await scene.eventually('it is bound again', () => scene.smsc.binds.length === 2);
  assert.deepEqual(
    scene.host.details.find(details => 'reason' in details)?.reason,
    'submits are not answered',
  );
});

test('unexpected answers do not keep a session with unanswered submits', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'silent' }) }, { responseTimeout: '2s' });
  for (let count = 1; count <= 5; count++) void scene.send(`message ${count}`);
  await scene.eventually('all are given up', () => scene.answers.length === 5);
  scene.smsc.sessions[0]?.send({ command: 'genericNack', status: STATUS.systemError, sequence: 0 });
  await scene.until('it was read', () => scene.host.notices.includes('lateResponse'));
  await scene.eventually('it is bound again', () => scene.smsc.binds.length === 2);
});

test('an answer that is late keeps the session', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'silent' }) }, { responseTimeout: '2s' });
  for (let count = 1; count <= 5; count++) void scene.send(`message ${count}`);
  await scene.eventually('all are given up', () => scene.answers.length === 5);
  scene.smsc.answer(4, 'late');
  await scene.until('the late answer is noticed', () => scene.host.notices.includes('lateResponse'));
  scene.clock.advance(20_000);
  assert.deepEqual([scene.carrier.status().state, scene.smsc.binds.length], ['up', 1]);
});

test('of a long message only the part that was throttled is submitted again', async t => {
  const scene = await smppScene(t, { submit: inOrder(ACCEPT, THROTTLE, ACCEPT) });
  const sending = scene.send(LONG_TEXT);
  await scene.until('three parts were seen', () => scene.smsc.submits.length === 3);
  await scene.until('the gateway is told of it', () => scene.host.throttledParts === 1);
  assert.deepEqual([scene.answers, scene.carrier.status().state], [[], 'up']);
  await scene.eventually('the message is answered', () => scene.answers[0]);
  assert.deepEqual(await sending, { kind: 'accepted', refs: ['1', '3', '2'] });
  assert.equal(scene.smsc.submits.length, 4);
  assert.deepEqual(scene.smsc.submits[3]?.shortMessage, scene.smsc.submits[1]?.shortMessage);
  assert.deepEqual(scene.smsc.texts, [LONG_TEXT]);
});

test('a message that is taken without an id is unknown, by the fault of the carrier', async t => {
  const nameless: Reply = { kind: 'accept', id: '' };
  const fault = 'the answer has no message id';
  const scene = await smppScene(t, { submit: inOrder(nameless, ACCEPT, nameless, ACCEPT) });
  assert.deepEqual(await scene.send('one'), { kind: 'unknown', fault });
  assert.deepEqual(scene.host.notices, ['noMessageId']);
  const refs = ['1', undefined, '2'];
  assert.deepEqual(await scene.send(LONG_TEXT), { kind: 'unknown', refs, fault });
});

test('without requested receipts a message needs no id', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'accept', id: '' }) }, { registeredDelivery: 0 });
  assert.equal((await scene.send('one')).kind, 'accepted');
  assert.deepEqual(scene.host.notices, []);
});

test('a message whose rest is never accepted has failed permanently', async t => {
  const scene = await smppScene(
    t,
    { submit: (_, index) => (index === 0 ? ACCEPT : { kind: 'refuse', status: STATUS.systemError }) },
    { responseTimeout: '1h', enquireLink: '1h' },
  );
  const sending = scene.send(LONG_TEXT);
  await scene.until('the carrier gives up', () => {
    scene.clock.advance(5000);
    return scene.answers[0];
  });
  assert.deepEqual(await sending, {
    kind: 'permanent',
    reportCode: '23011',
    detail: 'ESME_RSYSERR',
    refs: ['1', undefined, undefined],
    isToldBefore: true,
  });
  const numbers = scene.smsc.submits.map(({ shortMessage }) => shortMessage[5]);
  assert.equal(numbers.filter(number => number === 1).length, 1);
  assert.ok(numbers.filter(number => number === 2).length > 3);
});

test('the rest of a message is submitted until the deadline of its step, with the validity that is left', async t => {
  const scene = await smppScene(t, { submit: (_, index) => (index === 0 ? ACCEPT : THROTTLE) });
  const [sending] = scene.carrier.submit([
    { ...submission('+14155550123', internationalStep(LONG_TEXT)), timeLeftMs: 60_000, hasOwnTime: true },
  ]);
  let answer: SubmitAnswer | undefined;
  void sending?.then(given => {
    answer = given;
  });
  await scene.eventually('the deadline has passed', () => answer);
  assert.deepEqual(answer, { kind: 'unknown', refs: ['1', undefined, undefined] });
  assert.ok(scene.clock.monotonic() >= 60_000);
  const left = scene.smsc.submits.map(({ validity }) => validity);
  assert.equal(left[0], '000000000100000R');
  assert.deepEqual(left, left.toSorted().reverse());
  assert.ok(new Set(left).size > 2, left.join(' '));
  scene.clock.advance(60_000);
  await scene.carrier.test();
  assert.equal(scene.smsc.submits.length, left.length);
});

test('a permanently refused part fails the whole message, and the other parts keep their references', async t => {
  const scene = await smppScene(t, {
    submit: inOrder(ACCEPT, { kind: 'refuse', status: STATUS.invalidDestination }, ACCEPT),
  });
  assert.deepEqual(await scene.send(LONG_TEXT), {
    kind: 'permanent',
    reportCode: '23003',
    detail: 'ESME_RINVDSTADR',
    refs: ['1', undefined, '2'],
  });
  assert.equal(scene.smsc.submits.length, 3);
});

test('a submit without an answer is unknown once, and its late answer is told besides', async t => {
  const scene = await smppScene(t, { submit: inOrder({ kind: 'silent' }) });
  const sending = scene.send('hello');
  await scene.until('the submit was seen', () => scene.smsc.submits[0]);
  scene.clock.advance(59_000);
  await scene.until('the SMSC was asked for a sign of life', () => scene.smsc.enquiries > 0);
  // Its answer has been read, too: otherwise the session ends when the clock goes on.
  await scene.carrier.test();
  assert.deepEqual(scene.answers, []);
  scene.clock.advance(2000);
  assert.deepEqual(await sending, { kind: 'unknown', isUnanswered: true });
  scene.smsc.answer(0, 'late');
  await scene.until('the late answer is noticed', () => scene.host.notices.includes('lateResponse'));
  assert.deepEqual(scene.host.lateAnswers, [
    { attemptId: 'attempt-+14155550123', answer: { kind: 'accepted', refs: ['late'] } },
  ]);
  assert.equal((await scene.send('again')).kind, 'accepted');
  assert.deepEqual(kinds(scene.answers), ['unknown', 'accepted']);
});

test('when the link drops, what was written is unknown and what was not is given back', async t => {
  const scene = await smppScene(
    t,
    { submit: (_, index) => (index === 2 ? { kind: 'drop' } : { kind: 'silent' }) },
    { window: 3 },
  );
  const texts = ['1', '2', '3', '4', '5'];
  const answers = await Promise.all(texts.map(text => scene.send(text)));
  assert.deepEqual(kinds(answers), ['unknown', 'unknown', 'unknown', 'temporary', 'temporary']);
  assert.ok(answers.every(answer => answer.kind !== 'temporary' || answer.isCarriersFault));
  assert.equal(scene.smsc.submits.length, 3);
  await scene.eventually('the link is back', () => scene.carrier.status().state === 'up');
  assert.equal(scene.smsc.binds.length, 2);
  assert.equal(scene.smsc.submits.length, 3);
});

test('parts that were taken before the doubt began keep their references', async t => {
  const scene = await smppScene(t, { submit: inOrder(ACCEPT, { kind: 'silent' }, { kind: 'drop' }) });
  assert.deepEqual(await scene.send(LONG_TEXT), {
    kind: 'unknown',
    refs: ['1', undefined, undefined],
    fault: 'a part of a message was not answered',
  });
});

test('the rest of a message waits for a lost link to come back', async t => {
  const scene = await smppScene(t, {
    submit: inOrder(ACCEPT, { kind: 'refuse', status: STATUS.systemError }, ACCEPT),
  });
  const sending = scene.send(LONG_TEXT);
  await scene.until('three parts were seen', () => scene.smsc.submits.length === 3);
  // Its answer comes behind those of the parts.
  await scene.carrier.test();
  scene.smsc.drop();
  await scene.eventually('the message is answered', () => scene.answers[0]);
  assert.deepEqual(await sending, { kind: 'accepted', refs: ['1', '3', '2'] });
  assert.deepEqual([scene.smsc.texts, scene.smsc.submits.length], [[LONG_TEXT], 4]);
});

test('garbage closes the link instead of leaving it half dead', async t => {
  const scene = await smppScene(t, { submit: inOrder({ kind: 'garbage' }) });
  assert.deepEqual(await scene.send('hello'), { kind: 'unknown', isUnanswered: true });
  assert.ok(scene.host.notices.includes('garbage'));
  await scene.eventually('the link is back', () => scene.carrier.status().state === 'up');
  assert.equal((await scene.send('again')).kind, 'accepted');
});

for (const [title, status, body, expected] of [
  ['an id without its NUL', STATUS.ok, '414243', { kind: 'accepted', refs: ['abc'] }],
  ['an id padded with NULs', STATUS.ok, '414243000000', { kind: 'accepted', refs: ['abc'] }],
  [
    'a refusal with a stray octet',
    STATUS.invalidDestination,
    '0007',
    { kind: 'permanent', reportCode: '23003', detail: 'ESME_RINVDSTADR' },
  ],
  [
    'a refusal without its NUL',
    STATUS.invalidDestination,
    '41',
    { kind: 'permanent', reportCode: '23003', detail: 'ESME_RINVDSTADR' },
  ],
] as const) {
  test(`${title} is an answer: the status decides`, async t => {
    const scene = await smppScene(t, { submit: () => ({ kind: 'silent' }) });
    const sending = scene.send('hello');
    const { sequence } = await scene.until('the submit was seen', () => scene.smsc.submits[0]);
    scene.smsc.sessions[0]?.sendOctets(response(0x80000004, status, sequence, body));
    assert.deepEqual(await sending, expected);
  });
}

test('a bind that is answered with a stray octet is bound', async t => {
  const scene = await smppScene(t, {
    bind({ sequence }, session) {
      session.sendOctets(response(0x80000009, 0, sequence, '7300ff'));
      return undefined;
    },
  });
  assert.equal(scene.carrier.status().state, 'up');
});

function response(commandId: number, status: number, sequence: number, body: string): Buffer {
  const octets = Buffer.concat([Buffer.alloc(16), Buffer.from(body, 'hex')]);
  for (const [index, word] of [octets.length, commandId, status, sequence].entries())
    octets.writeUInt32BE(word, 4 * index);
  return octets;
}

test('a generic_nack answers the submit it names', async t => {
  const scene = await smppScene(t, {
    submit: inOrder({ kind: 'nack', status: STATUS.invalidCommandLength }),
  });
  assert.deepEqual(await scene.send('hello'), {
    kind: 'permanent',
    reportCode: '23009',
    detail: 'ESME_RINVCMDLEN',
  });
});

test('a slow reader is written no more than the window', async t => {
  const scene = await smppScene(t, { submit: () => ACCEPT }, { window: 4 });
  scene.smsc.sessions[0]?.pause();
  const sending = Promise.all(Array.from({ length: 50 }, (_, index) => scene.send(`message ${index}`)));
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual([scene.smsc.submits.length, scene.answers.length], [0, 0]);
  scene.smsc.sessions[0]?.resume();
  assert.ok(kinds(await sending).every(kind => kind === 'accepted'));
  assert.equal(scene.smsc.submits.length, 50);
});

test('an unanswered enquire_link is the end of the link', async t => {
  let isAnswered = false;
  const scene = await smppScene(t, { isEnquiryAnswered: () => isAnswered });
  scene.clock.advance(31_000);
  await scene.until('enquire_link came', () => scene.smsc.enquiries > 0);
  assert.equal(scene.carrier.status().state, 'up');
  scene.clock.advance(31_000);
  assert.notEqual(scene.carrier.status().state, 'up');
  isAnswered = true;
  await scene.eventually('the link is back', () => scene.carrier.status().state === 'up');
});

test('a link on which submits are answered stays, whatever becomes of enquire_link', async t => {
  const scene = await smppScene(t, { isEnquiryAnswered: () => false });
  for (let count = 0; count < 4; count++) {
    scene.clock.advance(31_000);
    await scene.until('enquire_link came', () => scene.smsc.enquiries > count);
    assert.equal((await scene.send('hello')).kind, 'accepted');
  }
  assert.deepEqual([scene.carrier.status().state, scene.smsc.binds.length], ['up', 1]);
  const testing = scene.carrier.test();
  let told: unknown;
  testing.then(result => {
    told = result;
  });
  await scene.eventually('the test ends', () => told);
  assert.equal((await testing).isOk, false);
});

test('an SMSC that unbinds is left, and bound again', async t => {
  const scene = await smppScene(t);
  scene.smsc.sessions[0]?.send({ command: 'unbind', status: 0, sequence: 1 });
  await scene.until('the link is gone', () => scene.carrier.status().state !== 'up');
  await scene.eventually('the link is back', () => scene.carrier.status().state === 'up');
  assert.equal(scene.smsc.binds.length, 2);
});

test('close goes on with the rest of a message, in time and with its pauses', async t => {
  let isOpen = false;
  const scene = await smppScene(t, {
    submit: (_, index) => (index === 0 || isOpen ? ACCEPT : THROTTLE),
  });
  const sending = scene.send(LONG_TEXT);
  await scene.until('three parts were seen', () => scene.smsc.submits.length === 3);
  await scene.until('they are answered', () => scene.host.throttledParts === 2);
  const closing = scene.carrier.close(30_000);
  await scene.until('the rest goes out at once', () => scene.smsc.submits.length === 5);
  await scene.until('it is answered', () => scene.host.throttledParts === 4);
  isOpen = true;
  await scene.eventually('the message is answered', () => scene.answers[0]);
  assert.equal((await sending).kind, 'accepted');
  await closing;
  assert.deepEqual([scene.smsc.texts, scene.smsc.unbinds], [[LONG_TEXT], 1]);
});

test('a message whose rest is not taken before the end of a close is unknown, with the references that it has', async t => {
  const scene = await smppScene(t, { submit: (_, index) => (index === 0 ? ACCEPT : THROTTLE) });
  const sending = scene.send(LONG_TEXT);
  await scene.until('they are answered', () => scene.host.throttledParts === 2);
  const startedAt = scene.clock.monotonic();
  const closing = scene.carrier.close(10_000);
  await scene.eventually('the message is answered', () => scene.answers[0]);
  assert.deepEqual(await sending, { kind: 'unknown', refs: ['1', undefined, undefined] });
  assert.ok(scene.clock.monotonic() - startedAt >= 10_000);
  await closing;
});

test('close waits for answers, then unbinds', async t => {
  const scene = await smppScene(t, { submit: () => ({ kind: 'silent' }) });
  const sending = scene.send('hello');
  await scene.until('the submit was seen', () => scene.smsc.submits[0]);
  const closing = scene.carrier.close();
  const late = await scene.carrier.submit([submission('+14155550123', internationalStep('late'))])[0];
  assert.ok(late?.kind === 'temporary' && late.isCarriersFault);
  assert.equal(scene.smsc.unbinds, 0);
  scene.smsc.answer(0, '9');
  assert.deepEqual(await sending, { kind: 'accepted', refs: ['9'] });
  await closing;
  assert.equal(scene.smsc.unbinds, 1);
});
