import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ADMIN_TOKEN } from '../harness/credentials.ts';
import { testAccount } from '../harness/gateway.ts';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { storedBytes } from '../harness/stored-bytes.ts';

test('a recipient is exported and erased beside a running gateway', t => exportAndErase(t, 'store'));
test('a recipient is exported and erased by a running gateway', t => exportAndErase(t, 'gateway'));

async function exportAndErase(t: TestContext, place: 'store' | 'gateway'): Promise<void> {
  const env = { BONGSU_DATA_DIR: scratchDirectory(), BONGSU_DATABASE_URL: '' };
  const { gateway, client: shop } = await testAccount(t, { env });
  const sent = await shop.sms({ to: '01029384756', text: 'zebra-quartz' });
  await shop.reportsOf(sent.body.msgKey);
  const silent = await shop.sms({ to: '01029380006', text: 'on its way' });
  const url =
    place === 'gateway' ? ['--url', await gateway.gateway.listen({ host: '127.0.0.1', port: 0 })] : [];
  const settings = place === 'gateway' ? { BONGSU_ADMIN_TOKEN: ADMIN_TOKEN } : env;
  const privacy = (line: string, ...more: string[]) =>
    bongsu(['privacy', ...line.split(' '), ...more, ...url], settings);

  const shown = await privacy('export --recipient', '+82 10 2938 4756');
  assert.equal(shown.code, 0, shown.stderr);
  assert.deepEqual(
    JSON.parse(shown.stdout).messages.map(({ msgKey }: { msgKey: string }) => msgKey),
    [sent.body.msgKey],
  );
  const out = join(scratchDirectory(), 'kim.json');
  const written = await privacy('export --recipient 01029384756 --account shop --out', out);
  assert.equal(written.stdout, `written to ${out}\n`);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  assert.equal(JSON.parse(readFileSync(out, 'utf8')).messages[0].asReceived[0].text, 'zebra-quartz');
  const again = await privacy('export --recipient 01029384756 --out', out);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /EEXIST/);
  assert.equal(JSON.parse(readFileSync(out, 'utf8')).messages.length, 1, 'a file that is there stays');
  const stranger = await privacy('export --recipient 01029384756 --account nobody');
  assert.match(stranger.stderr, /there is no account "nobody"/i);

  const erased = await privacy('erase --recipient 010-2938-4756 --yes');
  assert.equal(erased.code, 0, erased.stderr);
  assert.match(erased.stdout, /^messages without their recipient +1\ntexts removed +1\n/);
  assert.match(erased.stdout, /\norder [0-9A-Z]{12} is done\n$/);
  assert.equal(erased.stderr, '');
  assert.deepEqual((await storedBytes(env)).placesOf(['29384756', 'zebra-quartz']), []);
  gateway.clock.advance(1000);
  const open = JSON.parse((await privacy('erase --recipient 01029380006 --yes --json')).stdout);
  assert.deepEqual([open.messages, open.open], [0, 1]);

  const orders = JSON.parse((await privacy('orders --json')).stdout);
  assert.deepEqual(
    orders.map(({ recipient, messages, open: left, state }: Record<string, unknown>) => [
      recipient,
      messages,
      left,
      state,
    ]),
    [
      ['+82****0006', 0, 1, 'waiting'],
      ['+82****4756', 1, 0, 'done'],
    ],
  );
  const { entries } = (await gateway.operator('GET', '/audit')).body.data;
  const actions = entries.map((entry: { action: string }) => entry.action);
  assert.equal(actions.filter((action: string) => action === 'privacy.export').length, 3);
  assert.equal(actions.filter((action: string) => action === 'privacy.erase').length, 4);
  assert.equal((await gateway.message(silent.body.msgKey)).to, '01029380006');
}
