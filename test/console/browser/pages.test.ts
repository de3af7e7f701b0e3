import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { localOf } from '../../../console/src/times.ts';
import { bearer } from '../../harness/credentials.ts';
import { image } from '../../harness/images.ts';
import { until } from '../../harness/until.ts';
import { barriers } from './barriers.ts';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';
import { overflows } from './overflow.ts';

const WIDTHS = [390, 800, 1024, 1440];
/** It comes first in every list of accounts, so that pages open with it. */
const LONG_NAME = 'a-customer-with-a-long-name.and-a-branch@example-company';

/** What is in the sample of each language, and in no other. */
const SAMPLE_WORDS = {
  curl: 'curl -X POST',
  TypeScript: 'await fetch(',
  Python: 'requests.request(',
  Java: 'HttpRequest.newBuilder()',
  Go: 'http.NewRequest(',
};

/** The focused element where something else lies over its middle. */
const FOCUS_COVERED = `(() => {
  const focused = document.activeElement;
  const { left, top, width, height } = focused.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return seen && (focused.contains(seen) || seen.contains(focused)) ? undefined : focused.outerHTML;
})()`;

test('the pages', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const sent = await console.operate('POST', '/accounts/demo/send/rcs', {
    from: '0212345678',
    // Nobody has uploaded its images: a message that was not received has its own look on the phone.
    to: '01012340001',
    brandKey: 'brand',
    formatId: 'CMwMhM0200',
    header: '1',
    footer: '080-000-0000',
    ref: 'order-1',
    content: {
      carousel: ['first', 'second'].map(title => ({
        title,
        text: 'text',
        media: 'maapfile://elsewhere-1',
        button: [{ type: 'URL', name: 'open', url: 'https://example.com' }],
      })),
    },
  });
  await console.operate('PUT', '/accounts/demo/registry/sender/0212345678', {});
  const ref = '주문번호-2026-11-15-서울-강남-0001';
  await console.operate('POST', '/accounts', { id: LONG_NAME });
  await console.operate('PUT', `/accounts/${LONG_NAME}/registry/sender/0212345678`, {});
  for (const to of ['01012340005', '01012340006']) {
    await console.operate('POST', `/accounts/${LONG_NAME}/send/sms`, { ...sms(to), ref });
  }
  await console.operate('POST', `/accounts/${LONG_NAME}/send/international`, sms('+14155550123'));
  const template = {
    kind: 'alimtalkTemplate',
    key: `${'long-sender-key-'.repeat(3)}/${'long-template-code-'.repeat(3)}`,
    text: '#{이름}님, 주문하신 상품이 출발했습니다.\n'.repeat(5),
    buttons: [{ type: 'WL', name: '배송 조회', urlMobile: 'https://example.com/#{운송장}' }],
    state: 'rejected',
    reason: '버튼 링크가 확인되지 않습니다. 접속할 수 있는 주소로 수정한 뒤 다시 요청해 주세요.',
  };
  await console.operate('POST', `/accounts/${LONG_NAME}/templates/import`, { templates: [template] });
  // Its JSON has long lines.
  await saveForm(console.url, [{ mms: { from: '0212345678', text: 'long '.repeat(80) } }]);
  const templatePath = `/templates/${template.kind}/${encodeURIComponent(template.key)}?account=${LONG_NAME}`;

  async function show(page: Page, path: string): Promise<void> {
    await page.goto(`${console.url}/console${path}`);
    await page.locator('main h1').first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
  }

  await t.test('hold no barriers and fit every screen, in both languages and themes', async t => {
    const page = await console.open('/', { colorScheme: 'light' });
    const listed = await page
      .locator('.nav-group a')
      .evaluateAll(links => links.map(link => String(link.getAttribute('href')).replace('/console', '')));
    assert.ok(listed.includes('/audit'), listed.join());
    let language = 'en';
    for (const path of [...listed, '/accounts/demo', `/messages/${sent.msgKey}`, templatePath, '/nowhere']) {
      await t.test(path, async () => {
        await page.emulateMedia({ colorScheme: 'light' });
        await show(page, path);
        if (path === '/live') {
          await console.operate('POST', '/accounts/demo/send/sms', sms('01012345678'));
          await page.locator('.feed-row').first().waitFor();
        }
        // What is folded has to fit as well, the name of another mode, and a state that is soon over.
        await page.evaluate(`
          for (const details of document.querySelectorAll('details')) details.open = true;
          for (const badge of document.querySelectorAll('.feed-state > *')) badge.textContent = 'Retrying';
          document.querySelector('.mode').textContent = 'Production';
        `);
        assert.deepEqual(await barriers(page), []);
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await barriers(page, 'runOnly: ["color-contrast"]'), [], 'in the dark');
        for (const next of [language, language === 'en' ? 'ko' : 'en']) {
          if (next !== language) await page.getByLabel(/Language|언어/).selectOption(next);
          language = next;
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 900 });
            assert.deepEqual(await overflows(page), [], `${language}, ${width} wide`);
          }
        }
      });
    }
  });

  await t.test('are all reached on a phone', async () => {
    const page = await console.open('/', { viewport: { width: 375, height: 740 }, locale: 'ko-KR' });
    await page.getByRole('button', { name: '더보기' }).click();
    await page.getByRole('link', { name: '감사 로그' }).click();
    await page.getByRole('heading', { name: '감사 로그' }).waitFor();

    // Nine filters leave room for the list.
    await page.getByRole('link', { name: '메시지', exact: true }).last().click();
    const row = page.locator('tbody tr').first();
    await row.waitFor();
    assert.ok(((await row.boundingBox())?.y ?? 740) < 500);
    const state = page.getByLabel('상태');
    assert.equal(await state.isVisible(), false);
    await page.getByRole('button', { name: '필터 더 보기' }).click();
    await state.waitFor();

    // Whoever comes by keyboard sees where he is, also beside the bar at the bottom.
    await state.focus();
    while (
      !(await page.evaluate('document.activeElement === [...document.querySelectorAll("tbody a")].at(-1)'))
    ) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(FOCUS_COVERED), undefined);
    }
  });

  await t.test(
    'stand beside the API reference: searched, authorised once, called, in both languages',
    async () => {
      const page = await console.window({ viewport: { width: 1440, height: 900 } });
      await page.goto(`${console.url}/docs`);
      await page.getByRole('heading', { name: 'Client API' }).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.equal(
        await page.getByRole('link', { name: 'List the accounts' }).count(),
        0,
        'operators are apart',
      );

      await page.keyboard.press('/');
      await page.keyboard.type('paymentCode');
      await page.getByText(/^[1-9] operations? found$/).waitFor({ state: 'attached' });
      await page.getByRole('searchbox').fill('/v1/send/sms');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Send an SMS', level: 1 }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/docs/sendSms');
      assert.equal(await page.evaluate('document.activeElement.id'), 'content');
      for (const [language, word] of Object.entries(SAMPLE_WORDS)) {
        await page.getByRole('radio', { name: language, exact: true }).check();
        await page.locator('aside pre', { hasText: word }).waitFor();
      }
      assert.deepEqual(await barriers(page), []);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await barriers(page, 'runOnly: ["color-contrast"]'), [], 'in the dark');

      await page.getByRole('button', { name: 'Authorise' }).click();
      await page.getByLabel('Account ID').fill('demo');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Get a token' }).click();
      await page.getByText('Invalid authentication information (A100)').waitFor();
      await page.getByLabel('Password').fill('correct horse battery staple');
      await page.getByRole('button', { name: 'Get a token' }).click();
      await page.getByRole('button', { name: 'Authorised' }).waitFor();

      // Kept for the session, also in another language.
      await page.reload();
      await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('ko');
      await page.getByRole('heading', { name: 'SMS 발송', level: 1 }).waitFor();
      await page.getByText('발신번호. 숫자만 입력합니다.').waitFor();
      await page.getByRole('button', { name: '호출', exact: true }).click();
      await page.locator('.try pre', { hasText: '"result": "성공"' }).waitFor();
      assert.deepEqual(await barriers(page), []);

      await page.getByRole('link', { name: '운영자 API' }).click();
      await page.getByRole('link', { name: '계정 목록' }).first().waitFor();
      for (const width of [390, 800, 1024]) {
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      }
    },
  );

  await t.test('speak the language of the browser, and another on demand', async () => {
    const page = await console.open('/messages', { locale: 'ko-KR' });
    await page.getByRole('heading', { name: '메시지', exact: true }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'ko');
    // What the gateway says is in the same language, and follows it.
    await show(page, `/messages/${sent.msgKey}`);
    await page.getByText('일치하는 라우팅 규칙 없음; 그 밖의 메시지는 simulator에서 처리').waitFor();
    await page.getByText('파일 키 오류').first().waitFor();
    await page.getByLabel('언어').selectOption('en');
    await page.getByText('no route matches; simulator serves the rest').waitFor();
    await page.getByText('Invalid file key').first().waitFor();
    await page.reload();
    await page.getByText('no route matches; simulator serves the rest').waitFor();
  });

  await t.test('follow the theme of the system, and another on demand', async () => {
    const page = await console.open('/messages', { colorScheme: 'light' });
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByLabel('Theme').selectOption('dark');
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
    assert.equal(await ground(), dark);
  });

  await t.test('find a message by its reference, and say so when there is none', async () => {
    const page = await console.open('/messages');
    await page.getByLabel('Reference').fill('order-1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: '01012340001' }).click();
    await page.getByText(String(sent.msgKey)).first().waitFor();
    await page.goBack();
    assert.equal(await page.getByLabel('Reference').inputValue(), 'order-1');
    await page.getByLabel('Reference').fill('no-such-order');
    await page.keyboard.press('Enter');
    await page.getByText('No messages match').waitFor();
    await page.getByLabel('Reference').and(page.locator(':focus')).waitFor();
  });

  await t.test('show and search times in one zone, which is named and can be changed', async () => {
    const page = await console.open('/messages', { timezoneId: 'America/New_York' });
    const times = page.locator('tbody tr').last().locator('time');
    const sentAt = Date.parse((await times.getAttribute('datetime')) ?? '');
    const shown = async (zone: string) => {
      const time = localOf(sentAt, zone).slice(11, 19);
      await times.and(page.getByText(new RegExp(`${time}$`))).waitFor();
    };
    await shown('Asia/Seoul');
    // The minute before, as the table shows it.
    const from = page.getByLabel('From');
    await from.fill(localOf(sentAt - 60_000, 'Asia/Seoul').slice(0, 16));
    await page.getByLabel('Until').fill(localOf(sentAt + 60_000, 'Asia/Seoul').slice(0, 16));
    await page.getByRole('button', { name: 'Search' }).click();
    await shown('Asia/Seoul');
    const zone = page.getByLabel('Time zone');
    assert.match(await zone.innerText(), /Asia\/Seoul · gateway/);
    await zone.selectOption('browser');
    await shown('America/New_York');
    assert.equal(await from.inputValue(), localOf(sentAt - 60_000, 'America/New_York').slice(0, 16));
    await zone.selectOption('utc');
    await page.reload();
    await shown('UTC');
  });

  await t.test('are found from the keyboard, as are messages and accounts', async () => {
    const page = await console.open('/carriers');
    const input = page.getByRole('combobox', { name: 'Message key, number, account or page' });
    const option = (name: RegExp) => page.getByRole('option', { name });
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.tagName');

    await page.keyboard.press('/');
    await input.fill('감사');
    await option(/Audit log/).waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    assert.equal(await input.count(), 0);
    assert.equal(await focused(), 'content');
    await page.locator('#announcer').getByText('Audit log').waitFor({ state: 'attached' });

    await page.keyboard.press('Control+k');
    await input.fill('+1 415-555-0123');
    await option(/14155550123/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '+14155550123' }).waitFor();

    await page.keyboard.press('Control+k');
    await input.fill(String(sent.msgKey));
    await option(/01012340001.*demo/).waitFor();
    await input.fill('demo');
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=option][aria-selected=true]', { hasText: 'demoMessages' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^demo/ }).waitFor();
    assert.match(page.url(), /accounts\/demo$/);

    // A slash that is typed is a slash, and Escape gives the focus back.
    const field = page.getByLabel('Webhook URL');
    await field.focus();
    await page.keyboard.press('/');
    assert.equal(await field.inputValue(), '/');
    await page.keyboard.press('Control+k');
    await input.fill('nothing is called so');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await input.count(), 0);
    await field.and(page.locator(':focus')).waitFor();
  });

  await t.test('keep their filters in the address', async () => {
    const page = await console.open('/reports');
    await page.getByLabel('Account').selectOption('demo');
    assert.match(page.url(), /reports\?account=demo$/);
    await page.getByRole('row').or(page.getByText('No reports waiting')).first().waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('State').selectOption('failed');
    await page.goBack();
    await page.reload();
    const shows = (label: string, value: string) =>
      until(`${label} is ${value}`, async () => (await page.getByLabel(label).inputValue()) === value);
    await shows('Account', 'demo');
    await page.goForward();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await shows('State', 'failed');
  });

  await t.test('show what happens as it happens, hold it when paused, and filter it', async () => {
    const page = await console.open('/live');
    await page.locator('.pulse-on').waitFor();
    await console.operate('POST', '/accounts/demo/send/sms', sms('01055550000'));
    await page.getByRole('link', { name: '01055550000' }).first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await console.operate('POST', '/accounts/demo/send/sms', sms('01055550011'));
    await page.getByText(/new while paused/).waitFor();
    assert.equal(await page.getByRole('link', { name: '01055550011' }).count(), 0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('link', { name: '01055550011' }).first().waitFor();
    await page.getByLabel('Recipient, key or code').fill('01055550011');
    await page.getByRole('link', { name: '01055550000' }).first().waitFor({ state: 'detached' });
  });

  await t.test('hand a batch of reports over and acknowledge it', async () => {
    await console.operate('POST', '/accounts', { id: 'polled' });
    await console.operate('POST', '/accounts/polled/send/sms', sms('01055550022'));
    const page = await console.open('/reports');
    await page.getByLabel('Account').selectOption('polled');
    await page.getByText('No reports waiting').or(page.getByText('10000')).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('cell', { name: /10000 Delivered/ }).waitFor();
    const acknowledge = page.getByRole('button', { name: 'Acknowledge' });
    await acknowledge.click();
    const question = page.getByRole('group', { name: 'The client will not get this report. Continue?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('cell', { name: /10000 Delivered/ }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.innerText.trim()'), 'Acknowledge');
    await acknowledge.click();
    await question.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('No reports waiting for this account').waitFor();
  });

  await t.test('create an account, show its password once, block it, keep its settings', async () => {
    const page = await console.open('/accounts');
    await page.getByLabel('Account ID').fill('acme');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.locator('.notice-secret:focus').getByText('Password of acme').waitFor();
    await page.getByRole('link', { name: 'acme' }).click();
    const card = page.locator('main');
    await page.getByRole('heading', { name: 'acme', level: 1 }).waitFor();
    await card.getByRole('button', { name: 'Block' }).click();
    assert.equal(await card.getByText('Blocked').count(), 0, 'not with one press');
    await card.getByRole('group').getByRole('button', { name: 'Block' }).click();
    await card.getByText('Blocked').waitFor();
    await card.getByRole('button', { name: 'New password' }).click();
    await card.getByRole('group').getByRole('button', { name: 'New password' }).click();
    await page.locator('.notice-secret:focus').getByText('Password of acme').waitFor();
    await card.getByText('0 of 2,000 MB').first().waitFor();
    await card.getByLabel('Recipients per second').fill('7');
    await card.getByLabel('Max size of uploaded files').fill('0.5');
    await card.getByLabel('Allowed addresses').fill('192.0.2.0/24\n\n10.0.0.1/8');
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('"10.0.0.1/8" has bits after its prefix of 8').waitFor();
    await card.getByLabel('Allowed addresses').fill('192.0.2.0/24\n\n10.0.0.0/8\n');
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Saved.').waitFor();
    await card.getByText('0 of 0.5 MB').waitFor();
    await page.reload();
    await card.getByLabel('Recipients per second').waitFor();
    assert.equal(await card.getByLabel('Recipients per second').inputValue(), '7');
    assert.equal(await card.getByLabel('Allowed addresses').inputValue(), '192.0.2.0/24\n10.0.0.0/8');

    await card.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete the account acme' });
    const submit = dialog.getByRole('button', { name: 'Delete' });
    await dialog.getByLabel('Type acme to confirm').fill('acm');
    assert.equal(await submit.isDisabled(), true);
    await dialog.getByLabel('Type acme to confirm').fill('acme');
    await submit.click();
    await page.getByText('The account acme is deleted').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('link', { name: 'demo' }).click();
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Block the account first').waitFor();
    await page.keyboard.press('Escape');
  });

  await t.test('delete an image, and change a form field by field and as JSON', async () => {
    const upload = new FormData();
    upload.append('file', new Blob([image('jpg', 640, 480)]), 'sale.jpg');
    await console.operate('POST', '/accounts/demo/files/MMS', upload);
    const page = await console.open('/files');
    await page.getByLabel('Account').selectOption('demo');
    const file = page.locator('.file').filter({ hasText: 'sale.jpg' });
    await file.waitFor();
    assert.equal(await page.locator('.image-picker select').count(), 0, 'there is nothing to pick for');
    await file.getByRole('button', { name: 'Remove' }).click();
    await file.getByRole('group').getByRole('button', { name: 'Remove' }).click();
    await file.waitFor({ state: 'detached' });

    const formId = await saveForm(console.url, [
      { rcs: { ...RCS_TEXT, content: { standalone: { text: 'Dear #{name}' } } } },
      { sms: { from: '0212345678', text: 'Dear #{name}' } },
    ]);
    await page.getByRole('link', { name: 'Forms' }).click();
    const card = page.locator('.card').filter({ hasText: formId });
    await card.getByRole('button', { name: 'Edit' }).click();
    const second = page.getByRole('region', { name: 'Fallback 1' });
    await second.getByLabel('Text', { exact: true }).fill('x'.repeat(91));
    await page.getByText(/91 \/ 90 bytes/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('A328').waitFor();
    await second.getByLabel('Text', { exact: true }).fill('Hello #{name}');
    await page.getByRole('button', { name: 'JSON' }).click();
    const json = page.getByLabel('messageForm');
    await json.fill((await json.inputValue()).replace('Dear #{name}', 'Welcome #{name}'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Saved ${formId}.`).waitFor();
    const { forms } = (await console.operate('GET', '/forms')).data as { forms: { entries: unknown }[] };
    assert.deepEqual(forms[0]?.entries, [
      { rcs: { ...RCS_TEXT, content: { standalone: { text: 'Welcome #{name}' } } } },
      { sms: { from: '0212345678', text: 'Hello #{name}' } },
    ]);
  });

  await t.test('trouble the simulated network and calm it again', async () => {
    const page = await console.open('/simulator');
    await page.getByLabel('Dropped connections').fill('0.25');
    await page.getByLabel('Characters per part').fill('40');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Injecting faults').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('No faults injected').waitFor();
  });
});

const RCS_TEXT = { from: '0212345678', brandKey: 'brand', formatId: 'SS000000' };

/** As its client saves it; resolves to its id. */
async function saveForm(url: string, messageForm: readonly object[]): Promise<string> {
  const credentials = {
    'x-svc-client-id': 'demo',
    'x-svc-client-passwd': 'correct horse battery staple',
  };
  const answer = await fetch(`${url}/v1/auth/token`, { method: 'POST', headers: credentials });
  const { data } = (await answer.json()) as { data: { token: string } };
  const saved = await fetch(`${url}/v1/form`, {
    method: 'POST',
    headers: { ...bearer(data.token), 'content-type': 'application/json' },
    body: JSON.stringify({ messageForm }),
  });
  return ((await saved.json()) as { data: { formId: string } }).data.formId;
}

function sms(to: string): object {
  return { from: '0212345678', to, text: 'hello' };
}
