import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN_TOKEN } from '../../harness/credentials.ts';
import { until } from '../../harness/until.ts';
import { barriers } from './barriers.ts';
import { openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';
import { overflows } from './overflow.ts';

test('signing in', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);

  await t.test('the link of the terminal signs in once, and its code leaves the address', async () => {
    const link = await until(
      'the terminal shows the link',
      () => /http:\S+#code=\S+/.exec(console.server.stdout())?.[0],
    );
    assert.match(console.server.stdout(), /#code=\w+ {4}\(once, until \d\d:\d\d\)/);
    const page = await console.window();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Today', exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash, '');

    const second = await console.window();
    await second.goto(link);
    await second.getByText('This link has already been used').waitFor();
    assert.equal(new URL(second.url()).hash, '');
  });

  await t.test('a link that is pasted into a tab with the sign-in page signs in there', async () => {
    const page = await console.window();
    await page.goto(`${console.url}/console/`);
    await page.getByLabel('Admin token').waitFor();
    // That of the terminal was used above.
    const { data } = await console.operate('POST', '/session/links');
    const { hash } = new URL((data as { link: string }).link);
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.getByRole('heading', { name: 'Today', exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
  });

  await t.test(
    'a wrong token is told, the right one opens the console, and signing out closes it',
    async () => {
      const page = await console.window();
      await page.goto(`${console.url}/console/accounts`);
      await page.getByLabel('Admin token').waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.deepEqual(await overflows(page), []);
      await page.getByLabel('Admin token').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This token is unknown or has expired.').waitFor();
      await page.getByLabel('Admin token').fill(ADMIN_TOKEN);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Accounts' }).waitFor();
      assert.equal(await page.locator('.signed-in').innerText(), 'Admin token');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Admin token').waitFor();
    },
  );

  assert.deepEqual(console.faults, []);
});
