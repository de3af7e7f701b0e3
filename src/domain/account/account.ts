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
  /** Holds advertisements back from 20:50 to 08:00. */
  readonly adGuard: boolean;
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
  adGuard: false,
};

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
