/** Webhook deliveries through faults of the store: what a node holds only in the store is found and sent. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { failNext, Network } from '../harness/network.ts';
import { startReceiver } from '../harness/receiver.ts';
import { accept } from '../harness/scripted-carrier.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

const FAULTS = [
  ['claim', 'before'],
  ['claim', 'after'],
  ['collect', 'after'],
  ['complete', 'before'],
  ['complete', 'after'],
] as const;

for (const engine of ENGINES) {
  for (const [method, failure] of FAULTS) {
    test(`${engine}: every record is pushed although ${method} fails ${failure}`, async t => {
      const receiver = await startReceiver(t);
      const env = {
        ...(await freshStore(t, engine)),
        BONGSU_SECRET_KEY: KEY,
        BONGSU_WEBHOOK_PRIVATE: 'allow',
      };
      const settings = { reportMode: 'webhook', webhookUrl: receiver.url } as const;
      const network = await Network.open(t, { env, settings });
      const sky = network.carrier('sky');
      sky.reply = accept;
      const faults = failNext(network.store.webhooks, method, [failure, failure]);
      const keys: string[] = [];
      for (let count = 0; count < 5; count++) keys.push(String((await network.client.sms()).body.msgKey));
      await network.inTime('all are submitted', () => sky.submitted.length === keys.length);
      for (const key of keys) await sky.receive({ attemptId: `${key}-0-1`, reportCode: '10000' });
      const pushed = () => new Set(receiver.received.map(({ record }) => record.msgKey));
      await network.inTime('all are pushed', () => pushed().size === keys.length);
      await network.inTime(
        'nothing is pending',
        async () => (await network.store.webhooks.countPending(10)) === 0,
      );
      assert.equal(faults.left, 0);
      // A record is pushed again only where nobody could know that it had been.
      if (method !== 'complete') assert.equal(receiver.received.length, keys.length);
    });
  }
}
