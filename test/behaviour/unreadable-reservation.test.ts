/** Reservations with a row that cannot be read: nothing of them is lost, and an operator can decide. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { MsgKey } from '../../src/domain/ids.ts';
import { CANCELLED } from '../../src/domain/reports/report-codes.ts';
import { freshStore } from '../harness/engines.ts';
import { sms } from '../harness/flows.ts';
import { type TestGateway, testAccount } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { sweepAll } from '../store/contract/store-under-test.ts';
import { changeRows } from './stored-rows.ts';

const HOUR = 3_600_000;
const KOREA = 9 * HOUR;
const TURNS = 20;

async function scene(t: TestContext) {
  const env = await freshStore(t);
  const { gateway, client } = await testAccount(t, { env });
  const at = new Date(gateway.clock.now() + HOUR + KOREA).toISOString();
  const reserved = await client.call('POST', '/v1/reservation', {
    resvSendTime: at.slice(0, 19).replace('T', ' '),
    messageFlow: [sms()],
    destinations: [{ to: '01012345678' }],
  });
  assert.equal(reserved.body.code, 'A000', reserved.text);
  const { resvKey, destinations } = reserved.body.data;
  const one = `/v1/reservation/resvKey/${resvKey}`;
  return {
    ...{ gateway, client, msgKey: String(destinations[0].msgKey) },
    damage: (statement: string) => changeRows(env, statement),
    addRecipient: (to: string) => client.call('POST', `${one}/destinations`, { destinations: [{ to }] }),
    shown: async () => (await client.call('GET', one)).body.data,
    async operator(method: 'GET' | 'POST', path = '') {
      const answer = await gateway.operator(method, `/reservations/${resvKey}${path}`);
      return [answer.status, JSON.parse(answer.text).data?.status];
    },
  };
}

/** The releaser has looked several times. */
async function turns({ clock }: TestGateway): Promise<void> {
  let count = 0;
  await until('the releaser has had its turns', () => {
    clock.advance(500);
    return ++count === TURNS;
  });
}

test('a reservation stays in progress while one of its lists cannot be read, and is sent when it was mended', async t => {
  const { gateway, damage, addRecipient, shown, operator } = await scene(t);
  assert.equal((await addRecipient('01020001000')).body.code, 'A000');
  const first = '(SELECT min(request_id) FROM reservation_list)';
  await damage(`UPDATE reservation_list SET recipients = '{' || recipients WHERE request_id = ${first}`);
  gateway.clock.advance(HOUR);
  await until('the other list is sent', async () => {
    gateway.clock.advance(250);
    return (await shown()).sentCnt === 1;
  });
  await turns(gateway);
  assert.deepEqual(await operator('GET'), [200, 'PROCESSING']);
  const none = { now: gateway.clock.now(), haltedBefore: 0, textsBefore: 0, before: 0 };
  await sweepAll(gateway.gateway.store.reservations.sweeps(none));
  await damage(`UPDATE reservation_list SET recipients = substr(recipients, 2) WHERE request_id = ${first}`);
  await until('all is sent', async () => {
    gateway.clock.advance(500);
    return (await shown()).status === 'COMPLETED';
  });
  assert.equal((await shown()).sentCnt, 2);
});

test('an operator stops and cancels a reservation whose text cannot be read', async t => {
  const { gateway, damage, shown, operator, addRecipient } = await scene(t);
  await damage(`UPDATE reservation SET source = '{' || source`);
  assert.equal((await addRecipient('01020001000')).body.code, 'A824');
  gateway.clock.advance(HOUR);
  await turns(gateway);
  assert.deepEqual(await operator('GET'), [200, 'PROCESSING']);
  assert.deepEqual(await operator('POST', '/stop'), [200, 'STOPPED']);
  assert.deepEqual(await operator('POST', '/cancel'), [200, 'CANCELLED']);
  assert.equal((await shown()).status, 'CANCELLED');
});

test('a message that cannot be read is answered as cancelled only if it was', async t => {
  const { gateway, client, damage, shown, msgKey } = await scene(t);
  await gateway.holdQueue();
  gateway.clock.advance(HOUR);
  await until('it is in the queue', async () => {
    gateway.clock.advance(250);
    return (await shown()).sentCnt === 1;
  });
  await damage(`UPDATE request SET flow = '{' || flow`);
  const answer = await client.call('POST', `/v1/message/${msgKey}/cancel`);
  // SQLite has the step in memory, and ends it.
  const { messages } = await gateway.gateway.store.search.find({ key: msgKey as MsgKey, limit: 1 });
  assert.equal(answer.body.code, messages[0]?.code === CANCELLED ? 'A000' : 'A825');
});
