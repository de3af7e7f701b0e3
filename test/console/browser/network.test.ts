/** Carriers, routes and webhooks in the console: what an operator does when something is wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { localOf } from '../../../console/src/times.ts';
import { configFile } from '../../harness/scratch.ts';
import { until } from '../../harness/until.ts';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const FILE = `
carriers:
  sky: { kind: simulator }
  sea: { kind: simulator }
routes:
  - { channel: sms, prefix: ["010"], via: [sky, sea] }
`;

interface Receiver {
  readonly url: string;
  /** Of the records that it took. */
  readonly keys: string[];
  isBroken: boolean;
}

/** A receiver of webhooks that answers as it should, unless it is broken. */
async function startReceiver(t: TestContext): Promise<Receiver> {
  const keys: string[] = [];
  const server = createServer(async (request, response) => {
    const { msgKey } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (receiver.isBroken) return response.writeHead(503).end('out of order');
    keys.push(msgKey);
    response.end(JSON.stringify({ msgKey }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver = { url: `http://127.0.0.1:${port}/reports`, keys, isBroken: false };
  return receiver;
}

test('operating', { skip: withoutBrowser }, async t => {
  const path = configFile(FILE);
  const console = await openConsole(t, { BONGSU_CONFIG: path, BONGSU_WEBHOOK_PRIVATE: 'allow' });
  const receiver = await startReceiver(t);
  await console.operate('PATCH', '/accounts/demo', {
    settings: { reportMode: 'webhook', webhookUrl: receiver.url },
  });
  const send = async () => {
    const body = { from: '0212345678', to: '01012345678', text: 'hello' };
    return (await console.operate('POST', '/accounts/demo/send/sms', body)).msgKey ?? '';
  };

  await t.test('a carrier is tested, paused and resumed', async () => {
    const page = await console.open('/carriers');
    const sky = page.locator('.card', { has: page.getByRole('heading', { name: /^sky/ }) });
    await sky.getByText('a simulated network').first().waitFor();
    await sky.getByRole('button', { name: 'Test' }).click();
    await sky.getByRole('status').waitFor();
    await sky.getByRole('button', { name: 'Pause' }).click();
    await sky.getByRole('group', { name: 'Nothing is sent through it' }).getByText('Pause').click();
    await sky.getByText('Paused').waitFor();
    await sky.getByRole('button', { name: 'Resume' }).waitFor();

    await page.goto(`${console.url}/console/routes`);
    await page.getByRole('cell', { name: 'sky → sea' }).waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('routes[0]; sky is not available').waitFor();

    await page.goto(`${console.url}/console/carriers`);
    await sky.getByRole('button', { name: 'Resume' }).click();
    await sky.getByRole('button', { name: 'Pause' }).waitFor();
    await page.goto(`${console.url}/console/audit`);
    await page.getByRole('cell', { name: /sky/ }).first().waitFor();
  });

  await t.test('the way a message took is on its page', async () => {
    const msgKey = await send();
    const page = await console.open(`/messages/${msgKey}`);
    await page.locator('.timeline').getByText('routes[0]').waitFor();
    await until('its report was pushed', () => receiver.keys.includes(msgKey));
  });

  await t.test('a webhook is tested with its whole exchange, and its records are sent again', async () => {
    const msgKey = await send();
    await until('its report was pushed', () => receiver.keys.includes(msgKey));
    const page = await console.open('/webhooks');
    await page.getByLabel('Account').selectOption('demo');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The receiver responded correctly').waitFor();
    const exchange = page.locator('.exchange');
    await exchange.getByText(`POST ${receiver.url}`).waitFor();
    await exchange.getByText('webhook-signature: v1,').waitFor();
    await exchange.getByText('Waiting for the response').waitFor();
    await page.getByRole('row').filter({ hasText: msgKey }).getByText('Delivered').waitFor();
    assert.match(page.url(), /account=demo/, 'the filter is in the address');

    const before = receiver.keys.filter(key => key === msgKey).length;
    await page.getByText('Push again').first().click();
    const minute = (offset: number) => localOf(Date.now() + offset, 'Asia/Seoul').slice(0, 16);
    await page.getByLabel('Which reports').selectOption('all');
    await page.getByLabel('From').fill(minute(-120_000));
    await page.getByLabel('Until').fill(minute(120_000));
    await page.getByRole('button', { name: 'Push again' }).click();
    await until('it comes again', () => receiver.keys.filter(key => key === msgKey).length > before);
  });

  await t.test('a failing receiver is explained, an attempt shows its exchange, and is retried', async () => {
    receiver.isBroken = true;
    const keys: string[] = [];
    for (let index = 0; index < 6; index++) keys.push(await send());
    await until('its circuit is open', async () => {
      const { data } = await console.operate('GET', '/accounts/demo/webhook');
      return (data as { circuit: string }).circuit === 'open';
    });
    const page = await console.open('/webhooks?account=demo');
    await page.getByText('The receiver keeps failing').waitFor();
    await page.getByText('HTTP 503; expected 200').first().waitFor();
    await page.getByLabel('State').selectOption('retrying');
    const row = page.getByRole('row').filter({ hasText: 'Retrying' }).first();
    await row.getByText('receiver is failing').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Webhook delivery' }).waitFor();
    await page.locator('.attempt[open]').getByText('out of order').waitFor();

    receiver.isBroken = false;
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.locator('.page-head').getByText('Delivered').waitFor();
    await until('all of them came', () => keys.every(key => receiver.keys.includes(key)));
    await page.goBack();
    await page.getByLabel('State').waitFor();
    assert.equal(await page.getByLabel('State').inputValue(), 'retrying', 'Back keeps the filter');
  });

  assert.deepEqual(console.faults, []);
});
