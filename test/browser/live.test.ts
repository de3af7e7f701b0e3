/** The live page under a flood; how smooth it stays is measured by `npm run bench:live`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openConsole, withoutBrowser } from '../harness/browser.ts';

const REQUESTS = 200;
const RECIPIENTS = 10;
const MOST_ROWS = 500;
const MOST_NODES = 20_000;

test('the live page keeps its size while thousands of messages pass', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t, { BONGSU_SIMULATOR_LATENCY: '0' });
  const page = await console.open('/');
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
  assert.deepEqual(console.faults, []);
});
