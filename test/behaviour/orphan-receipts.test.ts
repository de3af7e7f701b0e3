/** A receipt whose reference nobody knows, because the answer that named it was lost. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Network } from '../harness/network.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

interface View {
  readonly state: string;
  readonly timeline: readonly { readonly event: string }[];
}

/** A message in doubt, and a receipt for its sender and recipient under a reference that no answer named. */
async function orphan(t: TestContext) {
  const sky = new ScriptedCarrier('sky');
  sky.reply = () => ({ kind: 'unknown' });
  const network = await Network.open(t, { carriers: [sky, new ScriptedCarrier('sea')] });
  const { clock } = network.gateway;
  const send = async () => {
    const msgKey = (await network.client.sms()).body.msgKey ?? '';
    await until('it is unknown', async () => (await network.message(msgKey)).state === 'unknown');
    return msgKey;
  };
  const receive = async () => {
    clock.advance(1000);
    await sky.receive({
      ...{ ref: 'nobody-named-it', from: '0212345678', to: '01012345678' },
      ...{ reportCode: '10000', at: clock.now() },
    });
  };
  const stateInTime = (isSo: (view: View) => boolean, msgKey: string) =>
    network.inTime('it was looked at', async () => {
      const view = await network.message(msgKey);
      return isSo(view) && view.state;
    });
  return { network, clock, send, receive, stateInTime };
}

test('an orphan receipt settles the only message that it can be about', async t => {
  const { send, receive, stateInTime } = await orphan(t);
  const msgKey = await send();
  await receive();
  assert.equal(await stateInTime(({ state }) => state !== 'unknown', msgKey), 'delivered');
});

test('after a restore an orphan receipt settles nothing while it may be about a message that the restore lost', async t => {
  const { network, clock, send, receive, stateInTime } = await orphan(t);
  const now = clock.now();
  await network.store.upkeep.holdBack({ since: now, now });
  const msgKey = await send();
  await receive();
  const isNoted = ({ timeline }: View) => timeline.some(({ event }) => event === 'receiptAmbiguous');
  assert.equal(await stateInTime(isNoted, msgKey), 'unknown');
});

test('four days after a restore an orphan receipt settles a message again', async t => {
  const { network, clock, send, receive, stateInTime } = await orphan(t);
  const now = clock.now() - 4 * 86_400_000;
  await network.store.upkeep.holdBack({ since: now, now });
  const msgKey = await send();
  await receive();
  assert.equal(await stateInTime(({ state }) => state !== 'unknown', msgKey), 'delivered');
});
