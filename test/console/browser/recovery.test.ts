/** What the console does when the gateway does not answer, or answers what a page did not expect. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '../../harness/until.ts';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const ACCOUNTS = /\/admin\/v1\/accounts\?/;

test('the console recovers', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const { msgKey = '' } = await console.operate('POST', '/accounts/demo/send/sms', {
    from: '0212345678',
    to: '01012345678',
    text: 'hello',
  });

  await t.test('pages about an account say why it cannot be read, and recover by themselves', async () => {
    const page = await console.open('/audit');
    for (const path of ['/registry', '/reports', '/files', '/optouts', '/templates']) {
      await page.route(ACCOUNTS, route => route.fulfill({ status: 503, body: 'down' }));
      await page.goto(`${console.url}/console${path}`);
      await page.getByRole('alert').getByText('HTTP 503').waitFor();
      await page.unroute(ACCOUNTS);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.getByLabel('Account').getByText('demo').waitFor({ state: 'attached' });
      await page.locator('.loading').first().waitFor({ state: 'detached' });
    }
  });

  await t.test(
    'a page that was open while the gateway was away shows what it showed, and is current again',
    async () => {
      const page = await console.open('/carriers');
      const card = page.getByRole('heading', { name: /^simulator/ });
      await card.waitFor();
      await page.route('**/admin/v1/carriers', route => route.abort());
      await page.getByRole('alert').getByText('not responding').waitFor();
      assert.equal(await card.count(), 1);
      await page.unroute('**/admin/v1/carriers');
      await page.getByRole('alert').waitFor({ state: 'detached' });
    },
  );

  await t.test('addresses that nothing is behind are answered with a page', async () => {
    const page = await console.open('/audit');
    await page.goto(`${console.url}/console/messages/%zz`);
    await page.getByText('Message not found').first().waitFor();
    await page.route('**/admin/v1/accounts/demo/registry*', route =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({
          code: 'A000',
          result: 'Success',
          data: { entries: [{ kind: 'ofTomorrow', key: 'one', flavour: 'new' }] },
        }),
      }),
    );
    await page.goto(`${console.url}/console/registry?account=demo`);
    await page.getByRole('cell', { name: 'ofTomorrow' }).first().waitFor();
    await page.unrouteAll();
  });

  await t.test('a state that only a newer gateway knows is shown as it is', async () => {
    const page = await console.open('/audit');
    await page.route('**/admin/v1/nodes', async route => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('"running"', '"ofTomorrow"') });
    });
    await page.goto(`${console.url}/console/nodes`);
    await page.locator('.badge-plain').getByText('ofTomorrow').waitFor();
    await page.unrouteAll();
  });

  await t.test('a page that fails while it is drawn leaves the others', async () => {
    const page = await console.open('/audit');
    await page.route('**/admin/v1/nodes', route =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({ code: 'A000', result: 'Success', data: { nodes: 'none', drift: [] } }),
      }),
    );
    await page.getByRole('link', { name: 'Nodes' }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).first().waitFor();
    await page.getByRole('link', { name: 'Routes' }).click();
    await page.getByRole('heading', { name: 'Routes', level: 1 }).waitFor();
    await page.unrouteAll();
  });

  await t.test('a session that has ended leads to sign-in, also from the composer', async () => {
    const page = await console.open('/compose');
    await page.getByText('Ready to send').waitFor();
    await page.context().clearCookies();
    await page.getByLabel('Text', { exact: true }).fill('written after the session');
    await page.getByText('Your session has ended').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  await t.test('a live feed that was refused is opened again', async () => {
    const page = await console.open('/audit');
    await page.route('**/admin/v1/events', route => route.fulfill({ status: 429, body: '{}' }));
    await page.getByRole('link', { name: 'Live' }).click();
    await page.getByText('refused another live feed').waitFor();
    await page.unroute('**/admin/v1/events');
    await page.locator('.pulse-on').waitFor();
    await page.getByText('refused another live feed').waitFor({ state: 'detached' });
  });

  await t.test(
    'a gateway that is away at the start is waited for, without a question for the token',
    async () => {
      const page = await console.open('/audit');
      await page.route('**/admin/v1/session', route => route.abort());
      await page.reload();
      await page.getByText('The gateway is not responding').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0);
      await page.unroute('**/admin/v1/session');
      await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    },
  );

  await t.test('settings that somebody else changed meanwhile stay', async () => {
    const page = await console.open('/accounts/demo');
    const card = page.getByRole('region', { name: 'Settings' });
    await card.getByLabel('Recipients per second').fill('7');
    await console.operate('PATCH', '/accounts/demo', { settings: { callRate: 9, formLimit: 12 } });
    await card.getByLabel('Opt-out keywords').fill('STOP, ');
    await card.getByLabel('Opt-out keywords').press('End');
    await card.getByLabel('Opt-out keywords').pressSequentially('QUIT');
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Saved.').waitFor();
    const { data } = await console.operate('GET', '/accounts/demo');
    const { sendRate, callRate, formLimit, optOutKeywords } = (data as { settings: Record<string, unknown> })
      .settings;
    assert.deepEqual({ sendRate, callRate, formLimit }, { sendRate: 7, callRate: 9, formLimit: 12 });
    assert.deepEqual(optOutKeywords, ['STOP', 'QUIT']);
    await until('the form shows what is set now', async () => {
      return (await card.getByLabel('Other calls per second').inputValue()) === '9';
    });
  });

  await t.test(
    'a setting that somebody else changed meanwhile is told before it is overwritten',
    async () => {
      const page = await console.open('/accounts/demo');
      const card = page.getByRole('region', { name: 'Settings' });
      await card.getByLabel('Recipients per second').fill('21');
      await console.operate('PATCH', '/accounts/demo', { settings: { sendRate: 22 } });
      await card.getByRole('button', { name: 'Save' }).click();
      await card.getByRole('alert').getByText('it is 22 now').waitFor();
      const sendRate = async () => {
        const { data } = await console.operate('GET', '/accounts/demo');
        return (data as { settings: { sendRate: number } }).settings.sendRate;
      };
      assert.equal(await sendRate(), 22);
      await until('who saves once more knows it', async () => {
        await card.getByRole('button', { name: 'Save' }).click();
        return (await sendRate()) === 21;
      });
    },
  );

  await t.test('what was too late to cancel says so until it was read', async () => {
    const page = await console.open('/audit');
    const { data } = await console.operate('GET', `/messages/${msgKey}`);
    let state = 'queued';
    await page.route(`**/admin/v1/messages/${msgKey}`, route =>
      route.fulfill({ json: { code: 'A000', result: 'Success', data: { ...(data as object), state } } }),
    );
    await page.route('**/admin/v1/messages/cancel', route => {
      state = 'submitted';
      return route.fulfill({ json: { code: 'A000', result: 'Success', data: { ended: 0, tooLate: 1 } } });
    });
    await page.goto(`${console.url}/console/messages/${msgKey}`);
    await page.getByRole('button', { name: 'Cancel message' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Cancel message' }).click();
    await page.locator('.badge').getByText('Sent', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Cancel message' }).waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText('Too late: a carrier has it').waitFor();
    await page.unrouteAll();
  });

  await t.test('a refusal goes when what was refused is changed', async () => {
    const page = await console.open('/compose');
    await page.getByText('Ready to send').waitFor();
    await page.route('**/admin/v1/accounts/demo/send/*', route =>
      route.fulfill({ status: 429, json: { code: 'A020', result: 'The queue is full' } }),
    );
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').getByText('The queue is full').waitFor();
    await page.getByRole('region', { name: 'First message' }).getByLabel('Channel').selectOption('mms');
    await page.getByRole('alert').getByText('The queue is full').waitFor({ state: 'detached' });
    await page.unrouteAll();
  });

  await t.test(
    'draining the only sending node shows a warning, and every page says that nothing is sent',
    async () => {
      const page = await console.open('/nodes');
      await page.getByRole('button', { name: 'Drain' }).click();
      await page.getByRole('group', { name: /only one that sends/ }).waitFor();
      await page.getByRole('group').getByRole('button', { name: 'Drain' }).click();
      await page.getByText('Drained').first().waitFor();
      await page.getByRole('link', { name: 'Live' }).click();
      const strip = page.getByRole('region', { name: 'Needs attention' });
      await strip.getByText('nothing is sent').waitFor();
      await page.getByRole('link', { name: 'Nodes', exact: true }).click();
      await page.locator('.cards').getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Running').first().waitFor();
      await page.getByRole('link', { name: 'Live' }).click();
      await strip.waitFor({ state: 'detached' });
    },
  );

  await t.test('a message has the number of its last attempt, whatever happened after it', async () => {
    await until('its report is there', async () => {
      const { data } = await console.operate('GET', '/accounts/demo/reports');
      const { reportId } = data as { reportId: string };
      if (reportId) await console.operate('DELETE', `/accounts/demo/reports/${reportId}`);
      return reportId !== '';
    });
    const page = await console.open(`/messages/${msgKey}`);
    await page.getByText('Report fetched by the client').waitFor();
    assert.match(
      await page
        .locator('.summary div')
        .filter({ hasText: /^Attempt/ })
        .innerText(),
      /^Attempt\s+1$/i,
    );
  });

  await t.test('a message that has just failed comes to Failures by itself', async () => {
    const page = await console.open('/failures');
    await page.getByText('No failures counted today').waitFor();
    await console.operate('POST', '/accounts/demo/send/sms', {
      from: '0212345678',
      to: '01012340001',
      text: 'hello',
    });
    await page.getByRole('link', { name: '1 message' }).waitFor();
  });

  await t.test('a part of a number finds nothing, and is no fault', async () => {
    const page = await console.open('/optouts?account=demo');
    let asked = 0;
    page.on('request', request => {
      if (request.url().includes('to=')) asked += 1;
    });
    await page.getByLabel('Recipient').fill('0101');
    await page.getByLabel('Recipient').fill('01012345678');
    await until('the whole number is asked for', () => asked > 0);
    assert.equal(asked, 1);
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  await t.test('the address of a file stays until the browser has read it', async () => {
    const page = await console.open('/messages');
    await page.evaluate(
      'globalThis.revoked = 0; URL.revokeObjectURL = () => { globalThis.revoked += 1; }; undefined',
    );
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    assert.equal(await download.failure(), null);
    assert.equal(await page.evaluate('globalThis.revoked'), 0);
  });

  await t.test('the same search once more asks the gateway once more', async () => {
    const page = await console.open(`/messages?key=${msgKey}`);
    await page.getByRole('row', { name: /01012345678/ }).waitFor();
    let asked = 0;
    page.on('request', request => {
      if (request.url().includes('/admin/v1/messages?')) asked += 1;
    });
    await page.getByRole('button', { name: 'Search' }).click();
    await until('it was asked', () => asked > 0);
  });
});
