/** A whole gateway in front of a service that speaks its own contract. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startService } from '../carriers/omni/omni-service.ts';
import { ADMIN_TOKEN } from '../harness/credentials.ts';
import { testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const CHANNELS = ['sms', 'mms', 'international', 'rcs', 'alimtalk', 'friendtalk', 'brandmessage'];

test('a gateway in front of a service: sends, reports, refusals and fallback', async t => {
  const service = await startService(t);
  service.reportsAtOnce = undefined;
  const gateway = await testGateway(t, {
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_CONFIG: configFile(
      `
carriers:
  upstream:
    kind: omni
    url: ${service.url}/
    account: shop
    password: "\${UPSTREAM_PASSWORD}"
    allowPrivate: true
    timeout: 1d
routes:
${CHANNELS.map(channel => `  - { channel: ${channel}, via: [upstream] }`).join('\n')}
`,
    ),
    UPSTREAM_PASSWORD: 'secret',
  });
  const client = await gateway.account('edge');
  const taken = (count: number) =>
    until(`${count} messages are taken`, () => {
      gateway.clock.advance(50);
      return service.taken.length >= count && service.taken[count - 1];
    });
  const recordsOf = (msgKey: string | undefined, count: number) =>
    until(`${msgKey} has ${count} records`, async () => {
      gateway.clock.advance(500);
      const records = await client.inquire(msgKey);
      return records.length >= count && records;
    });

  await t.test('the report of an SMS is theirs, and its batch is deleted when it is settled', async () => {
    const { msgKey } = (await client.sms({ ref: 'order 1' })).body;
    const sent = await taken(1);
    assert.deepEqual(sent.body, {
      to: '01012345678',
      from: '0212345678',
      text: 'hello',
      ref: `${msgKey}-0-1`,
    });
    service.report(sent, '23001', { carrier: '10002' });
    const [record] = await recordsOf(msgKey, 1);
    assert.deepEqual([record?.reportCode, record?.carrier, record?.ref], ['23001', '10002', 'order 1']);
    await until('the batch is deleted', () => service.deleted.length === 1);
    service.report(sent, '23001');
    service.report(sent, '10000');
    service.report({ msgKey: 'X1', ref: '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1' }, '10000');
    await until('duplicate, late and foreign records are deleted', () => {
      gateway.clock.advance(500);
      return service.deleted.length === 2;
    });
    assert.equal((await client.inquire(msgKey)).length, 1, 'a step ends once');
    const { text } = await gateway.operator('GET', `/messages/${msgKey}`);
    assert.match(text, /lateDelivery/);
  });

  await t.test(
    'a refusal of the service fails the step with its words in the timeline, and the flow continues',
    async () => {
      service.fault = ({ path }, response) => {
        if (path !== '/v1/send/alimtalk') return false;
        service.answer(response, 400, { code: 'A505', result: 'no template "T9" for 01012345678' });
        return true;
      };
      const { msgKey } = (
        await client.call('POST', '/v1/send/alimtalk', {
          senderKey: 'profile',
          msgType: 'AT',
          templateCode: 'T9',
          to: '01012345678',
          text: 'hello',
          fallback: { type: 'SMS', from: '0212345678', text: 'hello as a text' },
        })
      ).body;
      const sent = await taken(2);
      assert.deepEqual([sent.channel, sent.ref], ['sms', `${msgKey}-1-1`]);
      service.report(sent, '10000');
      const records = await recordsOf(msgKey, 2);
      assert.deepEqual(
        records.map(({ reportCode }) => reportCode),
        ['63015', '10000'],
      );
      const view = await gateway.operator('GET', `/messages/${msgKey}`);
      assert.match(view.text, /"why":"A505 no template \\"T9\\" for …"/);
    },
  );

  await t.test('a send without an answer is found by its reference, and is not sent again', async () => {
    service.fault = ({ path, body }, response) => {
      if (path !== '/v1/send/sms') return false;
      const { ref } = JSON.parse(body);
      service.report({ msgKey: 'M99', ref }, '10000', { carrier: '10001' });
      response.destroy();
      return true;
    };
    const before = service.at('/v1/send/sms').length;
    const { msgKey } = (await client.sms({ to: '01011112222' })).body;
    const [record] = await recordsOf(msgKey, 1);
    assert.deepEqual([record?.reportCode, record?.carrier], ['10000', '10001']);
    assert.equal(service.at('/v1/send/sms').length, before + 1);
  });
});
