/** Kannel's bearerbox as an ESME at the SMSC of our tests: our codec from the other side of the wire. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { unlessInstalled } from '../../harness/debian.ts';
import { DELIVERED_REPLY, Smsc } from '../../harness/smsc/smsc.ts';
import { until } from '../../harness/until.ts';
import { startKannel } from './kannel.ts';

const skip = unlessInstalled('bearerbox', 'smsbox');
const REFUSED = '14155550002';

test('Kannel binds, sends long texts, asks for signs of life and gets its receipts', { skip }, async t => {
  const smsc = await Smsc.listen({
    submit: ({ destination }) =>
      destination.digits === REFUSED
        ? { kind: 'refuse', status: STATUS.invalidDestination }
        : DELIVERED_REPLY,
  });
  t.after(() => smsc.close());
  const reports: string[] = [];
  const listener = createServer((request, response) => {
    reports.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => listener.close());
  const reportUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;

  const kannel = await startKannel(t, smsc.port);
  await until('Kannel is bound', () => smsc.receiver);
  const [bind] = smsc.binds;
  assert.deepEqual(
    [bind?.command, bind?.systemId, bind?.password, bind?.systemType, bind?.interfaceVersion],
    ['bindTransceiver', 'kannel', 'secret', 'VMA', 0x34],
  );

  const gsm = `hello @ €[] ${'a'.repeat(400)}`;
  const korean = '안녕하세요'.repeat(20);
  const shared = { from: '1588', charset: 'UTF-8', 'dlr-mask': '19' };
  for (const [name, to, text, coding] of [
    ['gsm', '14155550001', gsm, '0'],
    ['korean', '14155550001', korean, '2'],
    ['refused', REFUSED, 'hello', '0'],
  ] as const) {
    const answer = await kannel.send({ ...shared, to, text, coding, 'dlr-url': `${reportUrl}/${name}/%d` });
    assert.match(answer, /^0: Accepted/);
  }

  await until('the texts arrived', () => smsc.texts.length === 3);
  assert.deepEqual([...smsc.texts].sort(), [gsm, korean, 'hello'].sort());
  // Kannel's types: 1 delivered, 2 not delivered, 16 refused by the SMSC.
  await until('every receipt is forwarded', () =>
    ['/gsm/1', '/korean/1', '/refused/16'].every(report => reports.includes(report)),
  );
  // It asks for a receipt of one part of each message.
  await until('Kannel acknowledged the receipts', () => smsc.acknowledged.length === 2);
  assert.ok(smsc.acknowledged.every(status => status === STATUS.ok));
  await until('Kannel asked for a sign of life', () => smsc.enquiries > 0);
});
