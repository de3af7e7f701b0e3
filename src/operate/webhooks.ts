/** Webhooks for the operator: their state and deliveries, a test call, retry and replay, the secret, resuming after a 410. */
import { knownAccount } from '../accept/known-account.ts';
import type { Account } from '../domain/account/account.ts';
import { type AccountId, type MsgKey, parseAccountId, timePrefix } from '../domain/ids.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import { type ReportRecord, reportedDetails } from '../domain/reports/report-record.ts';
import { WEBHOOK_WINDOW_MS, webhookIdOf } from '../domain/reports/webhook.ts';
import { isObject } from '../domain/request/fields.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { MOMENT_FORM, parseMoment } from '../platform/moment.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { CallWebhook } from '../report/webhook/call.ts';
import type { WebhookSecrets } from '../report/webhook/secrets.ts';
import { wireReport } from '../report/wire-record.ts';
import type { DeliveryKey, DeliveryView, Store } from '../store/store.ts';
import { UnreadableRecord } from '../store/store-fault.ts';
import {
  deliveryDetail,
  deliverySummary,
  exchangeView,
  type Hold,
  holdOf,
  noDelivery,
  offByAccount,
  parseDeliveryId,
  troubleView,
} from './webhook-deliveries.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

const MOST_COUNTED = 100_000;
const REPLAY_CHUNK = 2000;
/** A flow of ten steps that all end at their deadline lasts this long: older messages have no report in the range. */
const LONGEST_MESSAGE_MS = 34 * 86_400_000;
/** Before every key. */
const FIRST_DELIVERY: DeliveryKey = { msgKey: '' as MsgKey, step: 0 };
/** Not the key of any message, and easy to recognise. */
const TEST_KEY = 'TEST0000000000000000000000000000' as MsgKey;
const STATES: readonly DeliveryView['state'][] = ['pending', 'retrying', 'delivered', 'failed', 'off'];

