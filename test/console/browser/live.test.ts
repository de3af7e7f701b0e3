/** The live page under a flood (how smooth it stays is measured by `npm run bench live`), its charts, and statistics. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../../../src/platform/clock.ts';
import { parseCsv } from '../../../src/platform/csv.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { scratchDirectory } from '../../harness/scratch.ts';
import { until } from '../../harness/until.ts';
import { answer, GLOBEX, StoreUnderTest } from '../../store/contract/store-under-test.ts';
import { openConsole, savedText } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const REQUESTS = 200;
const RECIPIENTS = 10;
const MOST_ROWS = 500;
const MOST_NODES = 20_000;

test('Live and Statistics', { skip: withoutBrowser }, async t => {
  const dataDir = await dataDirOfYesterday();
  const console = await openConsole(t, { BONGSU_SIMULATOR_LATENCY: '0', BONGSU_DATA_DIR: dataDir });
  const page = await console.open('/live');

  await t.test('the live page keeps its size while thousands of messages pass', async () => {
    await page.getByText('No events yet').waitFor();
    const flow = {
      destinations: Array.from({ length: RECIPIENTS }, (_, index) => ({ to: `0101234567${index}` })),
      messageFlow: [{ sms: { from: '0212345678', text: 'one of many' } }],
    };
    for (let sent = 0; sent < REQUESTS; sent += 20) {
      await Promise.all(
        Array.from({ length: 20 }, () => console.operate('POST', '/accounts/demo/send/omni', flow)),
      );
    }
    await page.getByText('more events came too fast to show').waitFor();
    const rows = await page.locator('.feed-row').count();
    const nodes = (await page.evaluate('document.getElementsByTagName("*").length')) as number;
    assert.ok(rows <= MOST_ROWS, `${rows} rows`);
    assert.ok(nodes < MOST_NODES, `${nodes} nodes`);
  });

  await t.test('a chart tells its values under the pointer, and with the arrow keys', async () => {
    const chart = page.locator('.chart', { hasText: 'Throughput' });
    const values = chart.locator('.chart-values');
    assert.equal(await values.isVisible(), false);
    await chart.locator('.u-over').hover({ position: { x: 40, y: 40 } });
    await page.locator('h1').hover();
    const points = chart.getByRole('slider', { name: 'Throughput' });
    await points.focus();
    await page.keyboard.press('End');
    await values.getByText(/Accepted [\d,.]+/).waitFor();
    await page.keyboard.press('ArrowLeft');
    assert.match(await values.innerText(), /^\d\d:\d\d:\d\d\s+Accepted\s+[\d,.—]+\s+Finished\s+[\d,.—]+$/);
    assert.match(
      String(await points.getAttribute('aria-valuetext')),
      /^\d\d:\d\d:\d\d, Accepted [\d,.—]+, Finished /,
    );
    await page.getByRole('button', { name: 'Pause' }).focus();
    await values.waitFor({ state: 'hidden' });
  });

  await t.test('an empty feed below figures says that it begins with the page', async () => {
    await until('all have ended', async () => {
      const { data } = await console.operate('GET', '/statistics');
      const { buckets } = data as { buckets: { delivered: number }[] };
      return buckets.reduce((sum, { delivered }) => sum + delivered, 0) >= REQUESTS * RECIPIENTS;
    });
    await page.reload();
    await page.getByText('No events since this page was opened').waitFor();
    assert.equal(await page.getByText('No events yet').count(), 0);
    await page.getByRole('link', { name: 'Open Messages' }).waitFor();
  });

  await t.test('statistics show a period, narrow it down, and are exported', async () => {
    await until('the messages of yesterday are counted', async () => {
      const { data } = await console.operate('GET', `/statistics/traffic?from=${weekAgo()}`);
      return (data as { total: { messages: number } }).total.messages >= 4;
    });
    // The page shows what is there when it is opened.
    await until('what went to the carrier is written', async () => {
      const { data } = await console.operate('GET', '/statistics/carriers');
      return JSON.stringify(data).includes('simulator');
    });
    await page.goto(`${console.url}/console/statistics?account=globex`);
    await page.getByLabel('Period').selectOption('week');
    await page.waitForURL(/account=globex&period=week/);
    assert.equal(await page.getByLabel('Account').inputValue(), 'globex');
    const figures = page.locator('.figures');
    await figures.getByText('66.7%').waitFor();
    assert.match(await figures.innerText(), /Accepted\s+3\s+Delivered\s+66\.7%\s*2\s+Failed\s+1/);
    const row = page.getByRole('row', { name: /SMS/ });
    assert.match(await row.innerText(), /SMS\s+3\s+3\s+66\.7%\s+1\s+0/);

    await page.getByRole('group', { name: 'Breakdown' }).getByRole('button', { name: 'Code' }).click();
    await page.getByRole('link', { name: '23001' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const [names = [], ...rows] = parseCsv(await savedText(download));
    assert.deepEqual(names.slice(0, 7), [
      'from',
      'until',
      'code',
      'accepted',
      'ended',
      'messages',
      'delivered',
    ]);
    assert.deepEqual(
      rows.map(row => row.slice(2, 7).join()),
      ['10000,0,2,2,2', '23001,0,1,1,0'],
    );
    await page.getByRole('link', { name: '23001' }).click();
    await page.waitForURL(/code=23001/);
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), '23001');
    await page.goBack();
    await page.getByLabel('Code', { exact: true }).and(page.locator(':not([value="23001"])')).waitFor();
    await page.getByRole('row', { name: /simulator/ }).waitFor();
    assert.deepEqual(console.faults, []);
  });
});

const weekAgo = (): string => new Date(Date.now() - 7 * 86_400_000).toISOString();

/** A data directory with four messages of yesterday: one of acme, three of globex, of which one failed. */
async function dataDirOfYesterday(): Promise<string> {
  const dataDir = scratchDirectory();
  const clock = new ManualClock(Date.now() - 86_400_000);
  const open = async () => openSqliteStore({ dataDir, exclusive: true, now: () => clock.now() });
  const bench = new StoreUnderTest(await open(), clock, open);
  await bench.deliver();
  await bench.deliver({ account: GLOBEX });
  await bench.deliver({ account: GLOBEX });
  const live = await bench.sendAndClaim({ account: GLOBEX });
  await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
  await bench.store.close();
  return dataDir;
}
