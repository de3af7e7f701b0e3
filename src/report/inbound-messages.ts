/** How accounts get what people send them: polling with acknowledgement, look-up, history. */
import type { Account } from '../domain/account/account.ts';
import { BASE32, type MsgKey, parseMsgKey, type ReportId, timePrefix } from '../domain/ids.ts';
import { handsetOf } from '../domain/inbound/inbound.ts';
import { canonicalNumber, storedWritings } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { StoreTime } from '../store/store-time.ts';
import { acknowledgeUntilCertain, pollUntilCertain } from './certainty.ts';
import { type WireInbound, wireInbound } from './wire-inbound.ts';

export interface InboundHistoryQuery {
  /** Received from. */
  readonly since: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly after: MsgKey | undefined;
  readonly limit: number;
}

export interface InboundHistory {
  readonly messages: readonly WireInbound[];
  /** Where to go on. */
  readonly lastSeq: string;
  readonly hasNext: boolean;
}

export interface InboundMessages {
  poll(
    account: Account,
  ): Promise<{ readonly moId: string; readonly mo: readonly WireInbound[] | null } | Problem>;
  acknowledge(account: Account, moId: string): Promise<Problem | undefined>;
  /** The message of this key, if it is the account's. */
  inquire(account: Account, msgKey: string): Promise<WireInbound[]>;
  history(account: Account, query: InboundHistoryQuery): Promise<InboundHistory>;
}

const NOTHING = { moId: '', mo: null } as const;
const BATCH_LIMIT = 1000;
const NEVER = Number.MAX_SAFE_INTEGER;
const ID_RANDOM = 18;

export function createInboundMessages(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
  readonly reportRetentionMs: number;
  readonly inquiryWindowMs: number;
  readonly storeTimeoutMs: number;
}): InboundMessages {
  const { store, clock, random, formatTime, reportRetentionMs, inquiryWindowMs } = deps;

  return {
    async poll(account) {
      if (!account.settings.pull) return new Problem('A802');
      const now = clock.now();
      const query = {
        account: account.id,
        newId: () => (timePrefix(now) + random.characters(ID_RANDOM, BASE32)) as ReportId,
        limit: BATCH_LIMIT,
        // What came in webhook mode is pushed; a batch handed out before still comes back until its DELETE.
        since: account.settings.reportMode === 'webhook' ? NEVER : now - reportRetentionMs,
        now,
      };
      const time = new StoreTime(clock, deps.storeTimeoutMs);
      const batch = await pollUntilCertain(time, () => store.inbound.poll(query));
      if (!batch) return NOTHING;
      return { moId: batch.batchId, mo: batch.messages.map(message => wireInbound(message, formatTime)) };
    },
    async acknowledge(account, moId) {
      if (!account.settings.pull) return new Problem('A802');
      return acknowledgeUntilCertain(new StoreTime(clock, deps.storeTimeoutMs), {
        acknowledge: () => store.inbound.acknowledge(account.id, moId, clock.now()),
        holds: () => store.inbound.holds(account.id, moId),
      });
    },
    async inquire(account, key) {
      const msgKey = parseMsgKey(key);
      const found = msgKey && (await store.inbound.find(msgKey));
      const isTheirs = found?.account === account.id && found.receivedAt >= clock.now() - inquiryWindowMs;
      return isTheirs ? [wireInbound(found, formatTime)] : [];
    },
    async history(account, { since, from, to, after, limit }) {
      const found = await store.inbound.list({
        account: account.id,
        since: Math.max(since, clock.now() - inquiryWindowMs),
        from: from === undefined ? undefined : sendersNamed(from),
        to,
        after,
        order: 'oldest',
        limit: limit + 1,
      });
      const messages = found.slice(0, limit);
      return {
        messages: messages.map(message => wireInbound(message, formatTime)),
        lastSeq: messages.at(-1)?.msgKey ?? after ?? '',
        hasNext: found.length > limit,
      };
    },
  };
}

/** However it is written. */
export function sendersNamed(from: string): readonly string[] {
  const canonical = canonicalNumber(from);
  return canonical === undefined ? [from] : [...new Set([handsetOf(from), ...storedWritings(canonical)])];
}
