/** Spans of OpenTelemetry, as whoever loads an SDK gets them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu, newClient, startServer } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

interface SpanLine {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failure?: string;
}

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test('a message has spans in the trace of its client, from the send to the webhook', async t => {
  const file = join(scratchDirectory(), 'spans');
  writeFileSync(file, '');
  const receiver = await startReceiver(t);
  const server = await startServer(t, {
    NODE_OPTIONS: `--import ${new URL('spans.ts', import.meta.url).href}`,
    BONGSU_TEST_SPANS: file,
    BONGSU_WEBHOOK_PRIVATE: 'allow',
  });
  const env = await newClient(server, 'shop');
  const webhook = ['account', 'set', 'shop', '--report-mode', 'webhook', '--webhook-url', receiver.url];
  const set = await bongsu(webhook, {
    BONGSU_DATA_DIR: server.dataDir,
    BONGSU_WEBHOOK_PRIVATE: 'allow',
  });
  assert.equal(set.code, 0, set.stderr);

  const credentials = { 'x-svc-client-id': 'shop', 'x-svc-client-passwd': env.BONGSU_CLIENT_PASSWORD };
  const login = await fetch(`${server.url}/v1/auth/token`, { method: 'POST', headers: credentials });
  const { token } = ((await login.json()) as { data: { token: string } }).data;
  const answer = await fetch(`${server.url}/v1/send/sms`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE_ID}-${PARENT}-01`,
    },
    body: JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello' }),
  });
  const { msgKey } = (await answer.json()) as { msgKey: string };
  await receiver.allArrived([msgKey]);

  const spans = await until('the webhook has its span', () => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const all = lines.map(line => JSON.parse(line) as SpanLine);
    return all.some(({ name }) => name === 'webhook') && all;
  });
  const [accept] = spans;
  assert.deepEqual(
    spans.map(({ name, traceId, parent, failure }) => ({ name, traceId, parent, failure })),
    [
      { name: 'accept', traceId: TRACE_ID, parent: PARENT, failure: undefined },
      { name: 'submit', traceId: TRACE_ID, parent: accept?.spanId, failure: undefined },
      { name: 'webhook', traceId: TRACE_ID, parent: accept?.spanId, failure: undefined },
    ],
  );
  for (const { attributes } of spans) assert.equal(attributes['bongsu.msg_key'], msgKey);
  assert.equal(spans[1]?.attributes['bongsu.carrier'], 'simulator');
  const [call] = receiver.received;
  assert.equal(call?.headers.traceparent, `00-${TRACE_ID}-${spans[2]?.spanId}-01`);
  assert.doesNotMatch(readFileSync(file, 'utf8'), /12345678|hello/);
});
