import { type Question, read, readList } from '../answers/question.ts';
import { call, callEnvelope, type Envelope, pathOf } from './call.ts';
import type { WireReport } from './messages.ts';
import type { Channel, Step } from './steps.ts';

export interface AccountSettings {
  readonly pull: boolean;
  readonly channels: readonly Channel[] | null;
  readonly sendRate: number | null;
  readonly callRate: number | null;
  readonly addresses: readonly string[];
  readonly recipientLimit: number;
  readonly duplicateWindow: number | null;
  readonly formLimit: number;
  readonly reservationLimit: number;
  readonly reservationRecipients: number;
  readonly reservationBytes: number;
  readonly fileLimit: number;
  readonly fileBytes: number;
  readonly tokenLimit: number | null;
  readonly webhookCalls: number;
  readonly reportMode: 'polling' | 'webhook';
  readonly webhookUrl: string | null;
  readonly reportRecords: 'every' | 'final';
  readonly reportFormat: 'spec' | 'legacy';
  readonly lateReports: boolean;
  readonly enforceRegistry: boolean;
  readonly adGuard: boolean;
  readonly advertisements: 'asIs' | 'refuse' | 'defer';
  readonly adHours: string;
  readonly optOutKeywords: readonly string[];
}

/** Without its settings. */
export interface ListedAccount {
  readonly id: string;
  readonly blocked: boolean;
  readonly createdAt: string;
}

interface Account extends ListedAccount {
  readonly settings: AccountSettings;
}

export interface Used {
  readonly used: number;
  readonly limit: number;
}

export interface AccountDetail extends Account {
  readonly usage: Readonly<
    Record<
      | 'forms'
      | 'reservations'
      | 'reservationRecipients'
      | 'reservationBytes'
      | 'files'
      | 'fileBytes'
      | 'tokens',
      Used
    >
  >;
}

export const readAccount = (id: string) => read<AccountDetail>(pathOf('accounts', id));

export const findAccounts = (query: { readonly search: string; readonly order: string }) =>
  readList<ListedAccount>('/accounts', 'accounts', { settings: 'false', ...query });

/** All of them. Nearly every page offers them, and they seldom change elsewhere. */
export function listAccounts(): Question<readonly ListedAccount[]> {
  const { page, ...list } = readList<ListedAccount>('/accounts', 'accounts', {
    settings: 'false',
    limit: '1000',
  });
  return {
    ...list,
    freshMs: 15_000,
    calls: last => 1 + Math.floor((last?.length ?? 0) / 1000),
    async ask(signal) {
      const { rows, next } = await page(signal);
      const all = [...rows];
      for (let cursor = next; cursor !== null; ) {
        const more = await page(signal, cursor);
        all.push(...more.rows);
        cursor = more.next;
      }
      return all;
    },
  };
}

export const createAccount = (id: string) =>
  call<{ id: string; password: string }>('POST', '/accounts', { body: { id } });

export const changeAccount = (
  id: string,
  change: {
    readonly blocked?: boolean;
    readonly settings?: Partial<AccountSettings>;
    /** As they were shown: what somebody else has changed meanwhile is not overwritten. */
    readonly expected?: Partial<AccountSettings>;
  },
) => call<Account>('PATCH', pathOf('accounts', id), { body: change });

export const deleteAccount = (id: string) =>
  call<{ id: string; keptUntil: string }>('DELETE', pathOf('accounts', id));

export const newPassword = (id: string) =>
  call<{ password: string }>('POST', pathOf('accounts', id, 'password'));

/** The operator sends for an account; body and answer are those of the client API. */
export const sendFor = (
  account: string,
  kind: string,
  body: object,
  idempotencyKey: string,
): Promise<Envelope> =>
  callEnvelope('POST', pathOf('accounts', account, 'send', kind), { body, idempotencyKey });

export interface Measure {
  readonly name: string;
  readonly field: string;
  readonly value: number;
  readonly limit: number | null;
}

/** What would be accepted and is probably not meant: placeholders without a value. */
export interface Warning {
  readonly name: string;
  readonly step: number;
  readonly keys: readonly string[];
}

export interface Checked {
  readonly problem: { readonly code: string; readonly result: string } | null;
  readonly warnings: readonly Warning[];
  readonly steps: readonly {
    readonly channel: Channel;
    readonly rendered?: Step;
    readonly measures: readonly Measure[];
  }[];
}

/** Checks a send without accepting it: why it would be refused, and how long its texts are. */
export const checkFor = (account: string, kind: string, body: object, signal: AbortSignal) =>
  call<Checked>('POST', pathOf('accounts', account, 'check', kind), { body, signal });

export interface ReportBatch {
  readonly reportId: string;
  readonly report: readonly WireReport[] | null;
}

export const readReports = (account: string) => read<ReportBatch>(pathOf('accounts', account, 'reports'));

export const acknowledgeReports = (account: string, reportId: string) =>
  call<void>('DELETE', pathOf('accounts', account, 'reports', reportId));
