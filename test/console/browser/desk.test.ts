/** The failure desk and sending again. In this process, because the desk shows what a clock of our own has let it count. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_TOKEN } from '../../harness/credentials.ts';
import { type TestGateway, testAccount, testGateway } from '../../harness/gateway.ts';
import { until } from '../../harness/until.ts';
import { barriers } from './barriers.ts';
import { savedText } from './browser.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { overflows } from './overflow.ts';

const WIDTHS = [390, 800, 1024, 1440];
const SECRET = 'The code of Hong is 493817';

/** In both languages and at every width nothing is cut, and nothing is in the way of anybody. */
async function assertFits(page: Page): Promise<void> {
  assert.deepEqual(await barriers(page), []);
  for (const language of ['ko', 'en'] as const) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('.preferences select').first().selectOption(language);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await overflows(page), [], `${language}, ${width} wide`);
    }
  }
}

async function failedMessages(gateway: TestGateway): Promise<void> {
  const send = (account: string, to: string, ref: string) =>
    gateway.operator('POST', `/accounts/${account}/send/sms`, {
      ...{ from: '0212345678', to, text: SECRET, ref },
    });
  for (const [index, to] of ['01012340001', '01055550001', '01012345678'].entries()) {
    await send('shop', to, `order-${index}`);
    gateway.clock.advance(1000);
  }
  await send('cafe', '01012340001', 'order-9');
  await until('all are counted', async () => {
    gateway.clock.advance(20_000);
    const { days } = (await gateway.operator('GET', '/failures')).body.data;
    return days.at(-1).failed === 3;
  });
}

test('from a failure to its messages, and out again under linked keys', { skip: withoutBrowser }, async t => {
  const gateway = await testGateway(t);
  for (const id of ['shop', 'cafe']) await gateway.account(id);
  await failedMessages(gateway);
  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const kim = await gateway.addOperator('kim', 'operator');
  const [name = '', value = ''] = (await gateway.signIn({ token: kim.token })).split('=');
  const browser = await openBrowser();
  t.after(() => browser.close());
  const context = await browser.newContext({ locale: 'en-US', acceptDownloads: true });
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(error.message));

  await page.goto(`${url}/console/failures`);
  const group = page.getByRole('row').filter({ hasText: 'shop' });
  await group.getByText('No such subscriber').waitFor();
  assert.match(
    (await group.textContent()) ?? '',
    /23001.*SMS.*simulator.*shop.*2 messages.*67%.*new.*Correct it/,
  );
  await assertFits(page);
  await page.getByRole('group', { name: 'Group by' }).getByLabel('Account').uncheck();
  await page.getByRole('link', { name: '3 messages' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('by'), 'code,channel,carrier');
  await page.goBack();
  await group.getByRole('link', { name: '2 messages' }).click();

  // The messages of the group, found by what is in the address.
  await page.getByRole('heading', { name: 'Messages' }).waitFor();
  await page.getByRole('checkbox').nth(1).waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 2);
  const { searchParams } = new URL(page.url());
  assert.deepEqual(
    ['code', 'lastChannel', 'carrier', 'account'].map(term => searchParams.get(term)),
    ['23001', 'sms', 'simulator', 'shop'],
  );
  assert.equal(await page.getByLabel('Account', { exact: true }).inputValue(), 'shop');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const csv = await savedText(await saving);
  assert.equal(csv.trimEnd().split('\n').length, 3);
  assert.match(csv, /"shop","010\*\*\*\*0001","order-0","sms","failed","23001"/);

  // As they are: the first asks, then sends; both lead to each other.
  await page.getByRole('checkbox').last().check();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('button', { name: 'Resend' }).click();
  await assertFits(page);
  await page
    .getByRole('group', { name: /Resend this message unchanged/ })
    .getByRole('button', { name: 'Resend' })
    .click();
  await page.getByText('1 message was resent.').waitFor();
  await page.getByRole('row').filter({ hasText: 'order-0' }).getByText('Resent').waitFor();
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await page.getByText('Resend of').waitFor();
  const newKey = page.url().split('/').at(-1) ?? '';
  const { resendOf, to } = await gateway.message(newKey);
  assert.equal(to, '01012340001');
  await page.getByRole('link', { name: resendOf }).click();
  await page.getByRole('link', { name: newKey }).waitFor();

  // Through a copy: the text is revealed to edit it, the recipient stays masked.
  await page.getByRole('link', { name: 'Edit a copy' }).click();
  await page.getByText('This copy is sent to the recipient of the failed message').waitFor();
  await page.getByRole('button', { name: 'Reveal' }).click();
  await page.getByLabel('Reason').fill('Complaint 117');
  await page.getByRole('dialog').getByRole('button', { name: 'Reveal' }).click();
  await page.locator('.compose-phones').getByText(SECRET).waitFor();
  await page.getByLabel('Text', { exact: true }).fill('Corrected');
  await page.locator('.compose-phones').getByText('Corrected').waitFor();
  assert.equal(await page.getByLabel('Recipient', { exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Resend of').waitFor();
  const copy = (await gateway.operator('GET', `/messages/${page.url().split('/').at(-1)}`)).body.data;
  assert.deepEqual(
    [copy.to, copy.rendered[0].text, copy.ref, copy.resendOf],
    ['01012340001', 'Corrected', 'order-0', resendOf],
  );

  // A number as people write it.
  await page.goto(`${url}/console/messages?to=${encodeURIComponent('+82 10-5555-0001')}`);
  await page.getByText('order-1').waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 1);
  assert.deepEqual(faults, []);
});

test('what is unknown is settled as the carrier has told it', { skip: withoutBrowser }, async t => {
  const { gateway, client } = await testAccount(t);
  for (const to of ['01012340009', '01055550009']) {
    const msgKey = (await client.sms({ to })).body.msgKey;
    await until('it is unknown', async () => {
      gateway.clock.advance(1000);
      return (await gateway.message(msgKey)).state === 'unknown';
    });
  }
  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const [name = '', value = ''] = (await gateway.signIn({ token: ADMIN_TOKEN })).split('=');
  const browser = await openBrowser();
  t.after(() => browser.close());
  const context = await browser.newContext({ locale: 'en-US' });
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();

  await page.goto(`${url}/console/messages?carrier=simulator`);
  const bar = page.getByRole('region', { name: 'Settle messages by hand' });
  await page.getByRole('checkbox').first().check();
  await bar.getByRole('button', { name: 'Settle selected' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('What became of it?').waitFor();
  await assertFits(page);
  assert.equal(await dialog.getByRole('button', { name: 'Settle selected' }).isDisabled(), true);
  await dialog.getByLabel('Outcome').selectOption('failed');
  await dialog.getByLabel('Code').fill('23014');
  await dialog.getByLabel('Reason').fill('ticket 4711');
  await dialog.getByRole('button', { name: 'Settle selected' }).click();
  await bar.getByText('1 message was settled.').waitFor();
  await page.getByRole('row').filter({ hasText: '23014' }).waitFor();
  await bar.getByRole('button', { name: 'Count matching unknown messages' }).click();
  await bar.getByText('1 messages that can be settled match this search.').waitFor();
  await bar.getByRole('button', { name: 'Settle 1' }).click();
  await dialog.getByLabel('Reason').fill('ticket 4711');
  await dialog.getByRole('button', { name: 'Settle 1' }).click();
  await page.getByRole('row').filter({ hasText: 'Delivered' }).waitFor();
});
