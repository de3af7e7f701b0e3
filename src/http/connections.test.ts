import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import test from 'node:test';
import { limitConnections } from './connections.ts';

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
  const server = new EventEmitter();
  limitConnections(server as Server, 4, () => {});
  const connect = (address: string) => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
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