export function createWebhooks(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly secrets: WebhookSecrets;
  readonly callWebhook: CallWebhook;
  /** Deliveries of the account were made due: this node need not wait to see them. */
  readonly hurry: (account: AccountId) => void;
}) {
  const { store, clock, formatTime, secrets, callWebhook, hurry } = deps;

  return {
    /** Deliveries, newest messages first. */
    async list(filters: Readonly<Record<string, unknown>>, limit: number) {
      const query = readFilters(filters);
      if (query instanceof Problem) return query;
      const deliveries = await store.webhooks.list({ ...query, limit: limit + 1 });
      const page = deliveries.slice(0, limit);
      const last = deliveries.length > page.length ? page.at(-1) : undefined;
      const holds = new Map<AccountId, Hold>();
      for (const account of new Set(page.map(delivery => delivery.account))) {
        holds.set(account, await holdOn(account));
      }
      const shown = page.map(delivery => {
        const hold = holds.get(delivery.account) ?? { offReason: null, circuit: undefined };
        return deliverySummary(delivery, hold, clock.now(), formatTime);
      });
      return { deliveries: shown, next: last ? cursorOf(last) : null };
    },

    /** One delivery with its attempts, and what went back and forth in the last of them. */
    async delivery(id: string) {
      const delivery = await findDelivery(id);
      if (delivery instanceof Problem) return delivery;
      return deliveryDetail({ store, clock, formatTime }, delivery, await holdOn(delivery.account));
    },

    /** Sends one record now, whatever became of it. */
    async retry(id: string) {
      const found = await findDelivery(id);
      if (found instanceof Problem) return found;
      const account = await inWebhookMode(found.account);
      if (account instanceof Problem) return account;
      if (!(await store.webhooks.retry(found, { giveUpAt: clock.now() + WEBHOOK_WINDOW_MS }))) {
        return noDelivery(id);
      }
      hurry(account.id);
      const hold = await holdOn(account.id);
      const delivery = (await store.webhooks.find(found)) ?? found;
      return deliverySummary(delivery, hold, clock.now(), formatTime);
    },

    /** Sends what was not delivered of a time range now. */
    async retryRange(id: string, body: unknown) {
      const account = await inWebhookMode(id);
      if (account instanceof Problem) return account;
      const range = readRange(body);
      if (range instanceof Problem) return range;
      const giveUpAt = clock.now() + WEBHOOK_WINDOW_MS;
      const order = { ...range, account: account.id, now: clock.now(), giveUpAt, limit: REPLAY_CHUNK };
      let records = 0;
      let after: DeliveryKey | undefined = FIRST_DELIVERY;
      while (after !== undefined) {
        const chunk: Awaited<ReturnType<Store['webhooks']['retryRange']>> = await store.webhooks.retryRange({
          ...order,
          after,
        });
        records += chunk.records;
        after = chunk.next;
      }
      if (records > 0) hurry(account.id);
      return { records };
    },

    async show(id: string) {
      const account = await knownAccount(store.accounts, id);
      return account instanceof Problem ? account : view(account);
    },

    /** Sends a signed sample to the URL once, in either report mode. */
    async test(id: string) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const { webhookUrl: url } = account.settings;
      if (url === undefined) return new Problem('A300', `The account "${account.id}" has no webhook URL`);
      const active = await secrets.active(account.id);
      if (active instanceof Problem) return active;
      const body = JSON.stringify(wireReport(sampleRecord(account.id), account.settings, formatTime));
      const format = account.settings.reportFormat;
      const call = { webhookId: `${TEST_KEY}-${clock.now()}`, msgKey: TEST_KEY, body, format };
      const { attempt } = await callWebhook({ url, secrets: active }, call);
      const { at, status, error, durationMs, exchange } = attempt;
      return {
        isOk: error === null,
        status,
        detail: error ?? 'The receiver answered as it should',
        durationMs,
        at: formatTime(at),
        exchange: exchange ? exchangeView(exchange, body) : null,
      };
    },

    /** Sends the records and inbound messages of a time range again, with the same ids. */
    async replay(id: string, body: unknown) {
      const account = await inWebhookMode(id);
      if (account instanceof Problem) return account;
      const range = readRange(body);
      if (range instanceof Problem) return range;
      const order = {
        ...range,
        account: account.id,
        lastOnly: account.settings.reportRecords === 'final',
        now: clock.now(),
        giveUpAt: clock.now() + WEBHOOK_WINDOW_MS,
        limit: REPLAY_CHUNK,
      };
      const sentFrom = Math.max(0, range.from - LONGEST_MESSAGE_MS);
      const { webhooks } = store;
      const sent = await all(timePrefix(sentFrom), after => webhooks.replay({ ...order, after }));
      const moved = await all('', after => webhooks.replayMoved({ ...order, sentFrom, after }));
      const inbound = await all(timePrefix(range.from), after => webhooks.replayInbound({ ...order, after }));
      return { records: sent + moved + inbound };
    },

    async rotate(id: string) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const secret = await secrets.rotate(account.id);
      return secret instanceof Problem ? secret : { secret };
    },

    /** Switches on a webhook that was switched off because it answered 410. */
    async resume(id: string) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      await store.webhooks.switchOn(account.id);
      return view(account);
    },
  };

  /** Chunk by chunk; resolves to how many there were. */
  async function all(
    first: string,
    replay: (after: string) => ReturnType<Store['webhooks']['replay']>,
  ): Promise<number> {
    let records = 0;
    let after: string | undefined = first;
    while (after !== undefined) {
      const chunk: Awaited<ReturnType<typeof replay>> = await replay(after);
      records += chunk.records;
      after = chunk.next;
    }
    return records;
  }

  async function findDelivery(id: string): Promise<DeliveryView | Problem> {
    const key = parseDeliveryId(id);
    return (key && (await store.webhooks.find(key))) ?? noDelivery(id);
  }

  async function inWebhookMode(id: string): Promise<Account | Problem> {
    const account = await knownAccount(store.accounts, id);
    if (account instanceof Problem || account.settings.reportMode === 'webhook') return account;
    return new Problem('A300', `The account "${account.id}" is not in webhook mode`);
  }

  async function holdOn(id: AccountId): Promise<Hold> {
    return holdOf(store, id, await whyHeld(id));
  }

  async function whyHeld(id: AccountId): Promise<string | null> {
    try {
      const account = await store.accounts.find(id);
      return account ? await whyOff(account) : 'There is no such account any more';
    } catch (error) {
      if (error instanceof UnreadableRecord) return 'The account cannot be read';
      throw error;
    }
  }

  async function view(account: Account) {
    const { offReason, circuit } = await holdOf(store, account.id, await whyOff(account));
    const rows = await store.webhooks.secrets(account.id);
    return {
      url: account.settings.webhookUrl ?? null,
      isOff: offReason !== null,
      offReason,
      secrets: rows
        .filter(({ expiresAt }) => expiresAt === undefined || clock.now() < expiresAt)
        .map(({ id, createdAt, expiresAt }) => ({
          id,
          createdAt: formatTime(createdAt),
          expiresAt: expiresAt === undefined ? null : formatTime(expiresAt),
        })),
      pending: await store.webhooks.countPending(MOST_COUNTED, account.id),
      circuit: circuit ? 'open' : 'closed',
      trouble: circuit ? troubleView(circuit, clock.now(), formatTime) : null,
    };
  }

  /** Why nothing is sent to it; null if it is active. */
  async function whyOff(account: Account): Promise<string | null> {
    const { id, settings } = account;
    const reason = offByAccount(account);
    if (reason !== null) return reason;
    const off = await store.webhooks.findOff(id);
    if (off && off.url === settings.webhookUrl) return `${off.reason}, on ${formatTime(off.at)}`;
    return secrets.keyProblem()?.result ?? null;
  }

  function sampleRecord(account: AccountId): ReportRecord {
    const now = clock.now();
    return {
      msgKey: TEST_KEY,
      account,
      step: 0,
      serviceType: 'SMS',
      msgType: 'SM',
      sentAt: now,
      reportedAt: now,
      reportCode: DELIVERED,
      resCnt: undefined,
      ...reportedDetails({}),
      ref: 'test',
      groupKey: undefined,
      isLast: true,
    };
  }
}

function readFilters(query: Readonly<Record<string, unknown>>) {
  const account = query.account === undefined ? undefined : parseAccountId(String(query.account));
  if (query.account !== undefined && !account) return new Problem('A300', '"account" is no account id');
  const state = STATES.find(known => known === query.state);
  if (query.state !== undefined && !state) {
    return new Problem('A300', `"state" must be one of ${STATES.join(', ')}`);
  }
  const before = query.cursor === undefined ? undefined : parseDeliveryId(String(query.cursor));
  if (query.cursor !== undefined && !before)
    return new Problem('A300', '"cursor" must be a "next" of this list');
  return { account, state, before };
}

function cursorOf({ msgKey, step }: DeliveryKey): string {
  return webhookIdOf(msgKey, step);
}

function readRange(body: unknown): { from: number; until: number } | Problem {
  if (!isObject(body)) return new Problem('A011', 'The body must be a JSON object');
  const from = parseMoment(body.from);
  if (from === undefined) return new Problem('A300', `"from" must be ${MOMENT_FORM}`);
  const until = parseMoment(body.until);
  if (until === undefined) return new Problem('A300', `"until" must be ${MOMENT_FORM}`);
  return from < until ? { from, until } : new Problem('A300', '"from" must be before "until"');
}
