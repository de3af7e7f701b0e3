/** While a carrier closes it may still hear an answer that it had given up: the node does not end before that is settled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { CarrierHost } from '../../src/carriers/carrier.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { freshStore } from '../harness/engines.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

/** Gives every submit up at once, and hears of the first while it closes. */
class SlowToClose extends ScriptedCarrier {
  isClosing = false;
  #slowHost: CarrierHost | undefined;
  readonly #mayClose = Promise.withResolvers<void>();

  constructor(name: string) {
    super(name);
    this.reply = () => ({ kind: 'unknown' });
  }

  override async start(host: CarrierHost): Promise<void> {
    this.#slowHost = host;
    await super.start(host);
  }

  override async close(): Promise<void> {
    this.isClosing = true;
    await this.#mayClose.promise;
    const [first] = this.submitted;
    if (first) this.#slowHost?.answeredLate(first.submission.attemptId, { kind: 'accepted', refs: ['R1'] });
    await super.close();
  }

  letClose(): void {
    this.#mayClose.resolve();
  }
}

test('settles what a carrier hears while it closes', async t => {
  const carrier = new SlowToClose('simulator');
  const env = await freshStore(t);
  const clock = new ManualClock();
  const { gateway: first, client } = await testAccount(t, { env, clock, createCarrier: () => carrier });
  const { msgKey } = (await client.sms()).body;
  const { store } = first.gateway;
  await until('it is in doubt', async () => (await store.queue.peek(1))[0]?.state === 'unknown');
  const closing = first.gateway.close();
  await until('the carrier closes', () => carrier.isClosing);
  for (let turns = 0; turns < 10; turns++) await turn();
  carrier.letClose();
  await closing;
  const second = await testGateway(t, env, clock, {
    createCarrier: () => new ScriptedCarrier('simulator'),
  });
  const [view] = await second.gateway.store.queue.peek(1);
  assert.deepEqual([view?.msgKey, view?.state], [msgKey, 'submitted']);
});
