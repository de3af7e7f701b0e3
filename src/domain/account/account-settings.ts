/** What the settings of an account may be: one rule for each, for the operator API and the command line alike. */

import { CHANNELS, type Channel, channelNamed } from '../channels/channel.ts';
import { isWebhookUrl } from '../reports/webhook.ts';
import { isObject } from '../request/fields.ts';
import { MAX_DESTINATIONS } from '../request/omni.ts';
import { Problem } from '../request/problem.ts';
import { type Account, type AccountSettings, isHours } from './account.ts';
import { MOST_ADDRESSES, parseAddressRange } from './addresses.ts';

interface SettingRule<T> {
  /** Completes the sentence `"settings.pull" must be …`. */
  readonly mustBe: string;
  /** The value in a list of one, because undefined means "not valid" and may be a value too. */
  readonly parse: (value: unknown) => readonly [T] | undefined;
  /** For lists: what is wrong with which entry. */
  readonly problem?: (value: unknown) => string | undefined;
}

const MOST_A_SECOND = 999_999_999;
const MOST_KEYWORDS = 50;
const LONGEST_KEYWORD = 40;
/** The least and the most that each quota may be. */
export const QUOTAS = {
  recipientLimit: [10, MAX_DESTINATIONS],
  duplicateWindow: [1, 3600],
  formLimit: [0, 1_000_000],
  reservationLimit: [0, 1_000_000],
  reservationRecipients: [0, 1_000_000_000],
  reservationBytes: [0, 1_000_000_000_000],
  fileLimit: [0, 1_000_000],
  fileBytes: [0, 1_000_000_000_000],
  tokenLimit: [1, 1_000_000],
  webhookCalls: [1, 256],
} as const;
export type Quota = keyof typeof QUOTAS;

export function isRate(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_A_SECOND;
}

