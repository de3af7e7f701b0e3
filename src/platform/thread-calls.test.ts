import assert from 'node:assert/strict';
import test from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { answerThread, type PlainValues, type Port, ThreadCaller } from './thread-calls.ts';

function line(t: test.TestContext, mostWaiting = 100) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  let messages = 0;
  port2.on('message', () => messages++);
  return { caller: new ThreadCaller(port1, mostWaiting), port: port2, messages: () => messages };
}

/** Each call is answered with its own values, when the function that it adds to the list is called. */
function answersByHand(port: Port): (() => void)[] {
  const open: (() => void)[] = [];
  answerThread(
    port,
    values =>
      new Promise<PlainValues>(resolve => {
        open.push(() => resolve(values));
      }),
    () => {},
  );
  return open;
}

test('calls of one turn go over in one message, and each gets its own answer', async t => {
  const { caller, port, messages } = line(t);
  answerThread(
    port,
    async values => [`${values[0]}!`, values[1] ?? null],
    () => {},
  );
  const calls = [['a', 1], ['b'], ['', null, 'c', 4]] as const;
  const answers = await Promise.all(calls.map(values => caller.call(values)));
  assert.deepEqual(answers, [
    ['a!', 1],
    ['b!', null],
    ['!', null],
  ]);
  assert.equal(messages(), 1);
});

test('answers find their calls in any order, bytes and empty ones too', async t => {
  const { caller, port } = line(t);
  const open = answersByHand(port);
  const first = caller.call([new Uint8Array([1, 2])]);
  const second = caller.call([]);
  while (open.length < 2) await new Promise(setImmediate);
  open[1]?.();
  assert.deepEqual(await second, []);
  open[0]?.();
  assert.deepEqual(await first, [new Uint8Array([1, 2])]);
});

test('who asks learns when calls are on their way, and how many wait', async t => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const sent: number[] = [];
  const caller = new ThreadCaller(port1, 10, waiting => sent.push(waiting));
  const answering = new Promise<void>(resolve => {
    answerThread(
      port2,
      async () => {
        resolve();
        return ['done'];
      },
      () => {},
    );
  });
  const calls = [caller.call(['a']), caller.call(['b'])];
  await answering;
  assert.deepEqual(sent, [2]);
  await Promise.all(calls);
  caller.note(['c']);
  while (sent.length < 2) await new Promise(setImmediate);
  assert.deepEqual(sent, [2, 0]);
});

test('notes are taken in their order and answered by nobody', async t => {
  const { caller, port } = line(t);
  const notes: PlainValues[] = [];
  answerThread(
    port,
    async () => ['done'],
    note => notes.push(note),
  );
  caller.note(['one', 1]);
  caller.note([]);
  assert.deepEqual(await caller.call(['last']), ['done']);
  assert.deepEqual(notes, [['one', 1], []]);
});

test('it is full while as many calls wait as may', async t => {
  const { caller, port } = line(t, 2);
  answerThread(
    port,
    async () => [],
    () => {},
  );
  const calls = [caller.call([]), caller.call([])];
  assert.equal(caller.isFull, true);
  await Promise.all(calls);
  assert.equal(caller.isFull, false);
});

test('answers that one piece of work makes go together, before the next piece begins', async t => {
  const { caller, port } = line(t);
  const order: string[] = [];
  const open = answersByHand(port);
  const post = port.postMessage.bind(port);
  port.postMessage = (values: PlainValues) => {
    order.push(`answers of ${values.length / 3}`);
    post(values);
  };
  const calls = [caller.call(['a']), caller.call(['b'])];
  while (open.length < 2) await new Promise(setImmediate);
  await new Promise<void>(resolve => {
    setImmediate(() => {
      for (const answer of open) answer();
    });
    setImmediate(() => {
      order.push('next piece');
      resolve();
    });
  });
  await Promise.all(calls);
  assert.deepEqual(order, ['answers of 2', 'next piece']);
});
