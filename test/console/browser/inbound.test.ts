/** Inbound messages in the console: the phone answers, and the answer appears. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

test('inbound', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const sender = { from: '15881234', to: '01012345678', text: 'Your order has left.' };
  const { msgKey } = await console.operate('POST', '/accounts/demo/send/sms', sender);
  const page = await console.open(`/messages/${msgKey}`);

  await t.test('the phone answers, to a number that is not registered yet', async () => {
    const phone = page.getByRole('form', { name: 'Reply' });
    await phone.getByLabel('Text').fill('When does it arrive?');
    await phone.getByRole('button', { name: 'Send' }).click();
    await phone.getByText('the number is not registered').waitFor();
    await phone.getByRole('link', { name: 'Inbound' }).click();
    const row = page.getByRole('row', { name: /When does it arrive/ });
    await row.getByText('No account').waitFor();
    await row.getByRole('combobox', { name: /Assign to/ }).selectOption('demo');
    const question = row.getByRole('group', { name: 'Give this message to demo?' });
    await row.getByRole('button', { name: 'Assign' }).click();
    await row.getByText('No account').first().waitFor();
    await question.getByRole('button', { name: 'Assign' }).click();
    await row.getByText('Waiting').waitFor();
  });

  await t.test('a registered number answers by itself', async () => {
    await console.operate('PUT', '/accounts/demo/registry/inboundNumber/15881234%2F*', {
      reply: 'Tomorrow.',
    });
    const handset = page.getByRole('form', { name: 'Simulate an inbound message' });
    await handset.getByLabel('From').fill('010-1234-5678');
    await handset.getByLabel('To').fill('1588-1234');
    await handset.getByLabel('Text').fill('And now?');
    await handset.getByRole('button', { name: 'Send' }).click();
    await handset.getByText('Sent to demo').waitFor();
    const row = page.getByRole('row', { name: /And now/ });
    for (let look = 0; look < 50 && (await row.getByRole('link', { name: 'Sent' }).count()) === 0; look++) {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await row.waitFor();
    }
    await row.getByRole('link', { name: 'Sent' }).click();
    await page.getByRole('heading', { name: '01012345678' }).waitFor();
  });

  assert.deepEqual(console.faults, []);
});
