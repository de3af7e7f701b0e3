/** A provider that no byte reaches is not a doubt: its messages go out by the next carrier, each of them once. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { json, startProvider } from '../carriers/http/provider-server.ts';
import { selfSigned } from '../harness/certificates.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const MESSAGES = 12;

const OUT_OF_REACH: [string, string | false, (t: TestContext) => Server][] = [
  [
    'an expired certificate',
    unlessInstalled('openssl'),
    () => createHttpsServer(selfSigned(-1), (_, response) => response.end()),
  ],
  ['a reset before the handshake', false, () => createServer(socket => socket.resetAndDestroy())],
];

for (const [name, skip, makeServer] of OUT_OF_REACH) {
  test(`${name}: messages go out by the second carrier, and none is unknown`, { skip }, async t => {
    const server = makeServer(t).listen(0, '127.0.0.1');
    server.on('connection', (socket: Socket) => socket.on('error', () => {}));
    await once(server, 'listening');
    t.after(() => server.close());
    const second = await startProvider(t, (_, response) =>
      json(response, 200, { id: `p-${second.requests.length}` }),
    );
    const first = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = configFile(configOf(first, second.url));
    const { gateway, client } = await testAccount(t, { env: { BONGSU_CONFIG: path } });
    const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`);
    for (const text of texts) assert.equal((await client.sms({ text })).body.code, 'A000');
    await until('all are with the second carrier', () => {
      gateway.clock.advance(100);
      return second.requests.length >= MESSAGES;
    });
    const sent = second.requests.map(({ body }) => JSON.parse(body).text);
    assert.deepEqual(sent.sort(), texts.sort());
    const metrics = await gateway.gateway.http.inject({ url: '/metrics' });
    assert.doesNotMatch(metrics.body, /bongsu_submits_total\{[^}]*answer="unknown"\} [1-9]/);
  });
}

function configOf(first: string, second: string): string {
  const carrier = (url: string) => `
    kind: http
    allowPrivate: true
    submit: { url: ${url}/messages, json: { text: "{{text}}" } }
    channels: { sms: {} }
    outcomes: [{ status: 2xx, pointer: /id, result: accepted, id: /id }]`;
  return `
carriers:
  first:${carrier(first)}
  second:${carrier(second)}
routes:
  - { channel: sms, via: [first, second] }
`;
}
