/** The settings of an account as the form shows them, one row for each. A test compares them with the rules of the gateway. */
import type { AccountSettings } from '../gateway/accounts.ts';
import type { Words } from '../words/en.ts';

type Word = keyof {
  [Name in keyof Words['accounts'] as Words['accounts'][Name] extends string ? Name : never]: 0;
};

export type SettingRow =
  | { readonly kind: 'choice'; readonly label: Word; readonly options: Readonly<Record<string, Word>> }
  | { readonly kind: 'number'; readonly label: Word; readonly none?: Word }
  | { readonly kind: 'megabytes' | 'flag' | 'channels' | 'words'; readonly label: Word }
  | { readonly kind: 'lines'; readonly label: Word; readonly hint: Word }
  | { readonly kind: 'url'; readonly label: Word }
  | { readonly kind: 'text'; readonly label: Word; readonly example: string };

/** `adGuard` is the older name of `advertisements`, which it follows. */
export type SettingName = Exclude<keyof AccountSettings, 'adGuard'>;

export const SETTING_ROWS: Readonly<Record<SettingName, SettingRow>> = {
  reportMode: {
    kind: 'choice',
    label: 'reportMode',
    options: { polling: 'polling', webhook: 'webhook' },
  },
  webhookUrl: { kind: 'url', label: 'webhookUrl' },
  sendRate: { kind: 'number', label: 'sendRate', none: 'noLimit' },
  callRate: { kind: 'number', label: 'callRate', none: 'noLimit' },
  recipientLimit: { kind: 'number', label: 'recipientLimit' },
  duplicateWindow: { kind: 'number', label: 'duplicateWindow', none: 'noLimit' },
  formLimit: { kind: 'number', label: 'formLimit' },
  reservationLimit: { kind: 'number', label: 'reservationLimit' },
  reservationRecipients: { kind: 'number', label: 'reservationRecipientsLimit' },
  reservationBytes: { kind: 'megabytes', label: 'reservationMegabytes' },
  fileLimit: { kind: 'number', label: 'fileLimit' },
  fileBytes: { kind: 'megabytes', label: 'fileMegabytes' },
  tokenLimit: { kind: 'number', label: 'tokenLimit', none: 'gatewayLimit' },
  webhookCalls: { kind: 'number', label: 'webhookCalls' },
  reportRecords: { kind: 'choice', label: 'reportRecords', options: { every: 'every', final: 'final' } },
  reportFormat: { kind: 'choice', label: 'reportFormat', options: { spec: 'spec', legacy: 'legacy' } },
  advertisements: {
    kind: 'choice',
    label: 'advertisements',
    options: { asIs: 'adsAsIs', refuse: 'adsRefuse', defer: 'adsDefer' },
  },
  adHours: { kind: 'text', label: 'adHours', example: '08:00-20:50' },
  optOutKeywords: { kind: 'words', label: 'optOutKeywords' },
  addresses: { kind: 'lines', label: 'addresses', hint: 'addressesHint' },
  channels: { kind: 'channels', label: 'channels' },
  pull: { kind: 'flag', label: 'pull' },
  lateReports: { kind: 'flag', label: 'lateReports' },
  enforceRegistry: { kind: 'flag', label: 'enforceRegistry' },
};

export const SETTING_NAMES = Object.keys(SETTING_ROWS) as readonly SettingName[];

/** What was typed or chosen, and not saved yet: a text as it stands in its field, or the value of a box. */
export type Typed = { readonly [Name in SettingName]?: unknown };

const MEGABYTE = 1_000_000;
const SEPARATORS = { words: ',', lines: '\n' } as const;

/** A value as it stands in its field. */
export function textOf({ kind }: SettingRow, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'megabytes') return String(Number(value) / MEGABYTE);
  if (Array.isArray(value)) return value.join(kind === 'words' ? ', ' : '\n');
  return String(value);
}

/** What a field means; nothing in it is none. The gateway tells what it takes. */
function meaningOf({ kind }: SettingRow, typed: unknown): unknown {
  if (typeof typed !== 'string') return typed;
  switch (kind) {
    case 'number':
      return typed.trim() === '' ? null : Number(typed);
    case 'megabytes':
      return typed.trim() === '' ? null : Math.round(Number(typed) * MEGABYTE);
    case 'words':
    case 'lines':
      return typed
        .split(SEPARATORS[kind])
        .map(part => part.trim())
        .filter(Boolean);
    case 'url':
      return typed.trim() || null;
    default:
      return typed;
  }
}

/** What is to be saved: nothing that somebody else may have changed meanwhile. */
export function changesOf(settings: AccountSettings, typed: Typed): Partial<AccountSettings> {
  const changed = SETTING_NAMES.filter(name => name in typed)
    .map(name => [name, meaningOf(SETTING_ROWS[name], typed[name])] as const)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(settings[name]));
  return Object.fromEntries(changed);
}
