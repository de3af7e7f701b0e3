/** The settings of an account as flags, and as people and programs read them. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AccountUsageView, Used } from '../composition/operator-tools.ts';
import { type AccountSettings, isHours } from '../domain/account/account.ts';
import {
  type AccountView,
  ADVERTISEMENT_RULES,
  addressProblem,
  isQuota,
  isRate,
  QUOTAS,
  type Quota,
  REPORT_FORMATS,
  REPORT_MODES,
  REPORT_RECORDS,
  SETTING_RULES,
} from '../domain/account/account-settings.ts';
import { MOST_ADDRESSES } from '../domain/account/addresses.ts';
import { CHANNELS, type Channel, channelNamed } from '../domain/channels/channel.ts';
import { isWebhookUrl } from '../domain/reports/webhook.ts';

export interface SettingOptions {
  readonly pull?: boolean;
  readonly channels?: 'all' | readonly Channel[];
  readonly sendRate?: 'none' | number;
  readonly callRate?: 'none' | number;
  readonly addresses?: readonly string[];
  readonly recipientLimit?: number;
  readonly duplicateWindow?: 'none' | number;
  readonly formLimit?: number;
  readonly reservationLimit?: number;
  readonly reservationRecipients?: number;
  readonly reservationBytes?: number;
  readonly fileLimit?: number;
  readonly fileBytes?: number;
  readonly tokenLimit?: 'default' | number;
  readonly webhookCalls?: number;
  readonly reportMode?: AccountSettings['reportMode'];
  readonly webhookUrl?: string;
  readonly reportRecords?: AccountSettings['reportRecords'];
  readonly reportFormat?: AccountSettings['reportFormat'];
  readonly lateReports?: boolean;
  readonly enforceRegistry?: boolean;
  readonly adGuard?: boolean;
  readonly advertisements?: AccountSettings['advertisements'];
  readonly adHours?: string;
  readonly optOutKeywords?: readonly string[];
}

/** Flags without a default: one that is absent leaves its setting as it is. */
export function addSettingOptions(command: Command): Command {
  return command
    .option('--pull', 'allow polling for reports')
    .option('--no-pull', 'refuse polling (A802)')
    .option('--channels <list>', `"all", or some of ${CHANNELS.join(',')}`, parseChannels)
    .option('--send-rate <n>', 'recipients per second, or "none"', parseRate)
    .option('--call-rate <n>', 'calls per second other than sends, or "none"', parseRate)
    .option(
      '--addresses <list>',
      'addresses and blocks from which it may be used, such as 192.0.2.0/24,2001:db8::1, or "all"',
      parseAddresses,
    )
    .option('--recipient-limit <n>', 'recipients of one request', quota('recipientLimit'))
    .option(
      '--duplicate-window <seconds>',
      'refuse the same text to the same recipient within so many seconds, or "none"',
      parseDuplicateWindow,
    )
    .option('--form-limit <n>', 'limit of message forms', quota('formLimit'))
    .option('--reservation-limit <n>', 'limit of reservations', quota('reservationLimit'))
    .option(
      '--reservation-recipients <n>',
      'limit of pending recipients in all reservations',
      quota('reservationRecipients'),
    )
    .option('--reservation-bytes <n>', 'limit of bytes in all reservations', quota('reservationBytes'))
    .option('--file-limit <n>', 'limit of uploaded files', quota('fileLimit'))
    .option('--file-bytes <n>', 'limit of bytes in all uploaded files', quota('fileBytes'))
    .option('--token-limit <n>', 'limit of valid tokens, or "default"', parseTokenLimit)
    .option('--webhook-calls <n>', 'calls to its webhook at the same time', quota('webhookCalls'))
    .addOption(choice('--report-mode <mode>', 'how reports are delivered', REPORT_MODES))
    .option('--webhook-url <url>', 'where to post reports, or "none"', parseWebhookUrl)
    .addOption(
      choice('--report-records <which>', 'a record for every step, or only for the last', REPORT_RECORDS),
    )
    .addOption(
      choice(
        '--report-format <form>',
        'legacy: without sendTime, resCnt, groupKey and userType',
        REPORT_FORMATS,
      ),
    )
    .option('--late-reports', 'a separate record for a success that arrives after the report')
    .option('--no-late-reports', 'such a success is only in the timeline')
    .option('--enforce-registry', 'allow only registered senders and templates')
    .option('--no-enforce-registry', 'allow any sender and template')
    .addOption(
      choice(
        '--advertisements <rule>',
        'refuse those without marks; outside their hours refuse them, or defer them to the morning',
        ADVERTISEMENT_RULES,
      ),
    )
    .option('--ad-hours <from-until>', 'when they may go out, such as 08:00-20:50', parseAdHours)
    .option('--ad-guard', 'the same as --advertisements refuse')
    .option('--no-ad-guard', 'the same as --advertisements asIs')
    .option('--opt-out-keywords <list>', 'keywords that recipients send to opt out', parseKeywordList);
}

