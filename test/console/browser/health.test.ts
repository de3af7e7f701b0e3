/** What needs attention: on the start page, and above every other page. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { answerWith, startReceiver } from '../../harness/receiver.ts';
import { configFile } from '../../harness/scratch.ts';
import { Smsc } from '../../harness/smsc/smsc.ts';
import { barriers } from './barriers.ts';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';
import { overflows } from './overflow.ts';

const DOCTOR = '**/admin/v1/doctor*';

test('what needs attention', { skip: withoutBrowser }, async t => {
  const mute = await Smsc.listen();
  t.after(() => mute.close());
  mute.behaviour = { submit: () => ({ kind: 'silent' }) };
  const globe = await Smsc.listen();
  const { port } = globe;
  await globe.close();
  const receiver = await startReceiver(t, answerWith(503));
  const smpp = (at: number) =>
    `{ kind: smpp, host: 127.0.0.1, port: ${at}, systemId: bongsu, password: secret, window: 1 }`;
  const console = await openConsole(t, {
    BONGSU_WEBHOOK_PRIVATE: 'allow',
    BONGSU_CONFIG: configFile(`
carriers:
  globe: ${smpp(port)}
  mute: ${smpp(mute.port)}
  sky: { kind: simulator }
routes:
  - { channel: sms, account: [silent], via: [mute] }
  - { channel: sms, account: [hook], via: [sky] }
  - { channel: sms, via: [globe] }
`),
  });
  const send = (account: string, to: string) =>
    console.operate('POST', `/accounts/${account}/send/sms`, { from: '0212345678', to, text: 'hello' });

  await t.test('while nothing is wrong the start page says so, and no other page has a strip', async () => {
    const page = await console.open('/');
    await page.route(DOCTOR, route =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({ code: 'A000', result: 'Success', data: { findings: [] } }),
      }),
    );
    await page.reload();
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Needs attention' }).count(), 0);
    await page.unrouteAll();
  });

  await t.test('a carrier that is down or silent, a webhook and a drained node are all named', async () => {
    for (const id of ['silent', 'hook']) await console.operate('POST', '/accounts', { id });
    await console.operate('PATCH', '/accounts/hook', {
      settings: { reportMode: 'webhook', webhookUrl: receiver.url },
    });
    for (let index = 0; index < 6; index++) {
      await send('demo', `0101234567${index}`);
      await send('silent', `0101234567${index}`);
      await send('hook', `0101234567${index}`);
    }
    const page = await console.open('/');
    const health = page.getByRole('region', { name: 'Needs attention' });
    const line = (text: RegExp) => health.getByRole('listitem').filter({ hasText: text });
    await line(/The webhook of hook has failed since/).waitFor();
    const { data } = await console.operate('GET', '/nodes');
    const [node] = (data as { nodes: readonly { node: string }[] }).nodes;
    await console.operate('POST', `/nodes/${encodeURIComponent(node?.node ?? '')}/drain`);
    await line(/globe is down.*6 messages are waiting; no other carrier serves routes\[2\]/).waitFor();
    await line(/mute is full/).waitFor();
    await line(/The node .* is drain(ed|ing).*nothing is sent/).waitFor();
    assert.match(await health.getByRole('listitem').first().innerText(), /^Problem/);
  });

  await t.test('the strip names the worst above every page, and acts there', async () => {
    const page = await console.open('/audit');
    const strip = page.getByRole('region', { name: 'Needs attention' });
    await strip.getByRole('listitem').nth(2).waitFor();
    await strip.getByRole('link', { name: /^All \d$/ }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await page.goBack();
    const down = strip.getByRole('listitem').filter({ hasText: 'globe is down' });
    await down.getByRole('button', { name: 'Test' }).click();
    await strip
      .getByText(/ECONNREFUSED/)
      .nth(1)
      .waitFor();
    await down.getByRole('button', { name: 'Pause' }).click();
    await down.getByRole('button', { name: 'Pause' }).click();
    const paused = strip.getByRole('listitem').filter({ hasText: 'globe is paused, and it is down' });
    await paused.getByRole('button', { name: 'Resume' }).click();
    await down.waitFor();
  });

  await t.test('a drained node is resumed from where it is told', async () => {
    const page = await console.open('/');
    const line = page.getByRole('listitem').filter({ hasText: 'nothing is sent' });
    await line.getByRole('button', { name: 'Resume' }).click();
    await line.waitFor({ state: 'detached' });
  });

  await t.test('a page that asks nothing by itself says that the gateway is away, and recovers', async () => {
    const page = await console.open('/compose');
    await page.route(DOCTOR, route =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({ code: 'A920', result: 'The store does not answer' }),
      }),
    );
    const strip = page.getByRole('region', { name: 'Needs attention' });
    await strip.getByText('The store does not answer').waitFor();
    await page.unrouteAll();
    await strip.getByText('globe is down').waitFor();
  });

  for (const locale of ['en-US', 'ko-KR']) {
    await t.test(`start page and strip have no barriers and fit (${locale})`, async () => {
      const page = await console.open('/', { locale });
      for (const path of ['/', '/audit']) {
        await page.goto(`${console.url}/console${path}`);
        await page.locator('.finding').first().waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await barriers(page), []);
          for (const width of [1440, 1024, 390]) {
            await page.setViewportSize({ width, height: 900 });
            assert.deepEqual(await overflows(page), []);
          }
        }
      }
    });
  }

  assert.deepEqual(
    console.faults.filter(fault => !fault.includes('503')),
    [],
  );
});
