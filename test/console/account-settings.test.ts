/** The form of an account's settings against the rules of the gateway. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { changesOf, SETTING_NAMES, SETTING_ROWS, textOf } from '../../console/src/accounts/setting-rows.ts';
import type { AccountSettings } from '../../console/src/gateway/accounts.ts';
import { en } from '../../console/src/words/en.ts';
import { DEFAULT_ACCOUNT_SETTINGS } from '../../src/domain/account/account.ts';
import { parseSettings, SETTING_RULES } from '../../src/domain/account/account-settings.ts';
import { Problem } from '../../src/domain/request/problem.ts';

/** As the gateway answers them: null where there is none. */
const settings = Object.fromEntries(
  Object.keys(SETTING_RULES).map(name => [
    name,
    DEFAULT_ACCOUNT_SETTINGS[name as keyof typeof DEFAULT_ACCOUNT_SETTINGS] ?? null,
  ]),
) as unknown as AccountSettings;

test('the form has every setting of the gateway', () => {
  const known = Object.keys(SETTING_RULES).filter(name => name !== 'adGuard');
  assert.deepEqual([...SETTING_NAMES].sort(), known.sort());
});

test('the gateway takes every choice of the form, and no value where the form says that there may be none', () => {
  for (const name of SETTING_NAMES) {
    const row = SETTING_ROWS[name];
    assert.ok(en.accounts[row.label], name);
    const isTaken = (value: unknown) => !(parseSettings({ [name]: value }) instanceof Problem);
    if (row.kind === 'choice') {
      for (const option of Object.keys(row.options)) assert.ok(isTaken(option), `${name}: ${option}`);
    }
    if (row.kind === 'number') assert.equal(isTaken(null), row.none !== undefined, name);
    if (row.kind === 'url') assert.ok(isTaken(null), name);
  }
});

test('what was not changed is not saved, so that changes of others stay', () => {
  assert.deepEqual(changesOf(settings, {}), {});
  assert.deepEqual(changesOf(settings, { sendRate: '7' }), { sendRate: 7 });
  assert.deepEqual(changesOf({ ...settings, sendRate: 7 }, { sendRate: '7', formLimit: '1000' }), {});
});

test('every value that is shown means itself', () => {
  const many = { ...settings, addresses: ['192.0.2.0/24', '10.0.0.1'], fileBytes: 500_000, sendRate: 3 };
  for (const name of SETTING_NAMES) {
    const row = SETTING_ROWS[name];
    if (row.kind === 'flag' || row.kind === 'channels') continue;
    assert.deepEqual(changesOf(many, { [name]: textOf(row, many[name]) }), {}, name);
  }
});

test('a field is read when it is saved, not while it is typed', () => {
  for (const [typed, meant] of [
    [{ optOutKeywords: 'STOP, 거부 ,' }, { optOutKeywords: ['STOP', '거부'] }],
    [{ addresses: '192.0.2.0/24\n\n10.0.0.0/8\n' }, { addresses: ['192.0.2.0/24', '10.0.0.0/8'] }],
    [{ fileBytes: '0.5' }, { fileBytes: 500_000 }],
    [{ webhookUrl: ' https://example.com ' }, { webhookUrl: 'https://example.com' }],
    [{ formLimit: '' }, { formLimit: null }],
    [{ channels: ['sms'] }, { channels: ['sms'] }],
    [{ pull: false }, { pull: false }],
  ] as const) {
    assert.deepEqual(changesOf(settings, typed), meant);
  }
});
