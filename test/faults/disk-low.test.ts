/** A disk that is nearly full: what can wait is refused first, so that what is sent has the rest of it. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { diskReserve } from '../../src/operate/disk-watch.ts';
import { freshStore } from '../harness/engines.ts';
import { sms } from '../harness/flows.ts';
import { type Client, type TestGateway, testAccount } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { Multipart } from '../harness/multipart.ts';
import type { Env } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const TOTAL = 100_000_000_000;
const REFUSAL =
  'The disk of the gateway is nearly full: reservations and uploads are refused until its operator frees space, and sends go on';
const BODY = Multipart.ofFile(image('jpg', 640, 480, 1000));
const KEY = { 'idempotency-key': 'k1' };

/** A gateway whose disk has what the test says. */
async function withDisk(t: TestContext, env: Env) {
  const disk = { freeBytes: TOTAL, totalBytes: TOTAL, reads: 0, isBroken: false };
  const readDisk = async () => {
    disk.reads++;
    if (disk.isBroken) throw new Error('the disk does not answer');
    return { ...disk };
  };
  return { disk, ...(await testAccount(t, { env, readDisk })) };
}

async function diskIs(gateway: TestGateway, state: 'ok' | 'low'): Promise<void> {
  await until(`the disk is ${state}`, async () => {
    gateway.clock.advance(1000);
    return (await health(gateway)).disk?.state === state;
  });
}

async function health(gateway: TestGateway) {
  return (await gateway.operator('GET', '/health')).body.data;
}

function reserve(gateway: TestGateway, client: Client, headers: Record<string, string> = {}) {
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  const body = { resvSendTime, messageFlow: [sms()], destinations: [{ to: '01012345678' }] };
  return client.call('POST', '/v1/reservation', body, headers);
}

function upload(client: Client) {
  return client.call('POST', '/v1/file/MMS', BODY);
}

test('reservations and uploads are refused while the disk is nearly full, and sends are accepted', async t => {
  const { gateway, disk, client } = await withDisk(t, await freshStore(t, 'sqlite'));
  await diskIs(gateway, 'ok');
  const first = await reserve(gateway, client, KEY);
  const { resvKey } = first.body.data;
  disk.freeBytes = 4_999_999_999;
  await diskIs(gateway, 'low');
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  const url = `/v1/reservation/resvKey/${resvKey}/destinations`;
  const reads = disk.reads;
  for (const refused of [
    await reserve(gateway, client),
    await client.sms({ resvSendTime }),
    await client.call('POST', url, { destinations: [{ to: '01012345679' }] }),
    await upload(client),
  ]) {
    assert.deepEqual(refused.refusal, [503, 'A920', REFUSAL]);
    assert.equal(refused.headers['retry-after'], '60');
  }
  assert.equal(disk.reads, reads, 'no request reads the disk');
  assert.equal((await client.sms()).body.code, 'A000');
  assert.equal((await gateway.request('GET', '/readyz')).status, 200);
  const { text } = await gateway.request('GET', '/metrics');
  assert.match(text, /^bongsu_disk_free_bytes\{disk="data"\} 4999999999$/m);
  assert.match(text, /^bongsu_disk_reserve_bytes\{disk="data"\} 5000000000$/m);
  assert.match((await health(gateway)).disk.advice, /^Free space or enlarge the disk/);
  assert.equal((await client.call('POST', `/v1/reservation/resvKey/${resvKey}/cancel`)).body.code, 'A000');

  disk.isBroken = true;
  await until('a read has failed', () => {
    gateway.clock.advance(1000);
    return disk.reads > reads;
  });
  assert.equal((await upload(client)).body.code, 'A920', 'what was known stays');
  Object.assign(disk, { freeBytes: 5_000_000_000, isBroken: false });
  await diskIs(gateway, 'ok');
  assert.equal((await upload(client)).body.code, 'A000');
  assert.equal((await reserve(gateway, client)).body.code, 'A000');
});

test('beside PostgreSQL a full data directory refuses only what is kept in it', async t => {
  const store = await freshStore(t, 'postgres');
  const { gateway, disk, client } = await withDisk(t, { ...store, BONGSU_FILES: 'directory' });
  disk.freeBytes = 0;
  await diskIs(gateway, 'low');
  assert.equal((await upload(client)).body.code, 'A920');
  assert.equal((await reserve(gateway, client)).body.code, 'A000');
});

test('the reserve is a share of a small disk, bounded on a large one, and can be set or turned off', () => {
  assert.equal(diskReserve(undefined, 1_000_000_000), 50_000_000);
  assert.equal(diskReserve(undefined, 4_000_000_000_000), 5_000_000_000);
  assert.equal(diskReserve(1_000_000, 4_000_000_000_000), 1_000_000);
  assert.equal(diskReserve(0, 1_000_000_000), 0);
});
