/** The settings of an account as flags, and as people and programs read them. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Account, AccountSettings } from '../domain/account.ts';
import { CHANNELS, type Channel } from '../domain/flow.ts';
import { isWebhookUrl } from '../domain/webhook.ts';
import type { FormatTime } from '../platform/zoned-time.ts';

export interface SettingOptions {
  readonly pull?: boolean;
  readonly channels?: 'all' | readonly Channel[];
  readonly sendRate?: 'none' | number;
  readonly callRate?: 'none' | number;
  readonly reportMode?: AccountSettings['reportMode'];
  readonly webhookUrl?: string;
  readonly reportRecords?: AccountSettings['reportRecords'];
  readonly reportFormat?: AccountSettings['reportFormat'];
  readonly enforceRegistry?: boolean;
  readonly adGuard?: boolean;
}

/** Flags without a default: one that is absent leaves its setting as it is. */
export function addSettingOptions(command: Command): Command {
  return command
    .option('--pull', 'may collect reports by polling')
    .option('--no-pull', 'may not (answered A802)')
    .option('--channels <list>', `"all", or some of ${CHANNELS.join(',')}`, parseChannels)
    .option('--send-rate <n>', 'recipients a second, or "none"', parseRate)
    .option('--call-rate <n>', 'calls a second other than sends, or "none"', parseRate)
    .addOption(choice('--report-mode <mode>', 'how reports are handed over', ['polling', 'webhook']))
    .option('--webhook-url <url>', 'where to post reports, or "none"', parseWebhookUrl)
    .addOption(choice('--report-records <which>', 'a record for every step, or the last', ['every', 'final']))
    .addOption(choice('--report-format <form>', 'legacy: without sendTime and resCnt', ['spec', 'legacy']))
    .option('--enforce-registry', 'only registered senders and templates')
    .option('--no-enforce-registry', 'any sender and template')
    .option('--ad-guard', 'hold advertisements back from 20:50 to 08:00')
    .option('--no-ad-guard', 'let them out at any time');
}

/** The settings that were given, and no others. */
export function changesOf(options: SettingOptions): Partial<AccountSettings> {
  const { pull, channels, sendRate, callRate, reportMode, webhookUrl } = options;
  const { reportRecords, reportFormat, enforceRegistry, adGuard } = options;
  return {
    ...(pull !== undefined && { pull }),
    ...(channels !== undefined && { channels: channels === 'all' ? undefined : channels }),
    ...(sendRate !== undefined && { sendRate: sendRate === 'none' ? undefined : sendRate }),
    ...(callRate !== undefined && { callRate: callRate === 'none' ? undefined : callRate }),
    ...(reportMode !== undefined && { reportMode }),
    ...(webhookUrl !== undefined && { webhookUrl: webhookUrl === 'none' ? undefined : webhookUrl }),
    ...(reportRecords !== undefined && { reportRecords }),
    ...(reportFormat !== undefined && { reportFormat }),
    ...(enforceRegistry !== undefined && { enforceRegistry }),
    ...(adGuard !== undefined && { adGuard }),
  };
}

/** An account for `--json`: every setting present, null where there is no limit. Never the password's hash. */
export function accountView({ id, blocked, createdAt, settings }: Account, formatTime: FormatTime) {
  return {
    id,
    blocked,
    createdAt: formatTime(createdAt),
    settings: {
      pull: settings.pull,
      channels: settings.channels ?? null,
      sendRate: settings.sendRate ?? null,
      callRate: settings.callRate ?? null,
      reportMode: settings.reportMode,
      webhookUrl: settings.webhookUrl ?? null,
      reportRecords: settings.reportRecords,
      reportFormat: settings.reportFormat,
      enforceRegistry: settings.enforceRegistry,
      adGuard: settings.adGuard,
    },
  };
}

export type AccountView = ReturnType<typeof accountView>;

/** The same for people. */
export function accountLines({ id, blocked, createdAt, settings }: AccountView): Record<string, string> {
  return {
    account: id,
    blocked: yesNo(blocked),
    created: createdAt,
    pull: yesNo(settings.pull),
    channels: settings.channels?.join(',') ?? 'all',
    'send rate': String(settings.sendRate ?? 'none'),
    'call rate': String(settings.callRate ?? 'none'),
    'report mode': settings.reportMode,
    'webhook URL': settings.webhookUrl ?? 'none',
    'report records': settings.reportRecords,
    'report format': settings.reportFormat,
    'enforce registry': yesNo(settings.enforceRegistry),
    'ad guard': yesNo(settings.adGuard),
  };
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
    const channel = CHANNELS.find(known => known === name);
    if (!channel) {
      throw new InvalidArgumentError(
        `There is no channel "${name}"; expected all, or some of ${CHANNELS.join(',')}.`,
      );
    }
    return channel;
  });
}

function parseRate(value: string): 'none' | number {
  if (value === 'none') return 'none';
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw new InvalidArgumentError('Expected a whole number from 1, or none.');
  return Number(value);
}

function parseWebhookUrl(value: string): string {
  const isUsable = value === 'none' || isWebhookUrl(value);
  if (!isUsable) throw new InvalidArgumentError('Expected an http or https URL without a password, or none.');
  return value;
}
