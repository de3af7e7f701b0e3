/** Messages of people through an independent SMSC, with a crash between storing and the answer that reaches it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { LoadAccount } from '../harness/load.ts';
import { startPeer } from '../harness/peer-process.ts';
import { startServer } from '../harness/process.ts';
import { configFile, scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const skip = unlessInstalled('Net::SMPP');
const SCRIPT = fileURLToPath(new URL('./net-smpp-inbound.pl', import.meta.url));
const LONG = '가나다라마바사아자차카타파하 '.repeat(10).trimEnd();
const SHORT = Array.from({ length: 40 }, (_, index) => `문의 ${index}`);

const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();

/** The long text in three parts, cut within characters. */
function cut(kind: 'udh' | 'sar', reference: number): string[] {
  const octets = ucs2(LONG);
  return [0, 1, 2].map(index => {
    const part = octets.subarray(index * 131, index === 2 ? octets.length : (index + 1) * 131);
    const header = Buffer.from([5, 0, 3, reference, 3, index + 1]);
    return kind === 'udh'
      ? `udh ${Buffer.concat([header, part]).toString('hex')}`
      : `sar ${reference} 3 ${index + 1} ${part.toString('hex')}`;
  });
}

test('Net::SMPP: nothing is lost and nothing doubled by a kill -9 before the SMSC has heard the answers', {
  skip,
}, async t => {
  const messages = [
    ...cut('udh', 7).toReversed(),
    ...cut('sar', 77),
    `payload ${ucs2(LONG).toString('hex')}`,
    ...SHORT.map(text => `text ${ucs2(text).toString('hex')}`),
  ];
  const peer = startPeer(t, 'perl', [SCRIPT, ...messages]);
  const answers = (session: number) => peer.lines().filter(line => line === `answered ${session} 0`).length;
  const port = await until('the SMSC listens', () => /^listening (\d+)$/.exec(peer.lines()[0] ?? '')?.[1]);
  const file = [
    'carriers:',
    `  sky: { kind: smpp, host: 127.0.0.1, port: ${port}, systemId: bongsu, password: secret }`,
    'routes:',
    '  - { channel: sms, via: [sky] }',
  ];
  const env = {
    BONGSU_DATA_DIR: scratchDirectory('disk'),
    BONGSU_CONFIG: configFile(file.join('\n')),
    ...LoadAccount.ENV,
    BONGSU_LOG: 'error',
  };
  const first = await startServer(t, env);
  await until('everything was stored', () => answers(1) === messages.length);
  await first.kill();
  const second = await startServer(t, env);
  await until('everything was brought again', () => answers(2) === messages.length);

  const operator = bearer(ADMIN_TOKEN);
  const page = await fetch(`${second.url}/admin/v1/inbound?account=none&limit=200`, { headers: operator });
  const { data } = (await page.json()) as {
    data: { messages: { text: string; from: string; to: string }[] };
  };
  assert.deepEqual(data.messages.map(({ text }) => text).sort(), [LONG, LONG, LONG, ...SHORT].sort());
  assert.deepEqual(
    new Set(data.messages.map(({ from, to }) => `${from} ${to}`)),
    new Set(['01012345678 15881234']),
  );
  assert.equal((await second.stop()).code, 0);
});
