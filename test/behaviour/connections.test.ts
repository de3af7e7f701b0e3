/** Connections of a listening gateway, over real sockets: none stays for ever, and none shuts others out. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { MOST_UNANSWERED } from '../../src/http/front/connections.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { watchConnections } from '../harness/open-connections.ts';
import { until } from '../harness/until.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
const ELSEWHERE = '127.0.0.2';

/** A peer that never ends its side, as one does that wants to hold a descriptor. */
class Peer {
  readonly socket: Socket;
  answer = '';
  isClosed = false;

  constructor(port: number, localAddress: string) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, localAddress });
    this.socket.on('data', chunk => {
      this.answer += chunk.toString();
    });
    this.socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      this.socket.on(event, () => {
        this.isClosed = true;
      });
    }
  }
}

async function listening(t: TestContext, env: Record<string, string>) {
  const peers: Peer[] = [];
  // Before the gateway closes, which waits for its connections.
  t.after(() => {
    for (const { socket } of peers) socket.destroy();
  });
  const connections = watchConnections(t);
  const gateway = await testGateway(t, { ...env, BONGSU_HTTP_THREADS: '0' });
  const { port } = new URL(await gateway.gateway.listen({ host: '127.0.0.1', port: 0 }));
  async function peer(bytes = '', localAddress = '127.0.0.1'): Promise<Peer> {
    const { taken } = connections;
    const one = new Peer(Number(port), localAddress);
    peers.push(one);
    await until('it is taken in', () => connections.taken > taken);
    one.socket.write(bytes);
    return one;
  }
  return { gateway, peer, open: () => connections.open };
}

/** Sends a request on the connection and waits for its answer. */
async function isServed(peer: Peer): Promise<boolean> {
  peer.answer = '';
  peer.socket.write(HEALTH);
  await until('there is an answer or an end', () => peer.answer.includes('}') || peer.isClosed);
  return peer.answer.startsWith('HTTP/1.1 200');
}

const LATE: readonly (readonly [what: string, bytes: string])[] = [
  ['nothing', ''],
  ['half a header', 'GET /healthz HTTP/1.1\r\nhost:'],
  ['half a body', 'POST /v1/auth/token HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345'],
];
for (const [what, bytes] of LATE) {
  test(`a peer that sends ${what} within the time limit of a request is disconnected`, async t => {
    const { peer, open } = await listening(t, { BONGSU_REQUEST_TIMEOUT: '200ms' });
    const { socket } = await peer(bytes);
    await until('the descriptor is free', () => open() === 0);
    assert.equal(socket.writableEnded, false, 'the peer has not ended its side');
  });
}

test('a request that was answered early is not answered again when its rest never arrives', async t => {
  const { peer, open } = await listening(t, { BONGSU_REQUEST_TIMEOUT: '200ms' });
  const one = await peer('POST /v1/send/sms HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n12345');
  await until('the descriptor is free', () => open() === 0);
  assert.match(one.answer, /^HTTP\/1\.1 400 .*larger than 1048576 bytes"\}$/s);
});

test('a peer that stays connected after a broken request is disconnected, and can read the reason', async t => {
  const { peer, open } = await listening(t, {});
  const one = await peer('hello\r\n\r\n');
  await until('the descriptor is free', () => open() === 0);
  assert.match(one.answer, /^HTTP\/1\.1 400 .*"code":"A300"/s);
});

test('idle connections are closed for new ones, the longest idle first', async t => {
  const { gateway, peer, open } = await listening(t, { BONGSU_MAX_CONNECTIONS: '8' });
  const idle: Peer[] = [];
  for (let count = 0; count < 20; count++) idle.push(await peer());
  await until('there are no more than eight', () => open() <= 8);
  assert.equal(await isServed(await peer()), true);
  await until('the oldest are closed', () => idle.slice(0, 13).every(({ isClosed }) => isClosed));
  assert.ok(idle.slice(13).every(({ isClosed }) => !isClosed));
  assert.match(await metricsOf(gateway), /^bongsu_connections_closed_total 13$/m);
});

test('a connection in use is kept rather than a silent one', async t => {
  const { peer, open } = await listening(t, { BONGSU_MAX_CONNECTIONS: '4' });
  const used = await peer();
  await peer();
  await peer();
  assert.equal(await isServed(used), true);
  for (let count = 0; count < 3; count++) await peer();
  await until('there are no more than four', () => open() <= 4);
  assert.equal(await isServed(used), true);
});

test('connections of peers that send slowly or do not read are closed for new ones as well', async t => {
  const { peer } = await listening(t, { BONGSU_MAX_CONNECTIONS: '4' });
  const slow = 'POST /v1/auth/token HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n1';
  const first = await peer(slow);
  for (let count = 0; count < 3; count++) await peer(slow);
  assert.equal(await isServed(await peer()), true);
  await until('the first is closed', () => first.isClosed);
});

test('connections of the address with most connections are closed first', { skip: !isLinux() }, async t => {
  const { peer, open } = await listening(t, { BONGSU_MAX_CONNECTIONS: '8' });
  const quiet = await peer('', ELSEWHERE);
  for (let count = 0; count < 30; count++) await peer();
  await until('there are no more than eight', () => open() <= 8);
  assert.equal(await isServed(quiet), true, 'it is the oldest, and nobody was closed at its address');
});

test('a connection with a request in progress is never closed; if all are, the new one is refused', async t => {
  const { gateway, peer } = await listening(t, { BONGSU_MAX_CONNECTIONS: '2' });
  const { authorization } = bearer(ADMIN_TOKEN);
  const watch = `GET /admin/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;
  const watchers = [await peer(watch), await peer(watch)];
  await until('both watch', () => watchers.every(({ answer }) => answer.includes('retry: ')));
  const refused = await peer();
  await until('the new one is closed', () => refused.isClosed);
  assert.ok(watchers.every(({ isClosed }) => !isClosed));
  watchers[0]?.socket.destroy();
  await until('there is room again', async () => isServed(await peer()));
  assert.match(await metricsOf(gateway), /^bongsu_connections_closed_total [1-9]/m);
});

test('a connection may have some requests in progress, and is closed when it has more', async t => {
  const { gateway, peer, open } = await listening(t, {});
  const some = await peer(HEALTH.repeat(MOST_UNANSWERED));
  await until('all are answered', () => some.answer.split('HTTP/1.1 200').length === MOST_UNANSWERED + 1);
  assert.equal(await isServed(some), true);
  const many = await peer(HEALTH.repeat(MOST_UNANSWERED + 1));
  await until('it is closed', () => many.isClosed);
  assert.equal(open(), 1);
  assert.match(await metricsOf(gateway), /^bongsu_connections_closed_total 1$/m);
});

test('closing does not wait for an answered connection whose peer stays', async t => {
  const { gateway, peer, open } = await listening(t, {});
  const idle = await peer();
  assert.equal(await isServed(idle), true);
  const one = await peer('POST /v1/auth/token HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n');
  const closing = gateway.close();
  await until('it closes what is idle', () => idle.isClosed);
  assert.equal(open(), 1, 'what is under way is not cut off');
  one.socket.write('{}');
  await until('the answer is there', () => one.answer.includes('}'));
  await closing;
});

async function metricsOf({ gateway }: TestGateway): Promise<string> {
  return (await gateway.http.inject({ url: '/metrics' })).body;
}

/** Only Linux has more than one loopback address without being told so. */
function isLinux(): boolean {
  return process.platform === 'linux';
}
