import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../harness/until.ts';
import { type Console, openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const TEXT = 'The code of Hong is 493817';

async function signedIn(console: Console, name: string, role: string, path: string, locale = 'en-US') {
  const { token } = (await console.operate('POST', '/operators', { name, role })).data as { token: string };
  const page = await console.window({ locale });
  await page.goto(`${console.url}/console${path}`);
  await page.locator('input[type=password]').fill(token);
  await page.locator('button[type=submit]').click();
  return page;
}

const hiddenIn = async (page: Page) => !(await page.content()).includes('493817');

test('roles in the console', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t);
  const sms = { from: '0212345678', to: '01098765432', text: TEXT };
  const { msgKey } = await console.operate('POST', '/accounts/demo/send/sms', sms);

  await t.test('a viewer sees their name, masked messages, and disabled controls', async () => {
    const page = await signedIn(console, 'lee', 'viewer', `/messages/${msgKey}`);
    await page.getByRole('heading', { name: '010****5432' }).waitFor();
    await page.getByText('lee · viewer').waitFor();
    assert.equal(await hiddenIn(page), true);
    const reveal = page.getByRole('button', { name: 'Reveal' });
    assert.equal(await reveal.isDisabled(), true);
    assert.equal(
      await page.locator('fieldset:disabled').first().getAttribute('title'),
      'Needs the role operator',
    );
    assert.equal(await page.getByRole('link', { name: 'Compose' }).count(), 0);
    await page.getByRole('link', { name: 'Carriers' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pause' }).isDisabled(), true);
  });

  await t.test('an operator reveals a message with a reason, and composes one like it', async () => {
    const page = await signedIn(console, '김철수', 'operator', `/messages/${msgKey}`, 'ko-KR');
    await page.getByRole('heading', { name: '010****5432' }).waitFor();
    await page.getByRole('button', { name: '마스킹 해제' }).click();
    const dialog = page.getByRole('dialog', { name: '메시지 마스킹 해제' });
    const submit = dialog.getByRole('button', { name: '마스킹 해제' });
    assert.equal(await submit.isDisabled(), true);
    await dialog.getByLabel('사유').fill('민원 2026-117');
    await submit.click();
    await page.getByRole('heading', { name: '01098765432' }).waitFor();
    assert.equal(await hiddenIn(page), false);
    const { entries } = (await console.operate('GET', '/audit')).data as {
      entries: Record<string, unknown>[];
    };
    const [{ name, action, details } = {}] = entries;
    assert.deepEqual(
      { name, action, details },
      { name: '김철수', action: 'personal.reveal', details: { account: 'demo', reason: '민원 2026-117' } },
    );

    await page.getByRole('link', { name: '비슷한 메시지 작성' }).click();
    await page.getByText('초안으로 쓰려면 마스킹을 해제하세요').waitFor();
    assert.equal(await page.getByText('***').count(), 0);
    await page.getByRole('button', { name: '마스킹 해제' }).click();
    await page.getByLabel('사유').fill('민원 2026-117');
    await page.getByRole('dialog').getByRole('button', { name: '마스킹 해제' }).click();
    await page.locator('.compose-phones').getByText(TEXT).waitFor();
  });

  await t.test('a revoked operator is signed out', async () => {
    const page = await signedIn(console, 'park', 'admin', '/accounts');
    await page.getByText('park · admin').waitFor();
    await page.getByRole('link', { name: 'demo' }).waitFor();
    const { operators } = (await console.operate('GET', '/operators')).data as {
      operators: { id: string; name: string }[];
    };
    const park = operators.find(({ name }) => name === 'park');
    await console.operate('DELETE', `/operators/${park?.id}`);
    await page.reload();
    await page.getByLabel('Admin token or operator token').waitFor();
  });

  await t.test(
    'an admin invites by a link; whoever opens it gets a token of their own and is signed in',
    async () => {
      const page = await console.open('/operators');
      const form = page.getByRole('region', { name: 'Invite an operator' });
      await form.getByLabel('Name').fill('choi');
      await form.getByLabel('Role').selectOption('operator');
      await form.getByRole('button', { name: 'Create the link' }).click();
      const link = await form.locator('.secret code').innerText();
      const row = page.getByRole('row').filter({ hasText: 'choi' }).first();
      await row.getByText('Invited').waitFor();

      const other = await console.window();
      await other.goto(link);
      await other.getByRole('button', { name: 'Accept the invitation' }).click();
      await other.getByText('Welcome, choi. Your role: operator.').waitFor();
      assert.equal(new URL(other.url()).hash, '');
      assert.match(await other.locator('.secret code').innerText(), /^bongsu_op_/);
      await other.getByRole('button', { name: 'open the console' }).click();
      await other.getByText('choi · operator').waitFor();
      // Only the part behind the # is another: no page is loaded.
      await other.goto(link);
      await other.getByRole('button', { name: 'Accept the invitation' }).click();
      await other.getByText('has been used, has expired or was withdrawn').waitFor();
      await other.getByRole('button', { name: 'Go to sign-in' }).click();
      await other.getByRole('link', { name: 'Operators' }).click();
      await other.getByRole('row').filter({ hasText: 'this browser' }).waitFor();
      assert.equal(await other.getByRole('region', { name: 'Invite an operator' }).count(), 0);

      await page.reload();
      await row.getByText('Active').waitFor();
      await row.getByLabel('Role of choi').selectOption('viewer');
      await row.getByRole('button', { name: 'Change role' }).click();
      await row.getByRole('button', { name: 'Change role' }).waitFor({ state: 'detached' });
      const signedIn = page.getByRole('region', { name: 'Signed in' });
      const session = signedIn.getByRole('row').filter({ hasText: 'choi' });
      await session.getByText('Chrome · Linux').waitFor();
      await session.getByRole('button', { name: 'Sign out' }).click();
      await session.getByRole('group').getByRole('button', { name: 'Sign out' }).click();
      await session.waitFor({ state: 'detached' });
      await other.reload();
      await other.getByLabel('Admin token or operator token').waitFor();

      await row.getByRole('button', { name: 'Revoke' }).click();
      await row.getByRole('group').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('expired or revoked').first().waitFor();
      // That may still be the session's.
      const entries = await until('it is revoked', async () => {
        const { data } = await console.operate('GET', '/audit');
        const { entries } = data as { entries: Record<string, unknown>[] };
        return entries[0]?.action === 'operator.revoke' && entries;
      });
      const done = entries.slice(0, 4).map(({ name, action }) => `${name} ${action}`);
      assert.deepEqual(done, [
        'admin operator.revoke',
        'admin session.close',
        'admin operator.change',
        'choi operator.join',
      ]);
    },
  );

  assert.deepEqual(console.faults, []);
});
