/** What the keys of bongsu.yaml make of a carrier, and what is wrong with some of them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { ATTEMPT, basicKeys, carrierOf, makeCarrier, submission, submitOne } from './carrier-under-test.ts';
import { json, startProvider } from './provider-server.ts';

test('a channel says what differs from the others', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 1 }));
  const { carrier } = await makeCarrier(t, {
    ...basicKeys(provider.url),
    submit: { url: `${provider.url}/messages`, headers: { 'x-key': 'k' }, json: { text: '{{text}}' } },
    channels: {
      sms: null,
      mms: { form: { subject: '{{title?}}', body: '{{text}}' }, headers: { 'x-kind': 'mms' } },
      alimtalk: {
        method: 'PUT',
        url: `${provider.url}/talk/{{from}}/{{attemptId}}`,
        json: { at: '{{time.compact}}', buttons: '{{message.attachment.button}}' },
      },
    },
  });
  assert.deepEqual(carrier.capabilities.channels, ['sms', 'mms', 'alimtalk']);
  const messages = [
    {},
    { channel: 'mms', title: 'T' },
    { channel: 'alimtalk', senderKey: 'key 1', attachment: { button: [{ name: 'Go' }] }, from: undefined },
  ] as Partial<Step>[];
  for (const message of messages) {
    assert.equal((await submitOne(carrier, submission(message))).kind, 'accepted');
  }
  assert.deepEqual(
    provider.requests.map(({ method, path, body, headers }) => [method, path, body, headers['x-kind']]),
    [
      ['POST', '/messages', '{"text":"hello"}', undefined],
      ['POST', '/messages', 'subject=T&body=hello', 'mms'],
      ['PUT', `/talk/key%201/${ATTEMPT}`, '{"at":"20260105120000","buttons":[{"name":"Go"}]}', undefined],
    ],
  );
  assert.ok(provider.requests.every(({ headers }) => headers['x-key'] === 'k'));
  const refused = await submitOne(carrier, submission({ channel: 'rcs' } as Partial<Step>));
  assert.deepEqual(
    refused,
    { kind: 'permanent', reportCode: '33015', isUnasked: true },
    'a channel that it does not carry',
  );
});

test('limits and promises are capabilities', async t => {
  const keys = { ...basicKeys('https://a.example'), window: 7, rate: 30, repeatable: true };
  const { carrier } = await makeCarrier(t, keys);
  const { window, rate, media, repeatableForMs } = carrier.capabilities;
  assert.deepEqual([window, rate, media, repeatableForMs], [7, 30, false, 24 * 3_600_000]);
  assert.deepEqual([carrier.kind, carrier.partsOf(submission().message)], ['http', 1]);
});

const BASE = basicKeys('https://a.example');
const WRONG: [string, object, string][] = [
  ['no channel', { channels: {} }, 'carriers.acme.channels: expected at least one channel'],
  [
    'a channel that is none',
    { channels: { sms: {}, fax: {} } },
    'carriers.acme.channels: "fax" is no channel; expected sms, mms, international, rcs, alimtalk, friendtalk, brandmessage',
  ],
  [
    'a promise to repeat without a key',
    { repeatable: true, submit: { url: 'https://a.example', json: {} } },
    'carriers.acme.repeatable: needs idempotencyHeader, or {{attemptId}} in the submit',
  ],
  [
    'a callback address without a secret',
    { submit: { url: 'https://a.example', json: ['{{callbackUrl}}'] } },
    'carriers.acme.callback.urlSecret: missing; {{callbackUrl}} needs it',
  ],
  [
    'callbacks that nobody can read',
    { callback: { addresses: ['192.0.2.1'] } },
    'carriers.acme.callback: needs receipt, which says how to read one',
  ],
  [
    'receipts that never deliver',
    { receipt: { status: '/s', statuses: { OK: 'deliverd' } } },
    'carriers.acme.receipt.statuses.OK: expected a code of docs/report-codes.md that is a failure',
  ],
  [
    'a code that does not exist',
    { reportCodes: { X: '77777' } },
    'carriers.acme.reportCodes.X: expected a code of docs/report-codes.md that is a failure',
  ],
];

for (const [name, keys, problem] of WRONG) {
  test(`tells of ${name}`, () => {
    const problems = carrierOf({ ...BASE, ...keys });
    assert.ok(Array.isArray(problems));
    assert.equal(problems[0], problem);
  });
}
