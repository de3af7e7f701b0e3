/** Over real sockets: what is answered by the front, and what goes on to Node's HTTP. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { type FrontClient, OTHER, PLAIN, requestOf, startFront } from '../../../test/harness/front.ts';
import { until } from '../../../test/harness/until.ts';

test('plain requests are answered by the front, and from the first other one on Node answers', async t => {
  const { client } = await startFront(t);
  const one = await client();
  const heard: string[] = [];
  for (const [request, by] of [
    [PLAIN, 'front'],
    [PLAIN, 'front'],
    [OTHER, 'node'],
    [PLAIN, 'node'],
  ] as const) {
    one.socket.write(request);
    await one.hears(...heard, by);
    heard.push(by);
  }
});

test('the answer has the same head as one that Node writes', async t => {
  const { client } = await startFront(t);
  const headOf = async (request: string, by: string) => {
    const one = await client();
    one.socket.write(request);
    await one.hears(by);
    const [head = ''] = one.received.split('\r\n\r\n');
    return head.replace(/Date: .* GMT/, 'Date: now').replace(/content-length: \d+/, 'content-length: some');
  };
  assert.equal(await headOf(PLAIN, 'front'), await headOf(OTHER, 'node'));
});

test('a request is answered with its whole body wherever it is split, and so is the next', async t => {
  const { client, state } = await startFront(t);
  const body = '{"text":"안녕"}'.replaceAll('"', "'");
  const bytes = Buffer.from(requestOf('/plain', '', body));
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  for (let at = 1; at < bytes.length; at++) {
    const one = await client();
    const begun = state.begun;
    await one.write(bytes.subarray(0, at));
    await (await client()).write(PLAIN);
    // The other connection is served: the first piece is read.
    await until('it is read', () => state.begun > begun);
    await one.write(bytes.subarray(at));
    await until('it is answered', () => one.answers.length === 1);
    assert.deepEqual(one.answers, [`${at < headEnd ? 'node' : 'front'} ${body}`], `split at ${at}`);
    await one.write(PLAIN);
    await until('the next is answered', () => one.answers.length === 2);
    one.socket.destroy();
  }
});

test('requests that come together are answered in order, and the front begins one at a time', async t => {
  const { client, state, release } = await startFront(t);
  state.isHeld = true;
  const one = await client();
  one.socket.write(PLAIN + PLAIN + PLAIN + OTHER);
  for (let count = 1; count <= 4; count++) {
    await until('one has begun', () => state.begun === count);
    release();
    await until('it is answered', () => one.answers.length === count);
  }
  await one.hears('front', 'front', 'front', 'node');
});

test('a request that comes before the answer to another waits for it', async t => {
  const { client, state, release } = await startFront(t);
  state.isHeld = true;
  const one = await client();
  one.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 1);
  await one.write(OTHER.slice(0, 10), OTHER.slice(10));
  const other = await client();
  other.socket.write(PLAIN);
  await until('another has begun', () => state.begun === 2);
  assert.deepEqual(one.answers, []);
  release();
  await until('the next has begun', () => state.begun === 3);
  release();
  await one.hears('front', 'node');
});

test('a client that will send no more has gone, and its connection is closed', async t => {
  const { client, open, state } = await startFront(t);
  state.isHeld = true;
  for (const bytes of [PLAIN, PLAIN + PLAIN, OTHER, PLAIN.slice(0, -1), OTHER.slice(0, -1), '']) {
    const one = await client();
    one.socket.end(bytes);
    await until('it is closed', () => open() === 0);
  }
});

const LATE: Readonly<Record<string, string>> = {
  nothing: '',
  'half a head': PLAIN.slice(0, 20),
  'half a body': PLAIN.slice(0, -1),
  'half a head of another request': OTHER.slice(0, 20),
  'half a body of another request': OTHER.slice(0, -1),
};
for (const [what, bytes] of Object.entries(LATE)) {
  test(`a connection on which ${what} comes in time is closed, also after a whole request`, async t => {
    const { client } = await startFront(t, { requestTimeoutMs: 200 });
    const first = await client();
    if (bytes !== '') first.socket.write(bytes);
    await until('it is closed', () => first.isClosed);
    assert.match(first.received, bytes === '' ? /^$/ : /^HTTP\/1.1 400 .*did not arrive in time/s);
    if (bytes === '') return;
    const second = await client();
    second.socket.write(PLAIN);
    await second.hears('front');
    second.socket.write(bytes);
    await until('it is closed', () => second.isClosed);
    assert.match(second.received, /did not arrive in time/);
  });
}

test('a request whose last byte arrives while others are refused is answered, and not refused as well', async t => {
  const { client, state, release } = await startFront(t, { requestTimeoutMs: 500 });
  const clients: FrontClient[] = [];
  for (let count = 0; count < 100; count++) {
    const one = await client();
    one.socket.write(PLAIN);
    await one.hears('front');
    clients.push(one);
  }
  state.isHeld = true;
  await Promise.race(
    clients.map(({ socket }) => {
      socket.write(PLAIN.slice(0, -1));
      return once(socket, 'data');
    }),
  );
  const before = state.begun;
  const others = clients.filter(({ received }) => !received.includes('in time'));
  for (const { socket } of others) socket.write(PLAIN.slice(-1));
  const begun = () => state.begun - before;
  const open = () => clients.filter(({ isClosed }) => !isClosed);
  await until('each has begun or is closed', () => begun() > 0 && begun() === open().length);
  release();
  await until('all that have begun are answered', () =>
    open().every(({ answers, isClosed }) => answers.length === 2 || isClosed),
  );
  assert.equal(open().length, begun());
});

for (const [who, request] of [
  ['front', PLAIN],
  ['node', OTHER],
] as const) {
  test(`an empty line behind a body is not taken for the begin of a request (${who})`, async t => {
    const { client, state } = await startFront(t, { requestTimeoutMs: 200 });
    const one = await client();
    one.socket.write(`${request}\r\n`);
    await one.hears(who);
    one.socket.write('\r\n');
    // Opened later, so late later.
    const late = await client();
    late.socket.write(PLAIN.slice(0, -1));
    await until('that is refused', () => late.isClosed);
    one.socket.write(request);
    await one.hears(who, who);
    assert.equal(state.broken, 1);
  });

  test(`on closing, an answer that a client still reads is read to its end (${who})`, async t => {
    const padding = 'x'.repeat(16 * 1024 * 1024);
    const { front, client, state } = await startFront(t, { padding });
    const idle = await client();
    idle.socket.write(request);
    await until('it is answered', () => idle.received.length > padding.length);
    const one = await client();
    one.socket.pause();
    one.socket.write(request);
    await until('it has begun', () => state.begun === 2);
    const closed = front.close();
    await until('the idle one is closed', () => idle.isClosed);
    one.socket.resume();
    await closed;
    await until('it is closed', () => one.isClosed);
    assert.ok(one.received.endsWith(`${padding}"}`));
  });

  test(`on closing, a request that has arrived but is not read yet is answered (${who})`, async t => {
    const { front, client } = await startFront(t);
    const one = await client();
    one.socket.write(request);
    await one.hears(who);
    one.socket.write(request);
    await front.close();
    await one.hears(who, who);
  });
}

test('a connection between two requests is not taken for one whose request is late', async t => {
  const { client } = await startFront(t, { requestTimeoutMs: 100 });
  const [ours, nodes] = [await client(), await client()];
  ours.socket.write(PLAIN);
  nodes.socket.write(OTHER);
  const silent = await client();
  await until('the silent one is closed', () => silent.isClosed);
  ours.socket.write(PLAIN);
  nodes.socket.write(PLAIN);
  await ours.hears('front', 'front');
  await nodes.hears('node', 'node');
});

test('on closing, idle connections are closed, and a request in progress has its answer', async t => {
  const { front, client, state, release } = await startFront(t);
  const idle = [await client(), await client()] as const;
  idle[0].socket.write(PLAIN);
  idle[1].socket.write(OTHER);
  await Promise.all([idle[0].hears('front'), idle[1].hears('node')]);
  state.isHeld = true;
  const busy = [await client(), await client()] as const;
  busy[0].socket.write(PLAIN);
  busy[1].socket.write(OTHER);
  await until('both have begun', () => state.begun === 4);
  const closed = front.close();
  await until('the idle ones are closed', () => idle.every(({ isClosed }) => isClosed));
  assert.ok(busy.every(({ isClosed }) => !isClosed));
  release();
  await Promise.all([busy[0].hears('front'), busy[1].hears('node')]);
  await closed;
  assert.match(busy[0].received, /^Connection: close$/m);
});

test('on closing, requests that are never answered are waited for only so long', async t => {
  const { front, client, state } = await startFront(t, { shutdownTimeoutMs: 100 });
  state.isHeld = true;
  for (const bytes of [PLAIN, OTHER, PLAIN.slice(0, -1), OTHER.slice(0, 9)]) {
    (await client()).socket.write(bytes);
  }
  await until('two have begun', () => state.begun === 2);
  await front.close();
});

test('reading from a client stops while it does not read its answers, and nothing is lost when it does', async t => {
  const { client, state } = await startFront(t, { padding: 'x'.repeat(4 * 1024 * 1024) });
  const one = await client();
  one.socket.pause();
  one.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 1);
  for (let count = 0; count < 3; count++) one.socket.write(PLAIN);
  const other = await client();
  other.socket.write(PLAIN);
  await other.hears('front');
  assert.equal(state.begun, 2, 'one of each');
  one.socket.resume();
  await until('there are four answers', () => one.answers.length === 4);
});

test('a connection whose request is in progress is not closed to make room', async t => {
  const { client, state, release } = await startFront(t, { maxConnections: 2 });
  state.isHeld = true;
  const busy = await client();
  busy.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 1);
  const idle = await client();
  await client();
  await until('the idle one made room', () => idle.isClosed);
  release();
  await busy.hears('front');
});
