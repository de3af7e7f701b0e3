/** Somebody sets the clock, back or ahead: nothing stands still for it, and nothing is lost from sight. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { Network } from '../harness/network.ts';
import { acknowledge, answerWith, startReceiver } from '../harness/receiver.ts';
import { accept } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const HOUR_MS = 3_600_000;

const KEY = Buffer.alloc(32, 7).toString('base64');

for (const engine of ENGINES) {
  test(`${engine}: a webhook that failed is called again although the clock was set back`, async t => {
    const receiver = await startReceiver(t, answerWith(500));
    const env = { ...(await freshStore(t, engine)), BONGSU_SECRET_KEY: KEY, BONGSU_WEBHOOK_PRIVATE: 'allow' };
    const settings = { reportMode: 'webhook', webhookUrl: receiver.url } as const;
    const network = await Network.open(t, { env, settings });
    const sky = network.carrier('sky');
    sky.reply = accept;
    const { msgKey } = (await network.client.sms()).body;
    await until('it is submitted', () => sky.submitted.length === 1);
    await sky.receive({ attemptId: `${msgKey}-0-1`, reportCode: '10000' });
    await network.inTime('it is pushed, in vain', () => receiver.received.length === 1);
    receiver.respond = acknowledge;
    network.gateway.clock.setWallBy(-HOUR_MS);
    const setAt = network.gateway.clock.monotonic();
    await network.inTime('it is pushed again', () => receiver.received.length === 2);
    assert.ok(network.gateway.clock.monotonic() - setAt < 300_000, 'within minutes');
  });

  test(`${engine}: what waits goes out although the clock was set back an hour`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const [sky, sea] = [network.carrier('sky'), network.carrier('sea')];
    for (const carrier of [sky, sea]) carrier.become('down');
    for (let count = 0; count < 50; count++) await network.client.sms({ to: `010444400${count + 10}` });
    await network.pass(10);
    network.gateway.clock.setWallBy(-HOUR_MS);
    await network.client.sms({ to: '01044440099' });
    sky.reply = accept;
    sky.become('up');
    await network.inTime('all are submitted', () => sky.submitted.length === 51);
  });

  test(`${engine}: a retry comes in its time although the clock was set back`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    const sky = network.carrier('sky');
    await network.client.sms();
    await until('it is submitted', () => sky.submitted.length === 1);
    sky.submitted[0]?.answer({ kind: 'temporary', reportCode: '22003' });
    await until('it is put off', async () => (await network.store.queue.depth()).putOff === 1);
    network.gateway.clock.setWallBy(-HOUR_MS);
    await network.pass(5);
    await network.inTime('it is tried again', () => sky.submitted.length === 2);
    assert.ok(network.gateway.clock.monotonic() < 120_000, 'within two minutes');
  });

  test(`${engine}: messages are found by their recipient although the clock was set back`, async t => {
    const network = await Network.open(t, { env: await freshStore(t, engine) });
    await network.client.sms({ to: '01055550001' });
    await network.pass(40);
    await network.client.sms({ to: '01055550003' });
    network.gateway.clock.setWallBy(-HOUR_MS);
    await network.inTime('it was noticed', async () => {
      return !(await network.gateway.operator('GET', '/health')).body.data.clock.isTrusted;
    });
    await network.client.sms({ to: '01055550002' });
    // While it waits for the index, and when the index has passed it.
    for (const seconds of [0, 60]) {
      await network.pass(seconds);
      for (const to of ['01055550001', '01055550002', '01055550003']) {
        const { messages } = (await network.gateway.operator('GET', `/messages?to=${to}`)).body.data;
        assert.equal(messages.length, 1, `${to} after ${seconds} s`);
      }
    }
  });
}
