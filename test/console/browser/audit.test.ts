/** The audit log in the console: who changed what, found by filters and saved as a file. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCsv } from '../../../src/platform/csv.ts';
import { openConsole, savedText } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

test('the audit log', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  await console.operate('POST', '/accounts', { id: 'shop' });
  await console.operate('PATCH', '/accounts/shop', { settings: { sendRate: 5 } });
  await console.operate('PATCH', '/accounts/demo', { settings: { sendRate: 7 } });
  const page = await console.open('/audit');
  const table = page.getByRole('table', { name: 'Audit log' });
  const rows = table.getByRole('row');

  await t.test('is filtered by action and account, and the address keeps the filters', async () => {
    await table.getByRole('row', { name: /Account created/ }).waitFor();
    await page.getByLabel('Action').selectOption('Account changed');
    await page.getByLabel('Account', { exact: true }).selectOption('shop');
    await table.getByRole('row', { name: /demo/ }).waitFor({ state: 'detached' });
    await table.getByRole('row', { name: /Account created/ }).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), 2);
    await page.reload();
    await table.getByText('sendRate').waitFor();
    assert.equal(await rows.count(), 2);
  });

  await t.test('is saved as a file with what the filters leave', async () => {
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const cells = parseCsv(await savedText(await saving)).map(row => row.slice(4, 6));
    assert.deepEqual(cells, [
      ['action', 'target'],
      ['account.change', 'shop'],
    ]);
  });

  await t.test('says when a time has nothing, and shows it again without the time', async () => {
    await page.getByLabel('Until').fill('2020-01-01T00:00');
    await page.getByText('No changes match').waitFor();
    await page.getByLabel('Until').fill('');
    await table.getByText('sendRate').waitFor();
  });
  assert.deepEqual(console.faults, []);
});
