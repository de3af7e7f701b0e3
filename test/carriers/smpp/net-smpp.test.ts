/** Live against Debian's Net::SMPP, a code base that has nothing in common with ours. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unlessInstalled } from '../../harness/debian.ts';
import { type PeerProcess, startPeer } from '../../harness/peer-process.ts';
import { until } from '../../harness/until.ts';
import { type LiveCarrier, liveCarrier } from './live-carrier.ts';

const skip = unlessInstalled('Net::SMPP');
const SCRIPT = fileURLToPath(new URL('./net-smpp-smsc.pl', import.meta.url));
const KOREAN = '안녕하세요, 봉수입니다.';

async function scene(
  t: TestContext,
  keys: Readonly<Record<string, unknown>> = {},
): Promise<LiveCarrier & { peer: PeerProcess; submits(): string[][] }> {
  const peer = startPeer(t, 'perl', [SCRIPT]);
  const port = await until('the SMSC listens', () => /^listening (\d+)$/.exec(peer.lines()[0] ?? '')?.[1]);
  const live = await liveCarrier(t, Number(port), keys);
  const submits = () =>
    peer.lines().flatMap(line => (line.startsWith('submit ') ? [line.split(' ').slice(1)] : []));
  return { ...live, peer, submits };
}

test('Net::SMPP: binds, delivers, asks for a sign of life and unbinds', { skip }, async t => {
  const { carrier, peer, deliver, submits } = await scene(t);
  await deliver('hello @ €[]');
  await deliver(KOREAN);
  assert.deepEqual(submits(), [
    ['Bongsu', '14155550123', '0', '0', '68656c6c6f2000201b651b3c1b3e', '-', '-', '-', '-'],
    [
      'Bongsu',
      '14155550123',
      '8',
      '0',
      Buffer.from(KOREAN, 'utf16le').swap16().toString('hex'),
      '-',
      '-',
      '-',
      '-',
    ],
  ]);
  assert.ok((await carrier.test()).isOk);
  await carrier.close();
  await until('the SMSC saw the end', () => peer.lines().includes('unbind'));
  assert.deepEqual(
    peer.lines().filter(line => !line.startsWith('submit ') && !line.startsWith('listening ')),
    ['bind bongsu secret 52', 'acknowledged 0', 'acknowledged 0', 'enquire_link', 'unbind'],
  );
});

test('Net::SMPP: parts with a header', { skip }, async t => {
  const { deliver, submits } = await scene(t);
  assert.equal((await deliver('a'.repeat(400))).length, 3);
  const messages = submits().map(([, , , esmClass, octets = '']) => [esmClass, octets.slice(6)]);
  const reference = messages[0]?.[1]?.slice(0, 2);
  assert.deepEqual(messages, [
    ['64', `${reference}0301${'61'.repeat(153)}`],
    ['64', `${reference}0302${'61'.repeat(153)}`],
    ['64', `${reference}0303${'61'.repeat(94)}`],
  ]);
});

test('Net::SMPP: parts with SAR parameters', { skip }, async t => {
  const { deliver, submits } = await scene(t, { longMessages: 'sar' });
  await deliver('가'.repeat(80));
  const parts = submits().map(([, , , esmClass, octets, , reference, total, index]) => ({
    esmClass,
    length: (octets ?? '').length / 2,
    reference,
    total,
    index,
  }));
  const reference = parts[0]?.reference;
  assert.match(reference ?? '', /^[0-9a-f]{4}$/);
  assert.deepEqual(parts, [
    { esmClass: '0', length: 134, reference, total: '02', index: '01' },
    { esmClass: '0', length: 26, reference, total: '02', index: '02' },
  ]);
});

test('Net::SMPP: a long text whole, in message_payload', { skip }, async t => {
  const { deliver, submits } = await scene(t, { longMessages: 'payload' });
  assert.equal((await deliver('a'.repeat(400))).length, 1);
  const [[, , , , short, payload] = []] = submits();
  assert.deepEqual([short, payload], ['-', '61'.repeat(400)]);
});
