/** Live against the SMSCs of two npm packages, each with its own codec. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import smpp, { type SmppPdu, type SmppSession } from 'smpp';
import { freePorts, startPeer } from '../../harness/peer-process.ts';
import { until } from '../../harness/until.ts';
import { liveCarrier } from './live-carrier.ts';

const LARVIT = fileURLToPath(new URL('./larvit-smsc.ts', import.meta.url));
const TEXTS = ['hello @ €[]', '안녕하세요', 'a'.repeat(400), '가'.repeat(80)];

test('npm smpp: texts arrive whole, receipts come back', async t => {
  const submits: SmppPdu[] = [];
  const sessions: SmppSession[] = [];
  const server = smpp.createServer(session => {
    sessions.push(session);
    let ids = 0;
    session.on('error', () => {});
    for (const command of ['bind_transceiver', 'enquire_link', 'unbind']) {
      session.on(command, pdu => void session.send(pdu.response()));
    }
    session.on('submit_sm', pdu => {
      submits.push(pdu);
      const id = `smpp-${++ids}`;
      session.send(pdu.response({ message_id: id }));
      session.deliver_sm(
        {
          source_addr_ton: 1,
          source_addr: pdu.destination_addr,
          destination_addr: pdu.source_addr,
          esm_class: 4,
          receipted_message_id: id,
          message_state: 2,
          short_message: '',
        },
        () => {},
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { carrier, deliver } = await liveCarrier(t, (server.address() as AddressInfo).port);
  for (const text of TEXTS) await deliver(text);
  const arrived = submits.map(({ short_message, data_coding }) => [
    data_coding,
    String(short_message.message),
  ]);
  assert.deepEqual(arrived, [
    [0, TEXTS[0]],
    [8, TEXTS[1]],
    [0, 'a'.repeat(153)],
    [0, 'a'.repeat(153)],
    [0, 'a'.repeat(94)],
    [8, '가'.repeat(67)],
    [8, '가'.repeat(13)],
  ]);
  assert.ok((await carrier.test()).isOk);
  await carrier.close();
});

test('larvitsmpp: texts arrive whole, and receipts in its own words come back', async t => {
  const [port = 0] = await freePorts(1);
  const peer = startPeer(t, process.execPath, [
    '--disable-warning=ExperimentalWarning',
    LARVIT,
    String(port),
  ]);
  const { carrier, host, send, deliver } = await liveCarrier(t, port);
  for (const text of TEXTS.slice(0, 2)) await deliver(text);
  const long = await send(TEXTS[2] ?? '');
  assert.ok(long.kind === 'accepted' && long.refs.length === 3);
  await send('fail');
  await until('the failure came', () => host.receipts.some(({ reportCode }) => reportCode === '23000'));
  const arrived = peer.lines().map(line => Buffer.from(line.split(' ')[3] ?? '', 'hex').toString());
  assert.deepEqual(arrived, [...TEXTS.slice(0, 3), 'fail']);
  await carrier.close();
});
