/** One gateway in front of another: the contract on both sides. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { PASSWORD, testGateway } from '../harness/gateway.ts';
import { heardRequests } from '../harness/heard-requests.ts';
import { image } from '../harness/images.ts';
import { configFile } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

async function twoGateways(t: TestContext) {
  const core = await testGateway(t);
  const url = await core.gateway.http.listen({ host: '127.0.0.1', port: 0 });
  const calls = heardRequests(core.gateway.http.server);
  const upstream = await core.account('edge');
  const edge = await testGateway(t, {
    BONGSU_CONFIG: configFile(
      `
carriers:
  core: { kind: omni, url: "${url}", account: edge, password: "${PASSWORD}", allowPrivate: true, timeout: 1d }
routes:
${CHANNELS.map(channel => `  - { channel: ${channel}, via: [core] }`).join('\n')}
`,
    ),
  });
  const client = await edge.account('shop');
  const recordsOf = (msgKey: string | undefined, count = 1) =>
    until(`${msgKey} has ${count} records`, async () => {
      core.clock.advance(100);
      edge.clock.advance(500);
      const records = await client.inquire(msgKey);
      return records.length >= count && records;
    });
  return { core, edge, client, upstream, calls, recordsOf };
}

test('through two gateways every message ends as the second says', async t => {
  const { core, edge, client, upstream, calls, recordsOf } = await twoGateways(t);

  await t.test('every channel, each example of the API document', async () => {
    for (const channel of CHANNELS) {
      for (const [name, example] of Object.entries<object>(SEND_EXAMPLES[channel])) {
        // Nobody has uploaded its files, or registered its template.
        if (/"fileKey"|maapfile:|"template"/.test(JSON.stringify(example))) continue;
        const { code, result, msgKey } = (await client.call('POST', `/v1/send/${channel}`, example)).body;
        assert.equal(code, 'A000', `${channel}, ${name}: ${result}`);
        const [record] = await recordsOf(msgKey);
        const isUnknown = name.startsWith('unknown subscriber');
        assert.equal(record?.reportCode, isUnknown ? '23001' : '10000', `${channel}, ${name}`);
      }
    }
  });

  await t.test('a file is uploaded to the second, and shown by it', async () => {
    const { fileKey } = await client.upload('MMS', image('jpg', 100, 100));
    const { msgKey } = (
      await client.call('POST', '/v1/send/mms', {
        from: '0212345678',
        to: '01012345678',
        text: 'look',
        fileKey: [fileKey],
      })
    ).body;
    const [record] = await recordsOf(msgKey);
    assert.deepEqual([record?.reportCode, record?.msgType], ['10000', 'MM']);
    assert.ok(calls.includes('POST /v1/file/MMS'));
  });

  await t.test('messages of one text go in one call, once the second has named each of them', async () => {
    const send = async (text: string) => {
      const to = Array.from({ length: 10 }, (_, index) => ({ to: `0105555100${index}` }));
      const body = { messageFlow: [{ sms: { from: '0212345678', text } }], destinations: to };
      const { destinations } = (await client.call('POST', '/v1/send/omni', body)).body.data;
      const codes = [];
      for (const { msgKey } of destinations) codes.push((await recordsOf(msgKey))[0]?.reportCode);
      return codes;
    };
    const codes = await send('the first text');
    const sends = () => calls.filter(call => call.startsWith('POST /v1/send/')).length;
    const before = sends();
    assert.deepEqual(await send('another text'), codes);
    assert.equal(codes[0], '10000');
    const made = sends() - before;
    assert.ok(made > 0 && made < 10, `${made} calls for 10 messages`);
  });

  await t.test('the second finds a message by the reference that the first gave it', async () => {
    const { msgKey } = (await client.sms()).body;
    await recordsOf(msgKey);
    const found = await until('it is indexed', async () => {
      core.clock.advance(1000);
      const { messages } = (await upstream.call('GET', `/v1/message/history?limit=1&ref=${msgKey}-0-1`)).body
        .data;
      return messages[0];
    });
    assert.equal(found.ref, `${msgKey}-0-1`);
  });

  await t.test('nothing is left to fetch at the second', async () => {
    await until('every batch is deleted', async () => {
      edge.clock.advance(500);
      return (await upstream.poll()).body.data.reportId === '';
    });
  });
});
