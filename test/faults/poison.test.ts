/** Text that a provider writes and a store cannot keep: it must hold up neither itself nor what comes with it. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import test, { type TestContext } from 'node:test';
import { json, type ProviderRequest, startProvider } from '../carriers/http/provider-server.ts';
import { ENGINES, type Engine, freshStore } from '../harness/engines.ts';
import { testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const BATCH = 12;
const POISONED = 'message 5';

/** A provider that answers when it has the whole batch, all at once; `idOf` names a message. */
async function scene(t: TestContext, engine: Engine, idOf: (text: string) => string) {
  const waiting: { readonly text: string; readonly response: ServerResponse }[] = [];
  const provider = await startProvider(t, (request: ProviderRequest, response) => {
    waiting.push({ text: JSON.parse(request.body).text, response });
    if (waiting.length < BATCH) return;
    for (const { text, response } of waiting.splice(0)) json(response, 200, { id: idOf(text) });
  });
  const path = configFile(configOf(provider.url));
  const { gateway, client } = await testAccount(t, {
    env: { BONGSU_CONFIG: path, ...(await freshStore(t, engine)) },
  });
  const keys = new Map<string, string | undefined>();
  for (let index = 0; index < BATCH; index++) {
    const text = `message ${index}`;
    keys.set(text, (await client.sms({ text })).body.msgKey);
  }
  await until('all are submitted', () => {
    gateway.clock.advance(100);
    return provider.requests.length >= BATCH;
  });
  const tell = async (receipt: Readonly<Record<string, string>>) => {
    const { statusCode } = await gateway.gateway.http.inject({
      method: 'POST',
      url: '/carriers/acme/receipts',
      headers: { 'x-token': 'a-token-of-the-provider', 'content-type': 'application/json' },
      payload: JSON.stringify({ state: 'done', ...receipt }),
    });
    return statusCode;
  };
  const codeOf = async (text: string) => (await client.reportsOf(keys.get(text)))[0]?.reportCode;
  return { gateway, provider, keys, tell, codeOf };
}

for (const engine of ENGINES) {
  test(`${engine}: one id with a NUL in a batch of answers, and its receipt`, async t => {
    const idOf = (text: string) => (text === POISONED ? `id\0of\x01 ${text}` : `id of ${text}`);
    const { keys, tell, codeOf } = await scene(t, engine, idOf);
    for (const text of keys.keys()) assert.equal(await tell({ id: idOf(text) }), 200);
    for (const text of keys.keys()) assert.equal(await codeOf(text), '10000', text);
  });

  test(`${engine}: an id of nothing but NULs leaves its own message in doubt, and no other`, async t => {
    const idOf = (text: string) => (text === POISONED ? '\0\0' : `id of ${text}`);
    const { gateway, provider, keys, tell, codeOf } = await scene(t, engine, idOf);
    keys.delete(POISONED);
    for (const text of keys.keys()) assert.equal(await tell({ id: idOf(text) }), 200);
    for (const text of keys.keys()) assert.equal(await codeOf(text), '10000', text);
    const metrics = await gateway.gateway.http.inject({ url: '/metrics' });
    assert.match(metrics.body, /bongsu_submits_total\{carrier="acme",answer="unknown"\} 1\n/);
    assert.equal(provider.requests.length, BATCH, 'and it is not sent again');
  });

  test(`${engine}: a callback with NULs and halves of characters is taken`, async t => {
    const { keys, tell, codeOf } = await scene(t, engine, text => `id of ${text}`);
    const poison = {
      to: '0101234\x005678',
      from: '\0\ud800',
      network: 'S\0K',
      userType: 'F\x7f',
      code: '\0',
    };
    assert.equal(await tell({ id: 'nobody\0knows', ...poison }), 200);
    for (const text of keys.keys()) assert.equal(await tell({ id: `id of ${text}`, ...poison }), 200);
    for (const text of keys.keys()) assert.equal(await codeOf(text), '10000', text);
  });
}

function configOf(url: string): string {
  return `
carriers:
  acme:
    kind: http
    allowPrivate: true
    submit: { url: ${url}/messages, json: { text: "{{text}}" } }
    channels: { sms: {} }
    outcomes: [{ status: 2xx, result: accepted, id: /id }]
    receipt:
      id: /id
      status: /state
      code: /code
      network: /network
      userType: /userType
      to: /to
      from: /from
      statuses: { done: delivered }
    callback: { token: { header: x-token, value: a-token-of-the-provider } }
routes:
  - { channel: sms, via: [acme] }
`;
}
