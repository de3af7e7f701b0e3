/** A step is enqueued by a node that has no route for it: whoever has one sends it, and it is refused only if nobody has. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { pass } from '../harness/settled.ts';
import { until } from '../harness/until.ts';

const MESSENGER = '  - { channel: alimtalk, via: [sky] }\n';
const TEXT = '  - { channel: sms, via: [sky] }\n';
const network = (...routes: string[]) => `carriers:\n  sky: { kind: simulator }\nroutes:\n${routes.join('')}`;

/** A gateway that has lost its route for texts, and a message whose next step is one. */
async function withoutRoute(t: TestContext) {
  const sky = new ScriptedCarrier('sky');
  sky.reply = ({ message }) =>
    message.channel === 'alimtalk'
      ? { kind: 'permanent', reportCode: '60600' }
      : { kind: 'accepted', refs: ['1'] };
  const path = configFile(network(MESSENGER, TEXT));
  const env = { BONGSU_CONFIG: path, BONGSU_MODE: 'production', BONGSU_ADMIN_TOKEN: 'x'.repeat(24) };
  const { gateway, client } = await testAccount(t, { env, createCarrier: () => sky });
  const reload = (...routes: string[]) => {
    writeFileSync(path, network(...routes));
    return gateway.gateway.reload(loadConfig(env, CHANNELS));
  };
  sky.become('down');
  const alimtalk = { senderKey: 'sender', msgType: 'AT', templateCode: 'welcome', text: 'hello' };
  const body = {
    to: '01012345678',
    ...alimtalk,
    fallback: { type: 'SMS', from: '0212345678', text: 'hello' },
  };
  const answer = await client.call('POST', '/v1/send/alimtalk', body);
  assert.equal(answer.body.code, 'A000', answer.body.result);
  await reload(MESSENGER);
  sky.become('up');
  await client.reportsOf(answer.body.msgKey, 1);
  return { gateway, client, sky, reload, msgKey: answer.body.msgKey };
}

test('a step without a route is sent as soon as there is one', async t => {
  const { gateway, sky, reload } = await withoutRoute(t);
  await pass(3, gateway);
  await reload(MESSENGER, TEXT);
  sky.reply = accept;
  await pass(10, gateway);
  assert.deepEqual(
    sky.submitted.map(({ submission }) => submission.message.channel),
    ['alimtalk', 'sms'],
  );
});

test('a step for which nobody has a route is refused after the grace time', async t => {
  const { gateway, client, msgKey } = await withoutRoute(t);
  await pass(50, gateway);
  assert.equal((await client.inquire(msgKey)).length, 1);
  const records = await until('it is refused', async () => {
    gateway.clock.advance(1000);
    const found = await client.inquire(msgKey);
    return found.length === 2 && found;
  });
  assert.equal(records[1]?.reportCode, '23015');
});
