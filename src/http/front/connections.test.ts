import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'node:test';
import { until } from '../../../test/harness/until.ts';
import { Connections, MOST_EARLY, MOST_UNANSWERED } from './connections.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  isDestroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

test('all addresses of an IPv6 /64 make room together, before anybody else does', () => {
  const connections = new Connections(4, () => {});
  const connect = (address: string) => {
    const socket = new FakeSocket(address);
    connections.add(socket as unknown as Socket);
    return socket;
  };
  const quiet = [connect('2001:db8:0:2::1'), connect('::ffff:192.0.2.1')];
  const many = Array.from({ length: 6 }, (_, index) => connect(`2001:db8:0:1::${index + 1}`));
  assert.deepEqual(
    many.map(({ isDestroyed }) => isDestroyed),
    [true, true, true, true, false, false],
  );
  assert.deepEqual(
    quiet.map(({ isDestroyed }) => isDestroyed),
    [false, false],
  );
});

test('all connections together may pipeline only a few requests, and each connection one', async t => {
  const underWay = new Set<ServerResponse>();
  let closed = 0;
  const connections = new Connections(1000, count => {
    closed += count;
  });
  const server = createServer((request, response) => {
    if (!connections.noteRequest(request, response)) return;
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  server.on('connection', (socket: Socket) => connections.add(socket));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const send = (requests: number) => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => {}).resume();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests));
    return socket;
  };
  const full = Math.floor(MOST_EARLY / (MOST_UNANSWERED - 1));
  for (let count = 0; count < full; count++) send(MOST_UNANSWERED);
  await until('all of them are taken', () => underWay.size === full * MOST_UNANSWERED);
  const next = send(MOST_UNANSWERED);
  await until('the next one is closed', () => next.destroyed && closed === 1);
  send(1);
  await until('one request is taken', () => underWay.size === full * MOST_UNANSWERED + 1);
  for (const response of underWay) response.end();
  await until('all are answered', () => underWay.size === 0);
  send(MOST_UNANSWERED);
  await until('there is room again', () => underWay.size === MOST_UNANSWERED);
});
