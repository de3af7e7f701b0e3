/** The trace of a client goes with a message: to its carrier, and to the webhook of its reports. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { json, startProvider } from '../carriers/http/provider-server.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { sms } from '../harness/flows.ts';
import { testAccount } from '../harness/gateway.ts';
import { startReceiver } from '../harness/receiver.ts';
import { configFile } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

type Headers = Readonly<Record<string, string>>;

const HOUR = 3_600_000;
const traceOf = (index: number) => `00-4bf92f3577b34da6a3ce929d0e0e473${index}-00f067aa0ba902b7-01`;

/** A provider that refuses what it gets, and an account whose reports are pushed. */
async function traced(t: TestContext) {
  const provider = await startProvider(t, (_, response) => json(response, 400, {}));
  const receiver = await startReceiver(t);
  const config = configFile(`
carriers:
  acme:
    kind: http
    allowPrivate: true
    submit: { url: "${provider.url}/messages", json: { to: "{{to}}" } }
    channels: { sms: {} }
    outcomes: [{ status: 400, result: permanent, reportCode: 23014 }]
routes: [{ channel: sms, via: [acme] }]
`);
  const { gateway, client } = await testAccount(t, {
    env: { BONGSU_CONFIG: config, BONGSU_WEBHOOK_PRIVATE: 'allow', BONGSU_TOKEN_LIFETIME: '90d' },
    settings: { reportMode: 'webhook', webhookUrl: receiver.url },
  });
  /** What the provider and the receiver were told of the message to this number. */
  const tracesOf = async (to: string) => {
    const { sent, pushed } = await until(`${to} has ended`, () => {
      gateway.clock.advance(250);
      const sent = provider.requests.find(({ body }) => JSON.parse(body).to === to);
      const pushed = receiver.received.find(({ record }) => record.ref === to);
      return sent && pushed && { sent, pushed };
    });
    return [sent.headers.traceparent, pushed.headers.traceparent];
  };
  return { gateway, client, tracesOf };
}

test('each way to send keeps the trace of its request', async t => {
  const { gateway, client, tracesOf } = await traced(t);
  const resvSendTime = new Date(gateway.clock.now() + 10 * HOUR).toISOString().slice(0, 19).replace('T', ' ');
  const text = { from: '0212345678', text: 'hello' };
  const omni = (to: string) => ({ ref: to, messageFlow: [sms()], destinations: [{ to }] });
  const WAYS = [
    (to: string, headers: Headers) => client.call('POST', '/v1/send/sms', { ...text, to, ref: to }, headers),
    (to: string, headers: Headers) => client.call('POST', '/v1/send/omni', omni(to), headers),
    (to: string, headers: Headers) =>
      gateway.operator(
        'POST',
        `/accounts/${client.id}/send/sms`,
        { ...text, to, ref: to },
        { ...bearer(ADMIN_TOKEN), ...headers },
      ),
    (to: string, headers: Headers) =>
      client.call('POST', '/v1/send/sms', { ...text, to, ref: to, resvSendTime }, headers),
    (to: string, headers: Headers) =>
      client.call('POST', '/v1/reservation', { ...omni(to), resvSendTime }, headers),
  ];
  for (const [index, send] of WAYS.entries()) {
    const answer = await send(`0101234567${index}`, { traceparent: traceOf(index) });
    assert.equal(answer.body.code, 'A000', answer.text);
  }
  gateway.clock.advance(2 * HOUR);
  for (const [index] of WAYS.entries()) {
    assert.deepEqual(await tracesOf(`0101234567${index}`), [traceOf(index), traceOf(index)], String(index));
  }
});

test('a message without a trace, or with one that is not valid, has none', async t => {
  const { client, tracesOf } = await traced(t);
  await client.sms({ to: '01012345670', ref: '01012345670' });
  await client.sms(
    { to: '01012345671', ref: '01012345671' },
    { traceparent: `${traceOf(1)}, ${traceOf(2)}` },
  );
  assert.deepEqual(await tracesOf('01012345670'), [undefined, undefined]);
  assert.deepEqual(await tracesOf('01012345671'), [undefined, undefined]);
});
