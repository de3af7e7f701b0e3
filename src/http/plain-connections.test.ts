/** Over real sockets, with Node's server behind: what it knows of a connection is what may go wrong here. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { until } from '../../test/harness/until.ts';
import { type Answer, successAnswer } from './envelope.ts';
import { createNodeServer, type ServerLimits } from './node-server.ts';

const PLAIN = requestOf('/plain');
const NODES = requestOf('/node');

function requestOf(path: string, lines = ''): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\n${lines}content-length: 2\r\n\r\n{}`;
}

class Client {
  readonly socket: Socket;
  received = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', chunk => {
      this.received += chunk.toString();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** The bodies of all answers, in their order. */
  get bodies(): string[] {
    return [...this.received.matchAll(/\{"by":"(\w+)"/g)].map(([, by = '']) => by);
  }

  async hears(...bodies: string[]): Promise<void> {
    await until(`there are ${bodies.length} answers`, () => this.bodies.length >= bodies.length);
    assert.deepEqual(this.bodies, bodies);
  }
}

/** Plain requests to /plain are answered by `us`, the others by `node`; while `isHeld` none of ours is. */
async function startServer(
  t: TestContext,
  { limits = {}, padding = '' }: { limits?: Partial<ServerLimits>; padding?: string } = {},
) {
  const state = { isHeld: false, isClosing: false, begun: 0 };
  const waiting: (() => void)[] = [];
  const answerOf = (by: string): Answer => successAnswer(JSON.stringify({ by, padding }), undefined);
  const { server, endConnections } = createNodeServer(
    { maxConnections: 100, requestTimeoutMs: 60_000, ...limits },
    { broken: () => {}, busy: () => {}, closed: () => {} },
    (request, response) => {
      request.resume();
      const { status, headers, body } = answerOf('node');
      response.writeHead(status, headers);
      response.end(body);
    },
    {
      isClosing: () => state.isClosing,
      headerNames: [],
      answerPlain({ target }, _socket, answer) {
        if (target !== '/plain') return false;
        state.begun++;
        waiting.push(() => answer(answerOf('us')));
        if (!state.isHeld) setImmediate(release);
        return true;
      },
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients: Client[] = [];
  t.after(() => {
    for (const { socket } of clients) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  async function client(): Promise<Client> {
    const taken = once(server, 'connection');
    const one = new Client(port);
    clients.push(one);
    await taken;
    return one;
  }
  function release(): void {
    for (const answer of waiting.splice(0)) answer();
  }
  return { server, endConnections, state, release, client };
}

test('plain requests and others come over one connection, in turns', async t => {
  const { client } = await startServer(t);
  const one = await client();
  const heard: string[] = [];
  for (const [request, by] of [PLAIN, PLAIN, NODES, PLAIN, NODES, PLAIN].map(
    bytes => [bytes, bytes === PLAIN ? 'us' : 'node'] as const,
  )) {
    one.socket.write(request);
    await one.hears(...heard, by);
    heard.push(by);
  }
});

test('the answer has the same head as one that Node writes', async t => {
  const { client } = await startServer(t);
  const headOf = async (request: string, by: string) => {
    const one = await client();
    one.socket.write(request);
    await one.hears(by);
    const [head = ''] = one.received.split('\r\n\r\n');
    return head.replace(/Date: .* GMT/, 'Date: now').replace(/content-length: \d+/, 'content-length: some');
  };
  assert.equal(await headOf(PLAIN, 'us'), await headOf(NODES, 'node'));
});

test('a request in two packets is for Node, and so is all that follows', async t => {
  const { client, state } = await startServer(t);
  const one = await client();
  one.socket.setNoDelay(true);
  one.socket.write(PLAIN.slice(0, 30));
  await until('it is sent', () => one.socket.bytesWritten === 30);
  // Another connection is served meanwhile: the first packet is read.
  const other = await client();
  other.socket.write(PLAIN);
  await other.hears('us');
  one.socket.write(PLAIN.slice(30));
  await one.hears('node');
  one.socket.write(PLAIN);
  await one.hears('node', 'node');
  assert.equal(state.begun, 1);
});

test('a request byte by byte is answered, and so is the next', async t => {
  const { client, server } = await startServer(t);
  const taken = once(server, 'connection');
  const one = await client();
  const [socket] = (await taken) as [Socket];
  one.socket.setNoDelay(true);
  for (const [at, byte] of [...PLAIN].entries()) {
    await until('the one before is read', () => socket.bytesRead === at);
    one.socket.write(byte);
  }
  await one.hears('node');
  one.socket.write(PLAIN);
  await one.hears('node', 'node');
});

test('several requests in one packet are answered, in order', async t => {
  const { client } = await startServer(t);
  const one = await client();
  one.socket.write(PLAIN + NODES + PLAIN);
  await one.hears('node', 'node', 'node');
});

test('a request that comes before the answer to another waits for it', async t => {
  const { client, state, release } = await startServer(t);
  state.isHeld = true;
  const one = await client();
  one.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 1);
  one.socket.write(NODES);
  const other = await client();
  other.socket.write(NODES);
  await other.hears('node');
  assert.deepEqual(one.bodies, []);
  release();
  await one.hears('us', 'node');
  one.socket.write(PLAIN);
  await one.hears('us', 'node', 'node');
});

test('a connection with plain requests is not taken for one whose request is late', async t => {
  const { client } = await startServer(t, { limits: { requestTimeoutMs: 100 } });
  const plain = await client();
  plain.socket.write(PLAIN);
  await plain.hears('us');
  const silent = await client();
  await until('the silent one is closed', () => silent.isClosed);
  assert.equal(silent.received, '', 'it has asked nothing');
  plain.socket.write(PLAIN);
  await plain.hears('us', 'us');
  plain.socket.write(PLAIN.slice(0, 20));
  await until('it is closed when a request is late', () => plain.isClosed);
  assert.match(plain.received, /did not arrive in time/);
});

test('connections that are idle are closed when the server closes; one with a request under way has its answer', async t => {
  const { server, endConnections, client, state, release } = await startServer(t);
  const idle = await client();
  idle.socket.write(PLAIN);
  await idle.hears('us');
  state.isHeld = true;
  const busy = await client();
  busy.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 2);
  state.isClosing = true;
  const closed = new Promise(resolve => server.close(resolve));
  endConnections(60_000);
  await until('the idle one is closed', () => idle.isClosed);
  assert.equal(busy.isClosed, false);
  release();
  await until('the other is closed', () => busy.isClosed);
  await busy.hears('us');
  assert.match(busy.received, /^Connection: close$/m);
  await closed;
});

test('of a client that does not read its answers no more is read, and nothing is lost when it does', async t => {
  const { client, state } = await startServer(t, { padding: 'x'.repeat(4 * 1024 * 1024) });
  const one = await client();
  one.socket.pause();
  one.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 1);
  for (let count = 0; count < 3; count++) one.socket.write(PLAIN);
  const other = await client();
  other.socket.write(PLAIN);
  await other.hears('us');
  assert.equal(state.begun, 2, 'one of each');
  one.socket.resume();
  await until('there are four answers', () => one.bodies.length === 4);
});

test('a connection whose request is under way is not closed to make room', async t => {
  const { client, state, release } = await startServer(t, { limits: { maxConnections: 2 } });
  state.isHeld = true;
  const busy = await client();
  busy.socket.write(PLAIN);
  await until('it has begun', () => state.begun === 1);
  const idle = await client();
  await client();
  await until('the idle one made room', () => idle.isClosed);
  release();
  await busy.hears('us');
});
