import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { image } from '../../harness/images.ts';
import { until } from '../../harness/until.ts';
import { openConsole, savedText } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const CHANNELS = [
  { channel: 'sms', shows: 'Your parcel is on its way and arrives today' },
  { channel: 'mms', shows: 'Your parcel is on its way' },
  { channel: 'international', shows: 'Your parcel is on its way and arrives today', to: '+14155550123' },
  { channel: 'rcs', shows: 'Track parcel' },
  { channel: 'alimtalk', shows: '알림톡 도착' },
  { channel: 'friendtalk', shows: '(광고)' },
  { channel: 'brandmessage', shows: '(광고)' },
];

const SQUARE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><rect width="600" height="600" fill="teal"/></svg>';
const MADE_PNG = `(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 200 });
  canvas.getContext('2d').fillRect(0, 0, 100, 100);
  return canvas.toDataURL('image/png').split(',')[1];
})()`;
const URL_BUTTON = { type: 'URL', name: 'Open', url: 'https://shop.example.com' };

async function pickChannel(page: Page, step: string, channel: string): Promise<void> {
  await page.getByRole('region', { name: step }).getByLabel('Channel').selectOption(channel);
}

test('composing', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const page = await console.open('/compose');

  for (const { channel, shows, to } of CHANNELS) {
    await t.test(
      `a ${channel} message is seen on the phone, sent, and followed to its delivery`,
      async () => {
        await page.goto(`${console.url}/console/compose`);
        await pickChannel(page, 'First message', channel);
        if (to) await page.getByRole('textbox', { name: 'Recipient' }).fill(to);
        await page.locator('.phone').getByText(shows).first().waitFor();
        await page.getByText('Ready to send').waitFor();
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByRole('heading', { name: to ?? '01012345678' }).waitFor();
        await page.locator('.timeline').getByText('Delivered').waitFor();
        await page.locator('.phone').getByText(shows).first().waitFor();
      },
    );
  }

  await t.test('a message is reserved for later, seen among the reservations, and cancelled', async () => {
    const page = await console.open('/compose');
    await page.getByLabel('Send later').check();
    await page.getByText('Ready to send').waitFor();
    await page.getByRole('button', { name: 'Reserve', exact: true }).click();
    await page.getByRole('heading', { name: 'Reservations' }).waitFor();
    const card = page.locator('.card', { hasText: '1 recipient · 0 sent' });
    await card.getByText('Waiting').waitFor();
    await card.getByText('What is sent').click();
    await card.locator('.phone').getByText('Your parcel is on its way').waitFor();
    await card.getByText('Recipients', { exact: true }).click();
    await card.getByText('01012345678').waitFor();
    await card.getByRole('button', { name: 'Cancel reservation' }).click();
    await card
      .getByRole('group', { name: 'Cancel this reservation? Unsent recipients get nothing.' })
      .getByText('Cancel reservation')
      .click();
    await card.getByText('Cancelled').waitFor();
    assert.equal(await card.getByText('waiting', { exact: true }).count(), 0);
  });

  await t.test('a flow falls back to its last step, and the page follows it by itself', async () => {
    const page = await console.open('/compose');
    await pickChannel(page, 'First message', 'rcs');
    await page.getByRole('button', { name: 'Add a fallback' }).click();
    await pickChannel(page, 'Fallback 1', 'friendtalk');
    await page.getByRole('button', { name: 'Add a fallback' }).click();
    await page.getByLabel('Simulated outcome').selectOption('0001');
    assert.equal(await page.getByRole('textbox', { name: 'Recipient' }).inputValue(), '01012340001');
    await page.getByText('Ready to send').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Fallback started').nth(1).waitFor();
    const badge = page.locator('.page-actions .badge');
    await badge.getByText('Failed').waitFor();
    assert.deepEqual(
      await page.locator('.phone .phone-fate').allTextContents(),
      Array(3).fill('Not received'),
    );
    await page.getByRole('cell', { name: /23001/ }).waitFor();
  });

  await t.test('steps are moved and removed', async () => {
    const page = await console.open('/compose');
    await page.getByRole('button', { name: 'Add a fallback' }).click();
    await pickChannel(page, 'Fallback 1', 'alimtalk');
    await page.getByRole('region', { name: 'Fallback 1' }).getByLabel('Move up').click();
    await page.getByRole('region', { name: 'First message' }).getByLabel('Template code').waitFor();
    await page.getByRole('region', { name: 'First message' }).getByLabel('Remove', { exact: true }).click();
    assert.equal(await page.locator('.phone').count(), 1);
  });

  await t.test('a placeholder without a value is warned of, and its value shows on the phone', async () => {
    const page = await console.open('/compose');
    await page.getByLabel('Text', { exact: true }).fill('Hello #{name}!');
    await page.getByText('#{name} has no value and would be sent as written').waitFor();
    await page.getByRole('button', { name: 'Enter a value' }).click();
    await page.locator('input:focus').fill('Haneul');
    assert.equal(await page.getByLabel('#{name}').inputValue(), 'Haneul');
    await page.locator('.phone').getByText('Hello Haneul!').waitFor();
    await page.getByText('Ready to send').waitFor();
  });

  await t.test(
    'what the gateway would refuse is told at its field, and a long SMS may go as LMS',
    async () => {
      const page = await console.open('/compose');
      await page.getByLabel('Text', { exact: true }).fill('가'.repeat(46));
      const step = page.getByRole('region', { name: 'First message' });
      await step.getByText('92 / 90 bytes').waitFor();
      await step.getByText(/"text" is longer than 90 bytes/).waitFor();
      assert.equal(await page.getByLabel('Text', { exact: true }).getAttribute('aria-invalid'), 'true');

      await step.getByRole('button', { name: 'Send as LMS' }).click();
      await step.getByText('92 / 2,000 bytes').waitFor();
      assert.equal(await step.getByLabel('Channel').inputValue(), 'mms');
      assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), '가'.repeat(46));
      await page.getByText('Ready to send').waitFor();
    },
  );

  await t.test('an uploaded image appears on the phone', async () => {
    const page = await console.open('/compose');
    await pickChannel(page, 'First message', 'mms');
    const jpeg = image('jpg', 600, 400);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'lamp.jpg', mimeType: 'image/jpeg', buffer: jpeg });
    await page.locator('.thumbs img').waitFor({ state: 'attached' });
    await page.getByText('Ready to send').waitFor();
  });

  await t.test('a request written as JSON is checked, drawn and sent as it is', async () => {
    const page = await console.open('/compose');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const body = page.getByLabel('POST /v1/send/sms');
    await body.fill('{"from": ');
    await page.getByText('Not valid JSON.').waitFor();
    await body.fill('{"from":"0212345678","to":"01099998888","text":"by hand"}');
    await page.locator('.phone').getByText('by hand').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: '01099998888' }).waitFor();
    await page.getByRole('link', { name: 'Compose a similar message' }).click();
    await page.getByLabel('Text', { exact: true }).and(page.locator('textarea')).waitFor();
    await page.locator('.phone').getByText('by hand').waitFor();
  });

  await t.test(
    'the phone shows name and logo, goods uncropped, a count of cards, and the opt-out lines',
    async () => {
      const page = await console.open('/registry');
      await console.operate('PUT', '/accounts/demo/registry/senderProfile/store', { name: 'A store' });
      await page.getByLabel('Type').selectOption('logo');
      await page.getByLabel('Sender key or brand key').fill('store');
      const png = Buffer.from(await page.evaluate<string>(MADE_PNG), 'base64');
      await page.getByLabel('Image').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
      await page.locator('form img.logo').waitFor();
      await page.getByRole('button', { name: 'Register' }).click();
      await page.locator('td img.logo').waitFor();
      await page.getByRole('button', { name: 'Edit: Messenger sender profile store' }).click();
      await page.locator('input:focus').fill('The Lamp Store');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: /The Lamp Store/ }).waitFor();

      await page.route('**/files/**', route => route.fulfill({ contentType: 'image/svg+xml', body: SQUARE }));
      const card = {
        attachment: {
          image: { imgUrl: `${console.url}/files/SQUARE0001` },
          commerce: { title: 'Lamp', regularPrice: 39_000 },
        },
      };
      const cards = await console.operate('POST', '/accounts/demo/send/friendtalk', {
        ...{ senderKey: 'store', to: '01012345678', msgType: 'FA' },
        carousel: { list: [card, card, card] },
      });
      await page.goto(`${console.url}/console/messages/${cards.msgKey}`);
      const goods = page.locator('img.phone-image').first();
      await goods.waitFor();
      await until('the image is as high as it is wide', async () => {
        const box = await goods.boundingBox();
        return box && box.height > 100 && Math.abs(box.width - box.height) < 2;
      });
      await page.getByText('1/3', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Next card' }).click();
      await page.getByText('2/3', { exact: true }).waitFor();
      await page.getByText('수신거부 | 홈 > 채널 차단').waitFor();
      await page.locator('.phone-head').getByText('The Lamp Store').waitFor();
      await page.locator('.phone-head img').waitFor();

      const long = await console.operate('POST', '/accounts/demo/send/rcs', {
        ...{ from: '0212345678', to: '01012345678', formatId: 'SL000000', brandKey: 'BR.1' },
        ...{ header: '1', footer: '080-123-4567' },
        content: {
          standalone: { title: 'Sale', text: '봄 세일이 시작되었습니다.\n'.repeat(40), button: [URL_BUTTON] },
        },
      });
      await page.goto(`${console.url}/console/messages/${long.msgKey}`);
      const phone = await page.locator('.phone').boundingBox();
      const line = await page.getByText('무료거부 080-123-4567').boundingBox();
      assert.ok(phone && line && line.y + line.height < phone.y + phone.height);
    },
  );

  await t.test('the cards of a carousel are on the phone from the start, and go with its type', async () => {
    const page = await console.open('/compose');
    await page.locator('.step-channel').first().selectOption('friendtalk');
    const type = page.getByLabel('Type', { exact: true }).first();
    await type.selectOption('FC');
    await page.getByText('1/2', { exact: true }).waitFor();
    const title = page.getByLabel('Title', { exact: true }).first();
    await title.and(page.locator('[aria-invalid=true]')).waitFor();
    await title.fill('Lamps');
    await page.locator('.phone').getByText('Lamps').waitFor();
    await page.getByLabel('Card text').first().and(page.locator('[aria-invalid=true]')).waitFor();
    await type.selectOption('FT');
    await page.getByLabel('Text', { exact: true }).fill('Lamps, this week only.');
    await page.getByText('Ready to send').waitFor();
  });

  await t.test('"compose one like it" opens a whole RCS message for its account, and keeps it', async () => {
    await console.operate('POST', '/accounts', { id: 'other' });
    const { msgKey } = await console.operate('POST', '/accounts/other/send/rcs', {
      ...{ from: '0212345678', to: '01012345678', formatId: 'SL000000', brandKey: 'BR.1' },
      content: { standalone: { title: 'The title', text: 'The text', button: [URL_BUTTON] } },
    });
    const page = await console.open(`/messages/${msgKey}`);
    const title = page.getByLabel('Title', { exact: true });
    const account = page.getByLabel('Account', { exact: true });

    await page.getByRole('link', { name: 'Compose a similar message' }).click();
    await page.getByText('Ready to send').waitFor();
    assert.equal(await title.inputValue(), 'The title');
    assert.equal(await page.getByLabel('URL', { exact: true }).inputValue(), URL_BUTTON.url);
    assert.equal(await account.inputValue(), 'other');
    await title.fill('Another title');

    await page.reload();
    await page.getByText('Ready to send').waitFor();
    assert.equal(await title.inputValue(), 'Another title');
    assert.equal(await account.inputValue(), 'other');
    await page.getByRole('link', { name: 'Accounts' }).first().click();
    await page.getByRole('link', { name: 'Compose' }).first().click();
    await page.getByText('Ready to send').waitFor();
    assert.equal(await title.inputValue(), 'Another title');

    // The answer is lost once: the second try finds what the first one sent.
    const tries: (string | undefined)[] = [];
    await page.route('**/send/rcs', async route => {
      tries.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      return tries.length === 1 ? route.abort() : route.fulfill({ response });
    });
    await title.press('Control+Enter');
    await page
      .getByText(/not responding/)
      .first()
      .waitFor();
    await title.press('Control+Enter');
    await page.getByRole('heading', { name: '01012345678' }).waitFor();
    assert.ok(tries[0] && tries[0] === tries[1]);
    await page.goBack();
    await page.getByText('Ready to send').waitFor();
    assert.equal(await title.inputValue(), 'Another title');

    await page.getByRole('link', { name: 'Accounts' }).first().click();
    await page.getByRole('link', { name: 'Compose' }).first().click();
    await page.getByLabel('Text', { exact: true }).waitFor();
    assert.equal(await title.count(), 0, 'what was sent is no draft any more');
  });

  await t.test('a template is written, rejected, corrected, approved, offered and sent', async () => {
    const page = await console.open('/templates');
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByLabel('Sender key').fill('shop');
    await page.getByLabel('Template code').fill('ship-1');
    await page.getByLabel('Name', { exact: true }).fill('Parcel left');
    await page.getByLabel('Text', { exact: true }).fill('Dear #{name},\n\nyour parcel #{number} has left.');
    await page.getByRole('button', { name: 'Add a button' }).click();
    await page.getByLabel('Label').fill('Track');
    await page.getByLabel('Mobile link').fill('https://example.com/#{number}');
    await page.locator('.phone').getByText('your parcel #{number} has left.').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { name: 'Parcel left' }).waitFor();

    const decide = async (button: string, reason?: string) => {
      await page.getByRole('button', { name: button }).click();
      if (reason) await page.getByLabel('Reason (required)').fill(reason);
      await page.locator('.template-decision').getByRole('button', { name: button }).click();
    };
    await decide('Submit for review');
    await decide('Reject', 'Say who sends it.');
    await page.locator('.template-said').getByText('Say who sends it.').waitFor();
    await page.getByLabel('Header').fill('The shop');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await decide('Submit for review');
    await decide('Approve');
    await page.getByText('Can be sent.').waitFor();
    assert.equal(await page.getByLabel('Header').isDisabled(), true);
    assert.deepEqual(await page.locator('.timeline strong').allTextContents(), [
      ...['Approved', 'In review', 'Draft', 'Rejected', 'In review', 'Draft'],
    ]);

    await page.goto(`${console.url}/console/compose`);
    await pickChannel(page, 'First message', 'alimtalk');
    await page.getByRole('button', { name: 'Use a template' }).click();
    await page.getByLabel('Code, name or text').fill('parcel');
    await page.getByRole('button', { name: /Parcel left/ }).click();
    await page.getByLabel('#{name}').fill('Haneul');
    await page.getByLabel('#{number}').fill('42');
    await page.locator('.phone').getByText('your parcel 42 has left.').waitFor();
    await page.getByText('Ready to send').waitFor();
    await page.getByLabel('Header').fill('Somebody');
    await page.getByText('Differs from the template: header').waitFor();
    await page.getByLabel('Header').fill('The shop');
    await page.getByText('Differs from the template').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.timeline').getByText('Delivered').waitFor();
  });

  await t.test('templates are exported, and imported after a look at what would happen', async () => {
    const page = await console.open('/templates?account=demo&state=approved');
    await page.getByRole('link', { name: /Parcel left/ }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const exported = await savedText(download);
    const offer = (templates: unknown) =>
      page
        .getByLabel('File of templates')
        .setInputFiles({ name: 'some.json', mimeType: 'application/json', buffer: bytesOf(templates) });
    await offer([{ kind: 'alimtalkTemplate', key: 'shop/ship-2' }]);
    await page.getByText('Entry 1: "text" is required').waitFor();
    const [template] = JSON.parse(exported);
    await offer([template, { ...template, key: 'shop/ship-2', templateCode: 'ship-2', name: 'Parcel here' }]);
    await page.getByText('1 new, 0 replaced, 1 unchanged.').waitFor();
    await page.getByRole('button', { name: 'Import these' }).click();
    await page.getByText('1 template imported.').waitFor();
    await page.getByRole('link', { name: /Parcel here/ }).waitFor();
    await page.getByLabel('Code, name or text').fill('ship-2');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: /Parcel left/ }).waitFor({ state: 'detached' });
    assert.match(page.url(), /state=approved&?.*text=ship-2|text=ship-2.*state=approved/);
  });

  await t.test('templates of one account are never shown under another account', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...{ kind: 'alimtalkTemplate', key: `shop/many-${index}`, text: `Template ${index}`, state: 'draft' },
    }));
    await console.operate('POST', '/accounts/demo/templates/import', { templates: many });
    const page = await console.open('/templates?account=demo');
    const links = page.locator('.template-name');
    const more = page.getByRole('button', { name: 'More' });
    const account = page.getByLabel('Account');
    const heldAnswers = async (address: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(address, async route => {
        await promise;
        await route.continue();
      });
      return resolve;
    };

    await more.waitFor();
    const releaseMore = await heldAnswers('**/accounts/demo/templates?*cursor=*');
    const releaseOther = await heldAnswers('**/accounts/other/templates*');
    await more.click();
    const cancelled = page.waitForEvent('requestfailed', request =>
      /accounts\/demo\/templates\?.*cursor=/.test(request.url()),
    );
    await account.selectOption('other');
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    assert.equal(await links.count(), 0, 'while those of the other are on their way');
    releaseOther();
    await page.getByText('No templates yet').waitFor();
    // The rest of a list that nobody looks at is not waited for.
    await cancelled;
    releaseMore();
    await page.evaluate('new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    assert.equal(await links.count(), 0, 'when the rest of the list before could come');
    await account.selectOption('demo');
    await links.first().waitFor();
  });

  await t.test('registry entries of one account are never shown under another account', async () => {
    await console.operate('PUT', '/accounts/demo/registry/sender/0298765432', {});
    const page = await console.open('/registry?account=demo');
    const entry = page.getByText('0298765432');
    await entry.first().waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/accounts/other/registry*', async route => {
      await released;
      await route.continue();
    });
    await page.getByLabel('Account').selectOption('other');
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    assert.equal(await entry.count(), 0);
    release();
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor({ state: 'detached' });
  });

  // The made image has no pixels: that it cannot be shown is no fault of the page.
  // One answer was lost on purpose.
  assert.deepEqual(console.faults, ['Failed to load resource: net::ERR_FAILED']);
});

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
