/** A stop while answers are slow: those that come while it drains count. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import type { CarrierTest } from '../../src/carriers/carrier.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const MESSAGES = 20;

for (const engine of ENGINES) {
  test(`${engine}: answers of an SMSC that come during the shutdown are settled`, async t => {
    const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
    t.after(() => smsc.close());
    const carrier = `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, window: ${MESSAGES} }`;
    const path = configFile(`carriers:\n  sky: ${carrier}\nroutes:\n  - { channel: sms, via: [sky] }\n`);
    const env = { ...(await freshStore(t, engine)), BONGSU_CONFIG: path };
    const clock = new ManualClock();
    const { gateway, client } = await testAccount(t, { env, clock });
    await until('the carrier is bound', () => smsc.receiver);
    const keys: (string | undefined)[] = [];
    for (let count = 0; count < MESSAGES; count++) keys.push((await client.sms()).body.msgKey);
    await until('all are submitted', () => {
      clock.advance(50);
      return smsc.submits.length === MESSAGES;
    });
    const closing = gateway.gateway.close();
    for (const index of smsc.submits.keys()) smsc.answer(index, `id${index}`);
    await until('it is closed', async () => {
      clock.advance(100);
      return Promise.race([closing.then(() => true), new Promise(resolve => setImmediate(resolve, false))]);
    });
    const again = await testGateway(t, env, clock);
    for (const key of keys) {
      const { body } = await again.operator('GET', `/messages/${key}`);
      assert.equal(body.data.state, 'submitted');
    }
  });
}

test('a carrier closes while a request is still being worked on, and another that cannot close keeps nothing open', async t => {
  const carriers = [new ScriptedCarrier('sky'), new ScriptedCarrier('broken')];
  const { promise: tested, resolve: endTest } = Promise.withResolvers<CarrierTest>();
  const [sky, broken] = carriers;
  assert.ok(sky && broken);
  sky.test = () => tested;
  broken.close = () => Promise.reject(new Error('it cannot'));
  const path = configFile(
    'carriers:\n  sky: { kind: simulator }\n  broken: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sky, broken] }\n',
  );
  const gateway = await testGateway(t, { BONGSU_CONFIG: path }, new ManualClock(), {
    createCarrier: ({ name }) => carriers.find(carrier => carrier.name === name) ?? sky,
  });
  const { http } = gateway.gateway;
  const address = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const begun = once(http.server, 'request');
  const headers = bearer(ADMIN_TOKEN);
  const asked = fetch(`${address}/admin/v1/carriers/sky/test`, { method: 'POST', headers });
  await begun;
  const closing = gateway.gateway.close();
  await until('the carrier is closed', () => sky.isClosed);
  endTest({ isOk: true, detail: 'after all' });
  assert.equal((await asked).status, 200);
  await until('the gateway is closed', async () => {
    gateway.clock.advance(1000);
    return Promise.race([closing.then(() => true), new Promise(resolve => setImmediate(resolve, false))]);
  });
});
