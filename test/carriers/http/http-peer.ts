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
import { basicKeys, callback, carrierOf, submission, submitOne } from './carrier-under-test.ts';
import { json } from './provider-server.ts';

const TOKEN = 'a token of the provider';
const MESSAGE: Step = { channel: 'sms', from: '0212345678', text: 'hello' };

const RECIPIENTS = {
  delivered: '01000000000',
  permanent: '01000000001',
  temporary: '01000000005',
  lost: '01000000009',
} as const;

export async function httpPeer(t: TestContext) {
  const clock = new ManualClock();
  let count = 0;
  let isOver = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'HEAD') return response.writeHead(404).end();
      const { to } = JSON.parse(Buffer.concat(chunks).toString());
      if (to === RECIPIENTS.lost) return request.socket.destroy();
      if (to === RECIPIENTS.temporary) return json(response, 409, { code: 'BUSY' });
      if (to === RECIPIENTS.permanent) return json(response, 400, { code: 'NO_SUCH_NUMBER' });
      const id = `provider-${++count}`;
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
      breaker: { failures: 3, pause: '1d', longestPause: '1d' },
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
    },
    elapse: (ms: number) => clock.advance(ms),
    /** Without connections to watch, it is messages that tell the carrier. */
    async takeAway() {
      end();
      while (carrier.status().state === 'up') await submitOne(carrier, submission(MESSAGE));
    },
  };
}