/** The settings that were given, and no others. */
export function changesOf(options: SettingOptions): Partial<AccountSettings> {
  const { pull, channels, sendRate, callRate, addresses, reportMode, webhookUrl } = options;
  const { recipientLimit, duplicateWindow, formLimit } = options;
  const { reservationLimit, reservationRecipients, reservationBytes } = options;
  const { fileLimit, fileBytes, tokenLimit, webhookCalls } = options;
  const { reportRecords, reportFormat, lateReports, enforceRegistry, adGuard } = options;
  const { advertisements, adHours, optOutKeywords } = options;
  return {
    ...(pull !== undefined && { pull }),
    ...(channels !== undefined && { channels: channels === 'all' ? undefined : channels }),
    ...(sendRate !== undefined && { sendRate: sendRate === 'none' ? undefined : sendRate }),
    ...(callRate !== undefined && { callRate: callRate === 'none' ? undefined : callRate }),
    ...(addresses !== undefined && { addresses }),
    ...(recipientLimit !== undefined && { recipientLimit }),
    ...(duplicateWindow !== undefined && {
      duplicateWindow: duplicateWindow === 'none' ? undefined : duplicateWindow,
    }),
    ...(formLimit !== undefined && { formLimit }),
    ...(reservationLimit !== undefined && { reservationLimit }),
    ...(reservationRecipients !== undefined && { reservationRecipients }),
    ...(reservationBytes !== undefined && { reservationBytes }),
    ...(fileLimit !== undefined && { fileLimit }),
    ...(fileBytes !== undefined && { fileBytes }),
    ...(tokenLimit !== undefined && { tokenLimit: tokenLimit === 'default' ? undefined : tokenLimit }),
    ...(webhookCalls !== undefined && { webhookCalls }),
    ...(reportMode !== undefined && { reportMode }),
    ...(webhookUrl !== undefined && { webhookUrl: webhookUrl === 'none' ? undefined : webhookUrl }),
    ...(reportRecords !== undefined && { reportRecords }),
    ...(reportFormat !== undefined && { reportFormat }),
    ...(lateReports !== undefined && { lateReports }),
    ...(enforceRegistry !== undefined && { enforceRegistry }),
    ...(adGuard !== undefined && { adGuard }),
    ...(advertisements !== undefined && { advertisements }),
    ...(adHours !== undefined && { adHours }),
    ...(optOutKeywords !== undefined && { optOutKeywords }),
  };
}

