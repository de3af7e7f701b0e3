import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../ids.ts';
import { Problem } from '../request/problem.ts';
import { DEFAULT_ACCOUNT_SETTINGS } from './account.ts';
import { accountView, parseSettings } from './account-settings.ts';

test('settings that were given are taken, null meaning none', () => {
  const given = { pull: false, channels: ['sms', 'rcs', 'sms'], sendRate: 50, callRate: null };
  assert.deepEqual(parseSettings(given), {
    pull: false,
    channels: ['sms', 'rcs'],
    sendRate: 50,
    callRate: undefined,
  });
  assert.deepEqual(parseSettings({ channels: null, webhookUrl: null }), {
    channels: undefined,
    webhookUrl: undefined,
  });
  assert.deepEqual(parseSettings({ addresses: null }), { addresses: [] });
  assert.deepEqual(parseSettings({ addresses: [' 192.0.2.1', '192.0.2.1', '2001:db8::/32'] }), {
    addresses: ['192.0.2.1', '2001:db8::/32'],
  });
  assert.deepEqual(parseSettings(undefined), {});
});

const REFUSED: readonly (readonly [settings: unknown, result: RegExp])[] = [
  [[], /^"settings" must be a JSON object/],
  [{ pull: 'yes' }, /^"settings.pull" must be true or false/],
  [{ channels: ['sms', 'pigeon'] }, /^"settings.channels" must be a list of some of sms, mms/],
  [{ channels: [] }, /^"settings.channels" must be a list/],
  [{ sendRate: 0 }, /^"settings.sendRate" must be a whole number from 1, or null/],
  [{ callRate: '5' }, /^"settings.callRate" must be a whole number/],
  [{ reportMode: 'pigeon' }, /^"settings.reportMode" must be "polling" or "webhook"/],
  [{ webhookUrl: 'ftp://x' }, /^"settings.webhookUrl" must be an http or https URL/],
  [{ addresses: '192.0.2.1' }, /^"settings.addresses" must be a list of at most 100 IPv4 and IPv6 addresses/],
  [{ addresses: ['192.0.2.1', '192.0.2.1/24'] }, /: "192.0.2.1\/24" has bits after its prefix of 24$/],
  [{ addresses: ['192.0.2.1', 5] }, /: 5 is not an IPv4 or IPv6 address or block$/],
  [{ addresses: Array(101).fill('192.0.2.1') }, /^"settings.addresses" must be a list of at most 100/],
  [{ formLimit: -1 }, /^"settings.formLimit" must be a whole number from 0 to 1000000$/],
  [{ fileLimit: null }, /^"settings.fileLimit" must be a whole number from 0 to 1000000$/],
  [{ fileBytes: 1e12 + 1 }, /^"settings.fileBytes" must be a whole number from 0 to 1000000000000$/],
  [{ tokenLimit: 0 }, /^"settings.tokenLimit" must be a whole number from 1 to 1000000, or null for BONGSU_/],
  [{ webhookCalls: 0.5 }, /^"settings.webhookCalls" must be a whole number from 1 to 256$/],
  [{ colour: 'red' }, /^"settings.colour" is not a setting; expected pull, /],
  [{ __proto__: null, constructor: 1 }, /^"settings.constructor" is not a setting/],
];

test('a setting that cannot be is named with its rule', () => {
  for (const [settings, result] of REFUSED) {
    const problem = parseSettings(settings);
    assert.ok(problem instanceof Problem);
    assert.match(problem.result, result);
  }
});

test('a view of an account has every setting, null where there is none, and no hash', () => {
  const settings = { ...DEFAULT_ACCOUNT_SETTINGS, sendRate: 5 };
  const account = {
    id: 'shop' as AccountId,
    passwordHash: 'secret',
    blocked: false,
    tokenEpoch: 0,
    createdAt: 0,
    settings,
  };
  const view = accountView(account, () => 'then');
  assert.deepEqual(Object.keys(view), ['id', 'blocked', 'createdAt', 'settings']);
  assert.deepEqual(Object.keys(view.settings), Object.keys(DEFAULT_ACCOUNT_SETTINGS));
  assert.deepEqual([view.settings.sendRate, view.settings.callRate, view.settings.pull], [5, null, true]);
});
