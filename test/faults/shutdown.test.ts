/** A stop while answers are slow: those that come while it drains count. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { ADMIN_TOKEN, testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const MESSAGES = 20;

for (const engine of ENGINES) {
  test(`${engine}: answers of an SMSC that come during the shutdown are settled`, async t => {
    const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
    t.after(() => smsc.close());
    const carrier = `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu }`;
    const path = configFile(`carriers:\n  sky: ${carrier}\nroutes:\n  - { channel: sms, via: [sky] }\n`);
    const env = { ...(await freshStore(t, engine)), BONGSU_CONFIG: path };
    const clock = new ManualClock();
    const gateway = await testGateway(t, env, clock);
    await until('the carrier is bound', () => smsc.receiver);
    const client = await gateway.account('shop');
    const keys: (string | undefined)[] = [];
    for (let count = 0; count < MESSAGES; count++) keys.push((await client.sms()).body.msgKey);
    await until('all are submitted', () => {
      clock.advance(50);
      return smsc.submits.length === MESSAGES;
    });
    const closing = gateway.gateway.close();
    const [session] = smsc.sessions;
    for (const { sequence } of smsc.submits) {
      session?.send({
        command: 'submitSmResp',
        status: STATUS.ok,
        sequence,
        messageId: `${sequence}`,
        tlvs: [],
      });
    }
    await until('it is closed', async () => {
      clock.advance(100);
      return Promise.race([closing.then(() => true), new Promise(resolve => setImmediate(resolve, false))]);
    });
    const again = await testGateway(t, env, clock);
    for (const key of keys) {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const { body } = await again.request('GET', `/admin/v1/messages/${key}`, { headers });
      assert.equal(body.data.state, 'submitted');
    }
  });
}
