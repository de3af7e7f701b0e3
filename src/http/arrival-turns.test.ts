/** Over real sockets: what many of them bring in one instant is Node's to say. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { until } from '../../test/harness/until.ts';
import { MOST_A_TURN } from './arrival-turns.ts';
import { successAnswer } from './envelope.ts';
import { createNodeServer } from './node-server.ts';

const MANY = 4 * MOST_A_TURN;
const PLAIN = 'POST /plain HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}';
const NODES = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const BROKEN = 'no HTTP\r\n\r\n';

interface Client {
  readonly socket: Socket;
  received: string;
}

/** Counts what is done in each turn of the event loop. */
class Turns {
  inAll = 0;
  most = 0;
  #now = 0;

  constructor(t: TestContext) {
    const turn = () => {
      this.#now = 0;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    t.after(() => clearImmediate(next));
  }

  count(): void {
    this.inAll++;
    this.most = Math.max(this.most, ++this.#now);
  }
}

async function startServer(t: TestContext) {
  const turns = new Turns(t);
  const taken: Socket[] = [];
  const { server } = createNodeServer(
    { maxConnections: 1000, requestTimeoutMs: 60_000 },
    { broken: () => turns.count(), busy: () => {}, closed: () => {} },
    (_request, response) => {
      turns.count();
      response.end('{"by":"node"}');
    },
    {
      isClosing: () => false,
      headerNames: [],
      answerPlain({ target }, _socket, answer) {
        if (target !== '/plain') return false;
        turns.count();
        answer(successAnswer('{"by":"us"}', undefined));
        return true;
      },
    },
  );
  server.on('connection', socket => taken.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients: Client[] = [];
  t.after(() => {
    for (const { socket } of clients) socket.destroy();
    server.close();
  });

  async function connected(count: number, localAddress: string): Promise<Client[]> {
    const wanted = taken.length + count;
    const some = Array.from({ length: count }, () => {
      const client: Client = {
        socket: connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }),
        received: '',
      };
      client.socket.on('error', () => {});
      client.socket.on('data', chunk => {
        client.received += chunk;
      });
      return client;
    });
    clients.push(...some);
    await until('all are connected', () => taken.length === wanted);
    return some;
  }
  return { turns, taken, connected };
}

for (const [what, bytes] of [
  ['plain requests', PLAIN],
  ["Node's requests", NODES],
  ['broken requests', BROKEN],
] as const) {
  test(`of ${what} that come on many connections at once, some are worked on in each turn`, async t => {
    const { turns, connected } = await startServer(t);
    const clients = await connected(MANY, '127.0.0.1');
    for (const { socket } of clients) socket.write(bytes);
    await until('all are answered', () => clients.every(({ received }) => received.includes('HTTP/1.1')));
    assert.equal(turns.inAll, MANY);
    assert.ok(turns.most <= MOST_A_TURN, `${turns.most} in one turn`);
  });
}

test('of connections that end at once, some are ended in each turn', async t => {
  const { turns, taken, connected } = await startServer(t);
  const clients = await connected(MANY, '127.0.0.1');
  for (const socket of taken) {
    const end = socket.end.bind(socket);
    socket.end = () => {
      turns.count();
      return end();
    };
  }
  for (const { socket } of clients) socket.end();
  await until('all are closed', () => taken.every(({ closed }) => closed));
  assert.equal(turns.inAll, MANY);
  assert.ok(turns.most <= MOST_A_TURN, `${turns.most} in one turn`);
});

test('of connections that are reset at once, some are closed in each turn', async t => {
  const { turns, taken, connected } = await startServer(t);
  const clients = await connected(MANY, '127.0.0.1');
  for (const socket of taken) socket.once('close', () => turns.count());
  for (const { socket } of clients) socket.resetAndDestroy();
  await until('all are closed', () => taken.every(({ closed }) => closed));
  assert.equal(turns.inAll, MANY);
  // Those that were closed at once, and the first of those that waited, are told of together.
  assert.ok(turns.most < 2 * MOST_A_TURN, `${turns.most} in one turn`);
});

test('whoever comes with many from another address is not behind them', async t => {
  const { turns, connected } = await startServer(t);
  const many = await connected(MANY, '127.0.0.2');
  const [quiet] = await connected(1, '127.0.0.1');
  assert.ok(quiet);
  let before = Number.POSITIVE_INFINITY;
  quiet.socket.on('data', () => {
    before = Math.min(before, turns.inAll);
  });
  for (const { socket } of many) socket.write(BROKEN);
  quiet.socket.write(PLAIN);
  await until('all are answered', () => turns.inAll === MANY + 1 && quiet.received !== '');
  assert.ok(before <= 3 * MOST_A_TURN, `${before} were answered before`);
});

test('what waits is read in its order, and the end of a connection after it', async t => {
  const { connected } = await startServer(t);
  const clients = await connected(MANY, '127.0.0.1');
  for (const { socket } of clients) socket.end(PLAIN + NODES);
  await until('all are answered', () =>
    clients.every(({ received }) => received.includes('"by":"node"}HTTP')),
  );
});

test('a connection that is gone when its turn comes is left alone', async t => {
  const { taken, connected } = await startServer(t);
  const clients = await connected(MANY, '127.0.0.1');
  for (const { socket } of clients) {
    socket.write(NODES);
    socket.resetAndDestroy();
  }
  await until('all are closed', () => taken.every(({ closed }) => closed));
  const [next] = await connected(1, '127.0.0.1');
  next?.socket.write(PLAIN);
  await until('the next one is answered', () => next?.received.includes('"by":"us"'));
});

test('a connection that waits to be closed is not read any more', async t => {
  const { taken, connected } = await startServer(t);
  const clients = await connected(MANY, '127.0.0.1');
  for (const { socket } of clients) socket.write(Buffer.alloc(1_000_000, 'x'));
  // As when something is refused on all of them: their clients still send.
  for (const socket of taken) socket.destroy();
  await until('all are closed', () => taken.every(({ closed }) => closed));
});
