/**
 * The audit log: every change by an operator, who made it and how. Kept for a year.
 *
 * One table says what is recorded of each action, so it is the same whether the change came from the console, the API
 * or the command line. An action has one name wherever it is taken, and details that say what was done: never none. What must never happen: a password, a signing secret, a token in the
 * path or query of a webhook URL or the text of a message in the log.
 */
import type { AccountSettings } from '../domain/account/account.ts';
import type { Chaos } from '../domain/delivery/chaos.ts';
import type { Role } from '../domain/operator/role.ts';
import { withoutSecrets } from '../domain/reports/webhook.ts';
import { maskNumber } from '../domain/request/phone-number.ts';
import type { SendKind } from '../domain/request/send-kinds.ts';
import type { AuditEntryView } from '../operations/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { AuditEntry, AuditPlace, Store, StoredAuditEntry } from '../store/store.ts';
import type { Operator } from './access.ts';
import type { AccountChange, AppliedChange } from './accounts.ts';

/** Entries that one call looks at, a chunk at a time. */
export const MOST_LOOKED_AT = 10_000;
const CHUNK = 500;
/** An order may be about thousands of messages. */
const MOST_KEYS = 20;

/** The actions of operations that are not declared (src/operations/ has the others): the name of each, and what the log keeps of it. The target is an account, a message, a carrier, an operator or an address. */
export const AUDITED_ACTIONS = {
  'account.create': (account: string, settings: Partial<AccountSettings>) =>
    about(account, { settings: Object.keys(settings).length > 0 ? recordable(settings) : 'default' }),
  'account.change': (account: string, { change, before }: AppliedChange) =>
    about(account, { ...recordableChange(change), before: recordableChange(before) }),
  'account.delete': (account: string, messagesKeptUntil: string) => about(account, { messagesKeptUntil }),
  'account.password': (account: string) => about(account, { endsTokens: true }),
  'account.revoke-tokens': (account: string) => about(account, { endsTokens: true }),
  'reservation.change': (account: string, resvKey: string, resvSendTime: string) =>
    about(account, { resvKey, resvSendTime }),
  'reservation.cancel': (account: string, resvKey: string) => about(account, { resvKey }),
  'reservation.stop': (account: string, resvKey: string) => about(account, { resvKey }),
  'reservation.resume': (account: string, resvKey: string) => about(account, { resvKey }),
  'reservation.release': (account: string, resvKey: string) => about(account, { resvKey }),
  'file.upload': (account: string, serviceType: string, fileKey: string) =>
    about(account, { serviceType, fileKey }),
  'file.delete': (account: string, fileKey: string, name: string) => about(account, { fileKey, name }),
  'file.move': (from: string, to: string, contents: number) => about(from, { to, contents }),
  'message.send': (account: string, kind: SendKind, msgKeys: readonly string[], isReplay = false) =>
    about(account, { kind, msgKeys, ...(isReplay && { replay: true }) }),
  'message.resend': (account: string, msgKeys: readonly string[], edited: boolean) =>
    about(account, { messages: msgKeys.length, edited, msgKeys: msgKeys.slice(0, MOST_KEYS) }),
  'message.cancel': (
    account: string,
    msgKeys: readonly string[],
    filters?: Readonly<Record<string, unknown>>,
  ) =>
    about(account, {
      messages: msgKeys.length,
      msgKeys: msgKeys.slice(0, MOST_KEYS),
      ...(filters && { filters: namesOf(filters) }),
    }),
  /** When it is ordered, and for each account with what was done. */
  'message.settle': (
    account: string | undefined,
    { code, reason, filters }: HandSettling,
    {
      msgKeys,
      ...counts
    }: {
      readonly stage: 'ordered' | 'done';
      readonly messages: number;
      readonly msgKeys?: readonly string[];
    },
  ) =>
    about(account ?? (textOf(filters?.account) || 'all accounts'), {
      ...counts,
      ...(msgKeys && { msgKeys: msgKeys.slice(0, MOST_KEYS) }),
      ...{ code, reason },
      ...(filters && { filters: namesOf(filters) }),
    }),
  'message.export': (rows: number, masked: boolean, filters: Readonly<Record<string, unknown>>) =>
    about(textOf(filters.account) || 'all accounts', { rows, masked, filters: namesOf(filters) }),
  'inbound.assign': (account: string, msgKey: string) => about(account, { msgKey }),
  'inbound.simulate': (to: string, msgKey: string) => about(to, { msgKey }),
  'reports.acknowledge': (account: string, reportId: string) => about(account, { reportId }),
  'chaos.set': (chaos: Chaos) => about('simulator', { ...chaos }),
  'privacy.export': (recipient: string, account: string | undefined) =>
    about(maskNumber(recipient), { account: account ?? null }),
  /** Twice: when it is ordered, and with the counts when it is done. */
  'privacy.erase': (
    recipient: string,
    account: string | undefined,
    counts?: Readonly<Record<string, number>>,
  ) =>
    about(maskNumber(recipient), {
      account: account ?? null,
      stage: counts ? 'done' : 'ordered',
      ...counts,
    }),
  'store.backup': (place: string) => about(place, { files: true }),
  /** `beganAt`: null where another tool made the backup. */
  'store.restore': (place: string, beganAt: string | null, doubted: number, held: number) =>
    about(place, { beganAt, doubted, held }),
  'data-key.reseal': (key: string, changed: number, unused: readonly string[]) =>
    about(key, { changed, unused }),
  'data-key.relax': (key: string) => about(key, {}),
  'session.open': (address: string, by: 'token' | 'code' | 'store') => about(address, { by }),
  'session.link': (address: string, endsAt: string) => about(address, { endsAt }),
  /** By the operator himself, or by another one. */
  'session.close': (address: string, ended?: { readonly name: string; readonly session: string }) =>
    about(address, ended ? { by: 'operator', ...ended } : { by: 'sign-out' }),
  'personal.reveal': (msgKey: string, account: string, reason: string) => about(msgKey, { account, reason }),
  'operator.join': (name: string, id: string, role: Role, address: string) =>
    about(name, { id, role, address }),
} as const satisfies Readonly<Record<string, (...subject: never[]) => Recorded>>;

