/**
 * A carrier and a provider that treats messages in known ways, decided by the recipient: what a suite that knows nothing
 * of HTTP needs. The provider calls back after its answer, and again until the callback is answered well.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpCarrier } from '../../../src/carriers/http/http-carrier.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { basicKeys, callback, carrierOf } from './carrier-under-test.ts';
import { json } from './provider-server.ts';

const TOKEN = 'a token of the provider';
const MESSAGE: Step = { channel: 'sms', from: '0212345678', text: 'hello' };

const RECIPIENTS = {
  delivered: '01000000000',
  permanent: '01000000001',
  temporary: '01000000005',
  lost: '01000000009',
  garbled: '01000000010',
  nameless: '01000000014',
  accountRefused: '01000000011',
  throttled: '01000000012',
  longPause: '01000000013',
} as const;

export async function httpPeer(t: TestContext) {
  const clock = new ManualClock();
  /** By the key of the message: each is taken once. */
  const ids = new Map<string, string>();
  let isOver = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'HEAD') return response.writeHead(404).end();
      const { to, key } = JSON.parse(Buffer.concat(chunks).toString());
      if (to === RECIPIENTS.lost) return request.socket.destroy();
      // The page of a proxy in between.
      if (to === RECIPIENTS.garbled) return response.end('<html>Sign in</html>');
      if (to === RECIPIENTS.nameless) return json(response, 200, { messageId: 'p-1' });
      if (to === RECIPIENTS.accountRefused) return json(response, 401, { code: 'KEY_EXPIRED' });
      if (to === RECIPIENTS.throttled) return json(response, 429, {});
      if (to === RECIPIENTS.longPause) return json(response, 503, {}, { 'retry-after': '3600' });
      if (to === RECIPIENTS.temporary) return json(response, 409, { code: 'BUSY' });
      if (to === RECIPIENTS.permanent) return json(response, 400, { code: 'NO_SUCH_NUMBER' });
      const id = ids.get(key) ?? `provider-${ids.size + 1}`;
      ids.set(key, id);
      response.once('finish', () => void report(id));
      return json(response, 200, { id });
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const end = () => {
    isOver = true;
    server.closeAllConnections();
    server.close();
  };
  t.after(end);

  const carrier = carrierOf(
    {
      ...basicKeys(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      // Suites turn the clock in big steps; calls must not run into it.
      timeout: '1d',
      repeatable: true,
      receipt: { id: '/id', status: '/status', statuses: { OK: 'delivered' } },
      callback: { token: { header: 'x-token', value: TOKEN } },
    },
    { clock },
  );
  assert.ok(carrier instanceof HttpCarrier, JSON.stringify(carrier));

  async function report(id: string): Promise<void> {
    const call = callback({ headers: { 'x-token': TOKEN }, json: { id, status: 'OK' } });
    while (!isOver) {
      const { status } = await (carrier as HttpCarrier).handleCallback(call);
      if (status < 300) return;
      await delay(2);
    }
  }

  const sample = (kind: keyof typeof RECIPIENTS) => ({ to: RECIPIENTS[kind], message: MESSAGE });
  return {
    carrier,
    samples: {
      delivered: sample('delivered'),
      permanent: sample('permanent'),
      temporary: sample('temporary'),
      lost: sample('lost'),
      garbled: sample('garbled'),
      nameless: sample('nameless'),
      accountRefused: sample('accountRefused'),
      throttled: sample('throttled'),
      longPause: sample('longPause'),
    },
    clock,
    takeAway: async () => end(),
  };
}
