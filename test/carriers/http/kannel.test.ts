/** Against Kannel, a provider that somebody else wrote: replies that are no JSON, our id in the address of callbacks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import type { CarrierCallback } from '../../../src/domain/delivery/carrier-callback.ts';
import { until } from '../../harness/until.ts';
import { ATTEMPT, makeCarrier, submission, submitOne } from './carrier-under-test.ts';
import { kannelIsMissing, kannelKeys, startKannel } from './kannel.ts';

const TEXT = '안녕하세요 & hello=100%';

/** The fake network shows the bytes that it got percent-encoded, blanks as plus signs. */
function fromUcs2(shown: string): string {
  const bytes = shown
    .replaceAll('+', ' ')
    .replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').swap16().toString('utf16le');
}

test('messages pass through Kannel, and its receipts find them', { skip: kannelIsMissing() }, async t => {
  const kannel = await startKannel(t);
  const calls: CarrierCallback[] = [];
  // In the place of the gateway's own server.
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway');
    const [, , , , attemptId = '', token = ''] = pathname.split('/');
    const call = {
      headers: {},
      query: searchParams,
      body: Buffer.alloc(0),
      address: '127.0.0.1',
      attemptId,
      token,
    };
    calls.push(call);
    const { status, body } = await carrier.handleCallback(call);
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { carrier, host } = await makeCarrier(t, kannelKeys(kannel.url, undefined, { publicUrl }));

  await t.test('accepted, then on its way, then delivered', async () => {
    const answer = await submitOne(carrier, submission({ text: TEXT }));
    assert.deepEqual(answer, { kind: 'accepted', refs: [ATTEMPT] });
    await until('both callbacks came', () => calls.length === 2 && host.receipts.length > 0);
    assert.deepEqual(host.receipts, [{ attemptId: ATTEMPT, reportCode: '10000' }]);
    assert.deepEqual(
      calls.map(({ query }) => query.get('type')).sort(),
      ['1', '8'],
      'the intermediate one was told, and is no receipt',
    );
    const sent = await until('the network shows it', () =>
      /<0212345678 01012345678 ucs-2 (.*)>/.exec(kannel.received()),
    );
    assert.equal(fromUcs2(sent[1] ?? ''), TEXT);
  });

  await t.test('a wrong password is the trouble of the carrier', async u => {
    const wrong = await makeCarrier(u, kannelKeys(kannel.url, 'wrong', { publicUrl }));
    const answer = await submitOne(wrong.carrier);
    assert.deepEqual(answer, {
      kind: 'temporary',
      reportCode: '22000',
      detail: 'status 403: Authorization failed for sendsms',
      isCarriersFault: true,
    });
  });

  await t.test('a message without a recipient is refused for good', async () => {
    const answer = await submitOne(carrier, { ...submission(), to: '' });
    assert.deepEqual(answer, {
      kind: 'permanent',
      reportCode: '23003',
      detail: 'status 400: Missing receiver number, rejected',
    });
  });
});