/** An account as a table for people. */
export function accountLines({ id, blocked, createdAt, settings }: AccountView): Record<string, string> {
  return {
    account: id,
    blocked: yesNo(blocked),
    created: createdAt,
    pull: yesNo(settings.pull),
    channels: settings.channels?.join(',') ?? 'all',
    'send rate': String(settings.sendRate ?? 'none'),
    'call rate': String(settings.callRate ?? 'none'),
    addresses: settings.addresses.join(',') || 'all',
    'recipient limit': String(settings.recipientLimit),
    'duplicate window': String(settings.duplicateWindow ?? 'none'),
    'form limit': String(settings.formLimit),
    'reservation limit': String(settings.reservationLimit),
    'reservation recipients': String(settings.reservationRecipients),
    'reservation bytes': String(settings.reservationBytes),
    'file limit': String(settings.fileLimit),
    'file bytes': String(settings.fileBytes),
    'token limit': String(settings.tokenLimit ?? 'default'),
    'webhook calls': String(settings.webhookCalls),
    'report mode': settings.reportMode,
    'webhook URL': settings.webhookUrl ?? 'none',
    'report records': settings.reportRecords,
    'report format': settings.reportFormat,
    'late reports': yesNo(settings.lateReports),
    'enforce registry': yesNo(settings.enforceRegistry),
    advertisements: settings.advertisements,
    'advertisement hours': settings.adHours,
    'opt-out keywords': settings.optOutKeywords.join(',') || 'none',
  };
}

/** What it has used of its quotas, such as `forms used  3 of 1000`. */
export function usageLines(usage: AccountUsageView): Record<string, string> {
  const { forms, reservations, reservationRecipients, reservationBytes, files, fileBytes, tokens } = usage;
  return {
    'forms used': ofLimit(forms),
    'reservations used': ofLimit(reservations),
    'reservation recipients used': ofLimit(reservationRecipients),
    'reservation bytes used': ofLimit(reservationBytes),
    'files used': ofLimit(files),
    'file bytes used': ofLimit(fileBytes),
    'tokens used': ofLimit(tokens),
  };
}

function ofLimit({ used, limit }: Used): string {
  return `${used} of ${limit}`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

function parseChannels(value: string): 'all' | Channel[] {
  if (value === 'all') return 'all';
  const names = [...new Set(value.split(',').map(name => name.trim()))];
  return names.map(name => {
    const channel = channelNamed(name);
    if (!channel) {
      throw new InvalidArgumentError(
        `There is no channel "${name}"; expected all, or some of ${CHANNELS.join(',')}.`,
      );
    }
    return channel;
  });
}

function parseAdHours(value: string): string {
  if (!isHours(value)) throw new InvalidArgumentError('Expected hours within a day, such as 08:00-20:50.');
  return value;
}

function parseKeywordList(value: string): readonly string[] {
  const words = value === 'none' ? [] : value.split(',').map(word => word.trim());
  const parsed = SETTING_RULES.optOutKeywords.parse(words);
  if (!parsed) throw new InvalidArgumentError(`Expected ${SETTING_RULES.optOutKeywords.mustBe}, or none.`);
  return parsed[0];
}

function parseRate(value: string): 'none' | number {
  if (value === 'none') return 'none';
  const rate = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (!isRate(rate)) throw new InvalidArgumentError('Expected a whole number from 1, or none.');
  return rate;
}

function parseAddresses(value: string): readonly string[] {
  if (value === 'all') return [];
  const addresses = [...new Set(value.split(',').map(address => address.trim()))];
  const problem = addressProblem(addresses);
  if (problem) throw new InvalidArgumentError(`${problem}.`);
  if (addresses.length > MOST_ADDRESSES) throw new InvalidArgumentError(`At most ${MOST_ADDRESSES}.`);
  return addresses;
}

function quota(name: Quota): (value: string) => number {
  return value => {
    const given = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
    const [least, most] = QUOTAS[name];
    if (!isQuota(name, given)) {
      throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
    }
    return given;
  };
}

function parseDuplicateWindow(value: string): 'none' | number {
  return value === 'none' ? 'none' : quota('duplicateWindow')(value);
}

function parseTokenLimit(value: string): 'default' | number {
  return value === 'default' ? 'default' : quota('tokenLimit')(value);
}

function parseWebhookUrl(value: string): string {
  const isUsable = value === 'none' || isWebhookUrl(value);
  if (!isUsable) throw new InvalidArgumentError('Expected an http or https URL without a password, or none.');
  return value;
}
