import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import test from 'node:test';
import { ManualClock } from '../platform/clock.ts';
import { noPieces, PieceRests } from './piece-rests.ts';

class Reading extends Socket {
  isRead = true;
  readonly _handle = {
    readStart: () => this.#set(true),
    readStop: () => this.#set(false),
    close: () => {},
  };

  #set(isRead: boolean): number {
    this.isRead = isRead;
    return 0;
  }
}

function setUp() {
  const clock = new ManualClock();
  const rests = new PieceRests(clock);
  const socket = new Reading();
  const pieces = noPieces();
  const piece = (bytes = 1) => rests.note(pieces, socket, bytes);
  return { clock, rests, socket, pieces, piece };
}

test('a request in three pieces is read without a rest, however slowly they come', () => {
  const { clock, socket, piece } = setUp();
  for (let count = 0; count < 3; count++) {
    piece();
    clock.advance(5_000);
    assert.ok(socket.isRead);
  }
});

test('after the fourth piece there is a rest as long as the request has taken', () => {
  const { clock, socket, piece } = setUp();
  for (let count = 0; count < 4; count++) {
    piece();
    if (count < 3) clock.advance(100);
  }
  assert.ok(!socket.isRead);
  clock.advance(300);
  assert.ok(!socket.isRead);
  clock.advance(16);
  assert.ok(socket.isRead);
});

test('pieces that come together make a rest of milliseconds, and no rest is longer than two seconds', () => {
  const { clock, socket, piece } = setUp();
  for (let count = 0; count < 10; count++) piece();
  clock.advance(16);
  assert.ok(socket.isRead);
  clock.advance(60_000);
  piece();
  assert.ok(!socket.isRead);
  clock.advance(2_016);
  assert.ok(socket.isRead);
});

test('large pieces are a body on its way', () => {
  const { clock, socket, piece } = setUp();
  for (let count = 0; count < 100; count++) {
    piece(257);
    clock.advance(1_000);
    assert.ok(socket.isRead);
  }
});

test('whoever has an answer is read at once, and its next request begins anew', () => {
  const { clock, rests, socket, pieces, piece } = setUp();
  for (let count = 0; count < 4; count++) {
    piece();
    clock.advance(100);
  }
  piece();
  assert.ok(!socket.isRead);
  rests.end(pieces, socket);
  assert.ok(socket.isRead);
  for (let count = 0; count < 3; count++) piece();
  assert.ok(socket.isRead);
});

test('a socket that was closed meanwhile is not read again', () => {
  const { clock, socket, piece } = setUp();
  for (let count = 0; count < 4; count++) {
    piece();
    clock.advance(100);
  }
  piece();
  socket.destroy();
  clock.advance(2_016);
  assert.ok(!socket.isRead);
});

test('pieces that come while it rests, such as those of one packet of TLS, make no rests of their own', () => {
  const { clock, rests, socket, piece } = setUp();
  for (let count = 0; count < 1000; count++) piece();
  const other = { socket: new Reading(), pieces: noPieces() };
  for (let count = 0; count < 4; count++) rests.note(other.pieces, other.socket, 1);
  clock.advance(16);
  assert.ok(socket.isRead && other.socket.isRead);
});

test('of many whose rest ends together a few are read in a turn', () => {
  const clock = new ManualClock();
  const rests = new PieceRests(clock);
  const sockets = Array.from({ length: 100 }, () => ({ socket: new Reading(), pieces: noPieces() }));
  for (let count = 0; count < 4; count++) {
    for (const { socket, pieces } of sockets) rests.note(pieces, socket, 1);
  }
  const readNow = () => sockets.filter(({ socket }) => socket.isRead).length;
  const read = Array.from({ length: 4 }, () => {
    clock.advance(16);
    return readNow();
  });
  assert.deepEqual(read, [32, 64, 96, 100]);
});
