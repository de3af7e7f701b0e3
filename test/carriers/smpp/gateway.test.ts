/** The whole way: a send over HTTP, an SMSC, its receipt, the report. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { sms } from '../../harness/flows.ts';
import { testAccount } from '../../harness/gateway.ts';
import { configFile } from '../../harness/scratch.ts';
import { type Behaviour, Smsc } from '../../harness/smsc/smsc.ts';
import { until } from '../../harness/until.ts';

async function scene(t: TestContext, behaviour: Behaviour = {}) {
  const smsc = await Smsc.listen(behaviour);
  t.after(() => smsc.close());
  const path = configFile(
    [
      'carriers:',
      `  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: "\${SKY_PASSWORD}" }`,
      'routes:',
      '  - { channel: international, via: [sky] }',
      '  - { channel: sms, via: [sky] }',
    ].join('\n'),
  );
  const { client } = await testAccount(t, { env: { BONGSU_CONFIG: path, SKY_PASSWORD: 'secret' } });
  await until('the carrier is bound', () => smsc.receiver);
  return { smsc, client };
}

test('an international message goes out over SMPP and its receipt becomes the report', async t => {
  const { smsc, client } = await scene(t);
  const text = '안녕하세요. '.repeat(15);
  const { body } = await client.international({ text });
  const [report] = await client.reportsOf(body.msgKey);
  assert.equal(report?.reportCode, '10000');
  assert.deepEqual(smsc.texts, [text]);
  assert.equal(smsc.binds[0]?.password, 'secret');
});

test('a permanent refusal of the SMSC is reported with its reason', async t => {
  const { client } = await scene(t, {
    submit: () => ({ kind: 'refuse', status: STATUS.invalidDestination }),
  });
  const { body } = await client.international();
  const [report] = await client.reportsOf(body.msgKey);
  assert.equal(report?.reportCode, '23003');
});

test('the ttl of an SMS is the validity period of its submit', async t => {
  const { smsc, client } = await scene(t);
  const send = async (fields: object) => {
    const { body } = await client.call('POST', '/v1/send/omni', {
      destinations: [{ to: '01012345678' }],
      messageFlow: [sms(fields)],
    });
    await client.reportsOf(body.data.destinations[0].msgKey);
  };
  await send({ ttl: '90' });
  await send({});
  assert.deepEqual(
    smsc.submits.map(({ validity }) => validity),
    ['000000000130000R', ''],
  );
});
