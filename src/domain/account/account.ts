/** A tenant of the gateway and what it may do. Defaults let a new user try everything. */
import type { Channel } from '../channels/channel.ts';
import type { AccountId } from '../ids.ts';

export interface AccountSettings {
  /** May collect reports by polling. */
  readonly pull: boolean;
  /** Channels it may send on; undefined means all. */
  readonly channels: readonly Channel[] | undefined;
  /** Recipients a second; undefined means unlimited. */
  readonly sendRate: number | undefined;
  /** Calls a second other than sends; undefined means unlimited. */
  readonly callRate: number | undefined;
  /** Addresses and CIDR blocks from which it may be used; none means everywhere. */
  readonly addresses: readonly string[];
  /** Recipients of one request; the contract has 10. */
  readonly recipientLimit: number;
  /** Seconds within which the same text does not go to the same recipient again; undefined means that it may. */
  readonly duplicateWindow: number | undefined;
  /** How many message forms it may have. */
  readonly formLimit: number;
  /** How many reservations it may have that have not ended. */
  readonly reservationLimit: number;
  /** How many recipients may wait in them, and how many bytes their messages, recipients and words may have together. */
  readonly reservationRecipients: number;
  readonly reservationBytes: number;
  /** How many uploaded files it may have, and how many bytes they may have together. */
  readonly fileLimit: number;
  readonly fileBytes: number;
  /** How many tokens it may have at the same time; undefined means as many as the gateway allows. */
  readonly tokenLimit: number | undefined;
  /** Calls to its webhook that one node makes at the same time. */
  readonly webhookCalls: number;
  readonly reportMode: 'polling' | 'webhook';
  readonly webhookUrl: string | undefined;
  /** A record for every step tried, or the last one only. */
  readonly reportRecords: 'every' | 'final';
  /** `legacy` leaves out sendTime, resCnt and userType, which two public clients refuse. */
  readonly reportFormat: 'spec' | 'legacy';
  /** A success that arrives after its step was reported as failed gets a record of its own. */
  readonly lateReports: boolean;
  readonly enforceRegistry: boolean;
  /** Whether advertisements are held to the rules; those outside their hours are refused, or deferred to the morning. */
  readonly advertisements: 'asIs' | 'refuse' | 'defer';
  /** The hours in which they may go out, `HH:mm-HH:mm` in the time zone of the gateway. */
  readonly adHours: string;
  /** The older name of the rules: true unless advertisements are left as they are. */
  readonly adGuard: boolean;
  /** What a recipient texts to opt out. */
  readonly optOutKeywords: readonly string[];
}

export const DEFAULT_ACCOUNT_SETTINGS: AccountSettings = {
  pull: true,
  channels: undefined,
  sendRate: undefined,
  callRate: undefined,
  addresses: [],
  recipientLimit: 10,
  duplicateWindow: undefined,
  formLimit: 1000,
  reservationLimit: 10_000,
  reservationRecipients: 2_000_000,
  reservationBytes: 2_000_000_000,
  fileLimit: 10_000,
  fileBytes: 2_000_000_000,
  tokenLimit: undefined,
  webhookCalls: 8,
  reportMode: 'polling',
  webhookUrl: undefined,
  reportRecords: 'every',
  reportFormat: 'spec',
  lateReports: false,
  enforceRegistry: false,
  advertisements: 'asIs',
  adHours: '08:00-20:50',
  adGuard: false,
  optOutKeywords: ['수신거부', '무료수신거부', '수신거부요청', '거부', 'STOP', 'STOPALL', 'UNSUBSCRIBE'],
};

/**
 * Settings as they were stored, by this version or by one that knew fewer. That one has changed `adGuard` alone, so where the
 * two differ it says whether the rules hold.
 */
export function completeSettings(stored: Partial<AccountSettings>): AccountSettings {
  const { advertisements = 'asIs', adGuard = advertisements !== 'asIs' } = stored;
  const rules = adGuard && advertisements === 'asIs' ? 'refuse' : advertisements;
  return {
    ...DEFAULT_ACCOUNT_SETTINGS,
    ...stored,
    advertisements: adGuard ? rules : 'asIs',
    adGuard,
  };
}

/** Settings with these changes; `adGuard` and `advertisements` follow each other. */
export function changedSettings(
  settings: AccountSettings,
  changes: Partial<AccountSettings>,
): AccountSettings {
  const { advertisements, adGuard = settings.adGuard } = changes;
  const isOn = advertisements === undefined ? adGuard : advertisements !== 'asIs';
  return completeSettings({ ...settings, ...changes, adGuard: isOn });
}

const HOURS = /^([01]\d|2[0-3]):([0-5]\d)-(([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** `08:00-20:50`: from and until within one day. */
export function isHours(value: string): boolean {
  const { from, until } = parseHours(value);
  return HOURS.test(value) && from < until;
}

export function hoursMs(hours: string): number {
  const { from, until } = parseHours(hours);
  return minutesOf(until) * 60_000 - minutesOf(from) * 60_000;
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

export function parseHours(hours: string): { readonly from: string; readonly until: string } {
  return { from: hours.slice(0, 5), until: hours.slice(6) };
}

export interface Account {
  readonly id: AccountId;
  /** Slow, salted hash of the password; see platform/password.ts. */
  readonly passwordHash: string;
  readonly blocked: boolean;
  /** Tokens of an earlier epoch are not valid. Raising it ends them all, on every node. */
  readonly tokenEpoch: number;
  readonly createdAt: number;
  readonly settings: AccountSettings;
}

export const PASSWORD_FORM = 'a password of 1 to 256 ASCII characters, no blank at either end';
export const NEW_PASSWORD_FORM = 'a password of 8 to 256 ASCII characters, no blank at either end';
const SHORTEST_NEW_PASSWORD = 8;

/** A password travels in an HTTP header, which limits its characters. */
export function parsePassword(value: string): string | undefined {
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/.test(value) ? value : undefined;
}

/** Passwords that were given before there was a shortest one stay valid. */
export function parseNewPassword(value: string): string | undefined {
  return value.length >= SHORTEST_NEW_PASSWORD ? parsePassword(value) : undefined;
}

export function mayUseChannel(settings: AccountSettings, channel: Channel): boolean {
  return settings.channels === undefined || settings.channels.includes(channel);
}
