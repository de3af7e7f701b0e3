/** Whoever sends many requests at once does not hold up whoever sends one. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { nextTurn } from '../../src/platform/next-turn.ts';
import { bearer } from '../harness/credentials.ts';
import { testGateway } from '../harness/gateway.ts';
import { watchConnections } from '../harness/open-connections.ts';
import { until } from '../harness/until.ts';
import { requestBytes } from './attacker.ts';

const MANY = 200;
const TRIES = process.env.BONGSU_TEST_ENGINE === 'postgres' ? 3 : 1;

/** Begins `one` after many others, and resolves to how many of them were answered before it. */
async function answeredBefore(many: () => Promise<unknown>, one: () => Promise<unknown>): Promise<number> {
  let answered = 0;
  const others = Array.from({ length: MANY }, () => many().then(() => answered++));
  await one();
  const before = answered;
  await Promise.all(others);
  return before;
}

test('a flood of one account does not delay the send of a quiet account', async t => {
  const gateway = await testGateway(t);
  const [flood, quiet] = [await gateway.account('flood'), await gateway.account('quiet')];
  // Tokens are known after their first use.
  await flood.sms();
  await quiet.sms();
  const tries: number[] = [];
  // On PostgreSQL two commits run at once: if a session is left without a processor, its sends are the last. Not each time.
  do {
    const before = await answeredBefore(
      () => flood.sms(),
      async () => assert.equal((await quiet.sms()).body.code, 'A000'),
    );
    tries.push(before);
  } while (Math.min(...tries) >= MANY / 2 && tries.length < TRIES);
  assert.ok(Math.min(...tries) < MANY / 2, `of ${MANY} were answered before: ${tries.join(', ')}`);
});

test('requests with unknown tokens from another address do not delay the send of a quiet account', async t => {
  const gateway = await testGateway(t, { BONGSU_PROXY_HOPS: '1' });
  const quiet = await gateway.account('quiet');
  let made = 0;
  const guess = () => {
    const headers = { ...bearer(String(made++)), 'x-forwarded-for': '198.51.100.7' };
    return gateway.request('POST', '/v1/send/sms', { headers, body: {} });
  };
  const before = await answeredBefore(guess, () => quiet.sms());
  assert.ok(before < MANY / 2, `${before} of ${MANY} were answered before`);
});

test('receipts of a carrier do not queue with unknown callers at its address', async t => {
  const gateway = await testGateway(t);
  const before = await answeredBefore(
    () => gateway.request('GET', '/healthz'),
    () => gateway.request('POST', '/carriers/unknown/receipts', { body: {} }),
  );
  assert.ok(before < MANY / 2, `${before} of ${MANY} were answered before`);
});

test('a single caller starts many sends in a turn', async t => {
  const gateway = await testGateway(t);
  const flood = await gateway.account('flood');
  await flood.sms();
  const accept = t.mock.method(gateway.gateway.store.messages, 'accept');
  let answered = 0;
  const all = Promise.all(Array.from({ length: MANY }, () => flood.sms().then(() => answered++)));
  const begunIn: number[] = [];
  for (let before = 0; answered < MANY; before = accept.mock.callCount()) {
    await nextTurn();
    begunIn.push(accept.mock.callCount() - before);
  }
  await all;
  assert.ok(Math.max(...begunIn) > MANY / 8, `begun in each turn: ${begunIn}`);
});

test('large bodies that become complete together do not delay the send of another account', async t => {
  const connections = watchConnections(t);
  const gateway = await testGateway(t, { BONGSU_HTTP_THREADS: '0' });
  const { port } = new URL(await gateway.gateway.listen({ host: '127.0.0.1', port: 0 }));
  const [flood, quiet] = [await gateway.account('flood'), await gateway.account('quiet')];
  const answered: string[] = [];
  const open = (name: string) => {
    const socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
    t.after(() => socket.destroy());
    socket.on('data', packet => answered.push(`${name} ${/"code":"(\w+)"/.exec(String(packet))?.[1]}`));
    return socket;
  };
  const send = (token: string, body: object) =>
    requestBytes(
      'POST',
      '/v1/send/sms',
      { ...bearer(token), 'content-type': 'application/json' },
      JSON.stringify(body),
    );
  const sms = { from: '0212345678', to: '01012345678', text: 'hello' };
  const unknown = Object.fromEntries(Array.from({ length: 1_900 }, (_, n) => [`u${n}`, 'x'.repeat(72)]));
  const large = send(flood.token, { ...sms, unknown });
  assert.ok(large.length > 148 * 1024);
  const [own, ...others] = ['quiet', ...Array<string>(100).fill('flood')].map(open);
  for (const other of others) other.write(large.subarray(0, -1));
  await until('all but the last byte is read', () => connections.bytesRead >= 100 * (large.length - 1));
  for (const other of others) other.write(large.subarray(-1));
  own?.write(send(quiet.token, sms));
  await until('all are answered', () => answered.length === 101);
  assert.ok(answered.every(answer => answer.endsWith('A000')));
  const before = answered.indexOf('quiet A000');
  assert.ok(before < 20, `${before} large ones were answered before`);
});
