/** Opt-outs in the console: a recipient is put on the list, and the next advertisement to them ends. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const AD = { from: '0212345678', text: '(광고) 봄 세일 무료수신거부 0801234567' };

test('opt-outs', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const page = await console.open('/optouts?account=demo');
  const table = page.getByRole('table', { name: 'Opt-outs' });

  await t.test('a recipient is put on the list', async () => {
    await page.getByText('Nobody has opted out').waitFor();
    await page.getByLabel('Numbers').fill('010-1234-5678');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('1 added, 0 already on the list.').waitFor();
    await table.getByRole('row', { name: /1234\D*5678|\*\*\*\*5678/ }).waitFor();
  });

  await t.test('nothing is shown or accepted before the accounts are known', async () => {
    const slow = await console.window();
    await slow.context().addCookies(await page.context().cookies());
    const { promise: known, resolve: nowKnown } = Promise.withResolvers<void>();
    await slow.route(/\/admin\/v1\/accounts\?/, async route => {
      await known;
      await route.continue();
    });
    await slow.goto(page.url());
    await slow.getByRole('heading', { name: 'Opt-outs' }).waitFor();
    await slow.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    assert.equal(await slow.getByText('Nobody has opted out').count(), 0);
    assert.equal(await slow.getByRole('button', { name: 'Add' }).count(), 0);
    nowKnown();
    await slow.getByRole('table', { name: 'Opt-outs' }).waitFor();
    await slow.context().close();
  });

  await t.test('what is refused stays in the form', async () => {
    await page.getByLabel('Numbers').fill('nobody');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Numbers').inputValue(), 'nobody');
    // It would load the list again, which was not refused.
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  });

  await t.test('the next advertisement to them ends, another message does not', async () => {
    const send = (text: string) =>
      console.operate('POST', '/accounts/demo/send/sms', { ...AD, text, to: '01012345678' });
    const { msgKey } = await send(AD.text);
    await page.goto(page.url().replace(/\/optouts.*$/, `/messages/${msgKey}`));
    await page.getByText('Recipient opted out').first().waitFor();
    const { msgKey: other } = await send('Your order has left.');
    await page.goto(page.url().replace(/\/messages.*$/, `/messages/${other}`));
    await page.getByText('Delivered').first().waitFor();
  });

  await t.test('who agrees again is no longer on the list, and stays as proof', async () => {
    await page.goto(page.url().replace(/\/messages.*$/, '/optouts?account=demo'));
    await table.getByRole('button', { name: 'Consent renewed' }).click();
    const question = page.getByRole('group', { name: 'End this opt-out? Its record is kept as proof.' });
    await question.getByRole('button', { name: 'Consent renewed' }).click();
    await page.getByText('The opt-out has ended.').waitFor();
    await page.getByText('Nobody has opted out').waitFor();
    await page.getByLabel('Show renewed consents too').check();
    await table.getByRole('row').nth(1).waitFor();
  });

  await t.test('a list of another system is imported, and imported once more adds nobody', async () => {
    const file = {
      name: 'list.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('01055556666\n01055557777\n'),
    };
    await page.getByLabel('File of opt-outs').setInputFiles(file);
    await page.getByText('2 added, 0 already on the list.').waitFor();
    await page.getByLabel('File of opt-outs').setInputFiles(file);
    await page.getByText('0 added, 2 already on the list.').waitFor();
  });

  assert.deepEqual(console.faults, [
    'Failed to load resource: the server responded with a status of 400 (Bad Request)',
  ]);
});
