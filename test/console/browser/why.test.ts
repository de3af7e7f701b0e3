/** What the page of a message says of why it did not arrive, and whether to send it again. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { testGateway } from '../../harness/gateway.ts';
import { until } from '../../harness/until.ts';
import { barriers } from './barriers.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { overflows } from './overflow.ts';

const HOUR_MS = 3_600_000;

test('why a message did not arrive', { skip: withoutBrowser }, async t => {
  const gateway = await testGateway(t, { BONGSU_INQUIRY_WINDOW: '90d' });
  const shop = await gateway.account('shop');
  const send = async (to: string, text = 'hello') => {
    const body = { from: '0212345678', to, text };
    return (await gateway.operator('POST', '/accounts/shop/send/sms', body)).body.msgKey as string;
  };
  const ended = (msgKey: string) =>
    until(`${msgKey} has ended`, async () => {
      gateway.clock.advance(HOUR_MS);
      return ['failed', 'expired'].includes((await gateway.message(msgKey)).state);
    });

  await shop.call('POST', '/v1/optout', { optOuts: [{ to: '01055550000' }] });
  const failed = await send('01012340001');
  const silent = await send('01012340006');
  const unwanted = await send('01055550000', '(광고) sale 무료수신거부 080-123-4567');
  await until('the carrier has it', async () => (await gateway.message(silent)).state === 'submitted');
  await gateway.operator('POST', '/carriers/simulator/pause');
  const waiting = await send('01012345678');
  for (const msgKey of [failed, unwanted, silent, waiting]) await ended(msgKey);

  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const admin = await gateway.addOperator('kim', 'admin');
  const [name = '', value = ''] = (await gateway.signIn({ token: admin.token })).split('=');
  const browser = await openBrowser();
  t.after(() => browser.close());
  const context = await browser.newContext({ locale: 'en-US' });
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  const why = page.getByRole('region', { name: 'Why it did not arrive' });
  const resend = page.getByRole('button', { name: 'Resend' });
  const open = async (msgKey: string) => {
    await page.goto(`${url}/console/messages/${msgKey}`);
    await why.waitFor();
  };

  await t.test('one that no carrier took is safe to resend', async () => {
    await open(waiting);
    await why.getByText('No carrier took it before its deadline').waitFor();
    await why.getByRole('link', { name: 'Open Carriers' }).waitFor();
    await resend.click();
    await page.getByRole('group', { name: /cannot arrive twice/ }).waitFor();
    assert.equal(await page.getByText('may have arrived').count(), 0);
  });

  await t.test('one without a receipt may have arrived', async () => {
    await open(silent);
    await why.getByText('no receipt came before the deadline').waitFor();
    await resend.click();
    await page.getByRole('group', { name: /may have arrived/ }).waitFor();
  });

  await t.test('what the carrier said is there, for the customer too', async () => {
    await open(failed);
    await why.getByText('The carrier simulator took it and reported that it did not arrive').waitFor();
    await why.getByText('The number is wrong').waitFor();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await why.getByRole('button', { name: 'Copy for the customer' }).click();
    await why.getByText('Copied').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(copied, /^The message to 01012340001 of .* was not delivered: No such subscriber\./);
    assert.ok(copied.endsWith(failed));
  });

  await t.test('an opted-out recipient is not offered the message again', async () => {
    await open(unwanted);
    await why.getByText('The recipient has opted out, so nothing was sent.').waitFor();
    await why.getByRole('link', { name: 'Open Opt-outs' }).waitFor();
    assert.equal(await resend.count(), 0);
  });

  await t.test('in a list, only what may have arrived is called so', async () => {
    await page.goto(`${url}/console/messages?state=failed,expired`);
    const choose = async (to: string) => {
      const row = page.getByRole('row').filter({ hasText: to });
      await row.getByRole('checkbox').check();
    };
    await choose('01012345678');
    await resend.click();
    await page.getByRole('group', { name: /cannot arrive twice/ }).waitFor();
    await page.keyboard.press('Escape');
    await choose('01012340006');
    await resend.click();
    await page.getByRole('group', { name: /1 of them have no receipt|and may have arrived/ }).waitFor();
  });

  await t.test('its page holds no barriers and fits, in both languages and themes', async () => {
    await open(unwanted);
    for (const language of ['en', 'ko']) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.locator('.preferences select').first().selectOption(language);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await barriers(page), []);
      }
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await overflows(page), [], `${language}, ${width} wide`);
        const pictures = process.env.BONGSU_TEST_PICTURES;
        if (pictures) await page.screenshot({ path: `${pictures}/why-${language}-${width}.png` });
      }
    }
  });
});
