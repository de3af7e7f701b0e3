import assert from 'node:assert/strict';
import test from 'node:test';
import { image } from '../../harness/images.ts';
import { type Console, openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const HOSTILE =
  '<img src=x onerror="window.injected=1"><script>window.injected=1</script>"\'><svg onload=alert(1)>';

/** A message on every channel whose every text is hostile. */
async function sendHostile({ operate }: Console): Promise<string[]> {
  const words = { text: HOSTILE, ref: HOSTILE.slice(0, 200), to: '01012345678' };
  const button = [{ type: 'WL', name: HOSTILE, urlMobile: 'intent:window.injected=1' }];
  const messenger = { senderKey: 'key', attachment: { button }, ...words };
  const sends = {
    mms: { from: '0212345678', title: '<script>window.injected=1</script>', ...words },
    alimtalk: { ...messenger, msgType: 'AT', templateCode: 'code', title: '<b>bold</b>', header: '<i>i</i>' },
    friendtalk: { ...messenger, msgType: 'FT', text: `(광고) pay \u202e000,1 won ${HOSTILE}` },
    rcs: {
      from: '0212345678',
      to: '01012345678',
      brandKey: '<b>brand</b>',
      formatId: 'TPL<script>',
      header: '1',
      footer: '<b>footer</b>',
      ref: words.ref,
      body: { title: HOSTILE, description: HOSTILE, cellTitle1: HOSTILE, cellLeft2: HOSTILE, odd: HOSTILE },
      buttons: [
        {
          suggestions: [
            {
              action: {
                displayText: HOSTILE,
                urlAction: { openUrl: { url: 'javascript:window.injected=1' } },
              },
            },
          ],
        },
      ],
    },
  };
  const keys: string[] = [];
  for (const [kind, body] of Object.entries(sends)) {
    const { msgKey } = await operate('POST', `/accounts/demo/send/${kind}`, body);
    keys.push(String(msgKey));
  }
  return keys;
}

test('text of others is shown and never executed', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const keys = await sendHostile(console);
  const form = new FormData();
  const jpeg = new Blob([Uint8Array.from(image('jpg', 100, 100))], { type: 'image/jpeg' });
  form.append('file', jpeg, '<img src=x onerror=injected=1>.jpg');
  await console.operate('POST', '/accounts/demo/files/MMS', form);

  const page = await console.open('/');
  for (const path of [
    '/',
    '/live',
    '/messages',
    '/reports',
    '/files',
    '/audit',
    ...keys.map(key => `/messages/${key}`),
  ]) {
    await page.goto(`${console.url}/console${path}`);
    await page.locator('main h1').first().waitFor();
    if (path.startsWith('/messages/')) {
      await page.locator('.phone').waitFor();
      // A button of such an address is a label, not a link.
      assert.equal(await page.locator('a[href^="javascript"]').count(), 0, path);
    }
    if (path === `/messages/${keys[2]}`) {
      // A mark that turns the direction is seen, so that the text reads as it is.
      await page.locator('.phone').getByText('pay <U+202E>000,1 won').waitFor();
    }
    if (path === '/files') await page.getByRole('heading', { name: /onerror/ }).waitFor();
    assert.equal(await page.evaluate('window.injected'), undefined, path);
    assert.equal(await page.locator('main script, main svg[onload], img[src="x"]').count(), 0, path);
  }

  await t.test('text of others is not executed while a message is composed', async () => {
    const writing = await console.open('/compose');
    await writing.getByLabel('Text', { exact: true }).fill(HOSTILE);
    await writing.locator('.phone').getByText('onerror').waitFor();
    assert.equal(await writing.evaluate('window.injected'), undefined);
    assert.equal(await writing.locator('.phone img').count(), 0);
  });
});