export type AuditedAction = keyof typeof AUDITED_ACTIONS;

/** Who made a change, and how he was authenticated: by a token, by a session of the console, by access to the store. */
export type Author = Pick<AuditEntry, 'who' | 'name' | 'operatorId'>;

export function authorOf({ by, name, id }: Operator): Author {
  return { who: by, name, operatorId: id };
}

/** What an operator says of messages, and why. */
interface HandSettling {
  readonly code: string;
  readonly reason: string;
  readonly filters: Readonly<Record<string, unknown>> | undefined;
}

type Recorded = Pick<AuditEntry, 'target' | 'details'>;

/** Writes one entry; the arguments after the action are those of its row in the table. */
export type RecordChange = <Action extends AuditedAction>(
  action: Action,
  ...subject: Parameters<(typeof AUDITED_ACTIONS)[Action]>
) => Promise<void>;

export interface AuditQuery {
  readonly limit: number;
  readonly cursor?: AuditPlace | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly operator?: string | undefined;
  readonly action?: string | undefined;
  /** The account that was changed, or that the details name. */
  readonly account?: string | undefined;
}

export interface Audit {
  recordBy(author: Author): RecordChange;
  /** Writes an entry as it is. */
  writerOf(author: Author): (action: string, recorded: Recorded) => Promise<void>;
  /**
   * Newest first. Each call looks at a bounded number of entries, so with an operator, an action or an account a page may be
   * short or empty and have a next one.
   */
  list(
    query: AuditQuery,
  ): Promise<{ readonly entries: readonly AuditEntryView[]; readonly next: string | null }>;
}

export function createAudit(deps: {
  readonly store: Pick<Store, 'audit'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
}): Audit {
  const { store, clock, formatTime } = deps;
  const writerOf: Audit['writerOf'] = author => (action, recorded) =>
    store.audit.add({ at: clock.now(), ...author, action, ...recorded });
  return {
    writerOf,
    recordBy:
      author =>
      (action, ...subject) => {
        const describe = AUDITED_ACTIONS[action] as (...subject: readonly unknown[]) => Recorded;
        return writerOf(author)(action, describe(...subject));
      },
    async list({ limit, cursor, from, until = Number.MAX_SAFE_INTEGER, ...wanted }) {
      const entries: AuditEntryView[] = [];
      const hasFilter = Object.values(wanted).some(value => value !== undefined);
      const chunk = hasFilter ? CHUNK : Math.min(limit, CHUNK);
      let before = cursor ?? { at: until, id: 0 };
      for (let looked = 0; looked < MOST_LOOKED_AT; looked += chunk) {
        const found = await store.audit.list({ limit: chunk + 1, before, from });
        for (const entry of found.slice(0, chunk)) {
          if (entries.length === limit) return { entries, next: cursorOf(before) };
          before = entry;
          if (isWanted(entry, wanted)) entries.push(viewOf(entry));
        }
        if (found.length <= chunk) return { entries, next: null };
        if (entries.length === limit) break;
      }
      return { entries, next: cursorOf(before) };
    },
  };

  function viewOf({ id, at, name, operatorId, ...entry }: StoredAuditEntry): AuditEntryView {
    return { at: formatTime(at), ...entry, name: name ?? null, operatorId: operatorId ?? null };
  }
}

function cursorOf({ at, id }: AuditPlace): string {
  return `${at}-${id}`;
}

function isWanted(
  { name, action, target, details }: StoredAuditEntry,
  wanted: Pick<AuditQuery, 'operator' | 'action' | 'account'>,
): boolean {
  const { account } = wanted;
  return (
    (wanted.operator === undefined || wanted.operator === name) &&
    (wanted.action === undefined || wanted.action === action) &&
    (account === undefined || account === target || account === details.account || account === details.to)
  );
}

function about(target: string, details: AuditEntry['details']): Recorded {
  return { target, details };
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '');

/** Which filters were set; their values may be numbers of recipients. */
function namesOf(filters: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(filters)
    .filter(name => filters[name] !== '')
    .slice(0, MOST_KEYS);
}

function recordableChange({ blocked, settings }: AccountChange): Readonly<Record<string, unknown>> {
  return {
    ...(blocked !== undefined && { blocked }),
    ...(settings && { settings: recordable(settings) }),
  };
}

/** Settings as the log keeps them. One that was removed is null, as in the API; as undefined, JSON would leave it out. */
function recordable(settings: Partial<AccountSettings>): Readonly<Record<string, unknown>> {
  const masked =
    'webhookUrl' in settings
      ? { webhookUrl: settings.webhookUrl && withoutSecrets(settings.webhookUrl) }
      : {};
  const entries = Object.entries({ ...settings, ...masked });
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? null]));
}