export function isQuota(name: Quota, value: unknown): value is number {
  const [least, most] = QUOTAS[name];
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

const flag: SettingRule<boolean> = {
  mustBe: 'true or false',
  parse: value => (typeof value === 'boolean' ? [value] : undefined),
};

const rate: SettingRule<number | undefined> = {
  mustBe: 'a whole number from 1, or null for no limit',
  parse: value => (value === null ? [undefined] : isRate(value) ? [value] : undefined),
};

function quota(name: Quota): SettingRule<number> {
  const [least, most] = QUOTAS[name];
  return {
    mustBe: `a whole number from ${least} to ${most}`,
    parse: value => (isQuota(name, value) ? [value] : undefined),
  };
}

function choice<const T extends string>(...words: readonly T[]): SettingRule<T> {
  return {
    mustBe: words.map(word => `"${word}"`).join(' or '),
    parse(value) {
      const found = words.find(word => word === value);
      return found === undefined ? undefined : [found];
    },
  };
}

export const REPORT_MODES = ['polling', 'webhook'] as const;
export const REPORT_RECORDS = ['every', 'final'] as const;
export const ADVERTISEMENT_RULES = ['asIs', 'refuse', 'defer'] as const;
export const REPORT_FORMATS = ['spec', 'legacy'] as const;

export const SETTING_RULES: { readonly [Name in keyof AccountSettings]: SettingRule<AccountSettings[Name]> } =
  {
    pull: flag,
    channels: {
      mustBe: `a list of some of ${CHANNELS.join(', ')}, or null for all`,
      parse: parseChannels,
    },
    sendRate: rate,
    callRate: rate,
    addresses: {
      mustBe: `a list of at most ${MOST_ADDRESSES} IPv4 and IPv6 addresses and blocks such as 192.0.2.0/24; empty for everywhere`,
      parse: parseAddresses,
      problem: addressProblem,
    },
    recipientLimit: quota('recipientLimit'),
    duplicateWindow: {
      mustBe: `${quota('duplicateWindow').mustBe}, or null for none`,
      parse: value => (value === null ? [undefined] : quota('duplicateWindow').parse(value)),
    },
    formLimit: quota('formLimit'),
    reservationLimit: quota('reservationLimit'),
    reservationRecipients: quota('reservationRecipients'),
    reservationBytes: quota('reservationBytes'),
    fileLimit: quota('fileLimit'),
    fileBytes: quota('fileBytes'),
    tokenLimit: {
      mustBe: `${quota('tokenLimit').mustBe}, or null for BONGSU_TOKENS_PER_ACCOUNT`,
      parse: value => (value === null ? [undefined] : quota('tokenLimit').parse(value)),
    },
    webhookCalls: quota('webhookCalls'),
    reportMode: choice(...REPORT_MODES),
    webhookUrl: {
      mustBe: 'an http or https URL without a password, or null for none',
      parse: value => (value === null ? [undefined] : isWebhookUrl(value) ? [value] : undefined),
    },
    reportRecords: choice(...REPORT_RECORDS),
    reportFormat: choice(...REPORT_FORMATS),
    lateReports: flag,
    enforceRegistry: flag,
    advertisements: choice(...ADVERTISEMENT_RULES),
    adHours: {
      mustBe: 'hours within a day, such as 08:00-20:50',
      parse: value => (typeof value === 'string' && isHours(value) ? [value] : undefined),
    },
    adGuard: flag,
    optOutKeywords: {
      mustBe: `a list of at most ${MOST_KEYWORDS} words of 1 to ${LONGEST_KEYWORD} characters`,
      parse: parseKeywords,
    },
  };

function parseChannels(value: unknown): readonly [readonly Channel[] | undefined] | undefined {
  if (value === null) return [undefined];
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const channels = [...new Set(value.map(channelNamed))];
  return channels.every(channel => channel !== undefined) ? [channels] : undefined;
}

function parseKeywords(value: unknown): readonly [readonly string[]] | undefined {
  if (!Array.isArray(value) || value.length > MOST_KEYWORDS) return undefined;
  const words = value.map(word => (typeof word === 'string' ? word.trim() : ''));
  const isWord = (word: string) => word !== '' && word.length <= LONGEST_KEYWORD && !word.includes('\0');
  return words.every(isWord) ? [[...new Set(words)]] : undefined;
}

function parseAddresses(value: unknown): readonly [readonly string[]] | undefined {
  if (value === null) return [[]];
  if (!Array.isArray(value) || value.length > MOST_ADDRESSES || addressProblem(value)) return undefined;
  return [[...new Set(value.map(entry => String(entry).trim()))]];
}

/** Names the first entry that is no address. */
export function addressProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const entry of value.slice(0, MOST_ADDRESSES)) {
    const range = parseAddressRange(typeof entry === 'string' ? entry.trim() : '');
    if (typeof range === 'string') return `${JSON.stringify(entry)?.slice(0, 64)} ${range}`;
  }
  return undefined;
}

/** The settings that were given, and no others. An unknown name is a problem, because it is a typing error. */
export function parseSettings(given: unknown): Partial<AccountSettings> | Problem {
  if (given === undefined) return {};
  if (!isObject(given)) return new Problem('A011', '"settings" must be a JSON object');
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(SETTING_RULES, name)) {
      const names = Object.keys(SETTING_RULES).join(', ');
      return new Problem('A300', `"settings.${name.slice(0, 64)}" is not a setting; expected ${names}`);
    }
    const { mustBe, parse, problem } = SETTING_RULES[name as keyof AccountSettings];
    const parsed = parse(value);
    if (!parsed) {
      const why = problem?.(value);
      return new Problem('A300', `"settings.${name}" must be ${mustBe}${why ? `: ${why}` : ''}`);
    }
    changes[name] = parsed[0];
  }
  return changes;
}

/** Settings as people and programs see them: every one is there, null where there is none. */
type SettingsView = {
  readonly [Name in keyof AccountSettings]:
    | Exclude<AccountSettings[Name], undefined>
    | (undefined extends AccountSettings[Name] ? null : never);
};

/** An account as people and programs see it. Never the password's hash. */
export function accountView(
  { id, blocked, createdAt, settings }: Account,
  formatTime: (ms: number) => string,
) {
  return { id, blocked, createdAt: formatTime(createdAt), settings: settingsView(settings) };
}

function settingsView(settings: AccountSettings): SettingsView {
  const names = Object.keys(SETTING_RULES) as (keyof AccountSettings)[];
  return Object.fromEntries(names.map(name => [name, settings[name] ?? null])) as SettingsView;
}

export type AccountView = ReturnType<typeof accountView>;
