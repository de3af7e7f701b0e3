/** What operators do with webhooks and their deliveries. */
import { knownAccount } from '../accept/known-account.ts';
import type { Account } from '../domain/account/account.ts';
import { type AccountId, type MsgKey, timePrefix } from '../domain/ids.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import { type ReportRecord, reportedDetails } from '../domain/reports/report-record.ts';
import { parseDeliveryId, WEBHOOK_WINDOW_MS, webhookIdOf } from '../domain/reports/webhook.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { webhooks as declared, WebhookView } from '../operations/webhooks.ts';
import type { Clock } from '../platform/clock.ts';
import { parseMoment } from '../platform/moment.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { CallWebhook } from '../report/webhook/call.ts';
import type { WebhookSecrets } from '../report/webhook/secrets.ts';
import { wireReport } from '../report/wire-record.ts';
import type { DeliveryKey, DeliveryView, Store } from '../store/store.ts';
import { UnreadableRecord } from '../store/store-fault.ts';
import type { Handlers } from './perform.ts';
import {
  deliveryDetail,
  deliverySummary,
  exchangeView,
  type Hold,
  holdOf,
  noDelivery,
  offByAccount,
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
const DELIVERIES_A_PAGE = 50;

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
    async 'GET /webhooks'({ account, state, cursor: before, limit = DELIVERIES_A_PAGE }) {
      const deliveries = await store.webhooks.list({ account, state, before, limit: limit + 1 });
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

    async 'GET /webhooks/{deliveryId}'({ deliveryId: id }) {
      const delivery = await findDelivery(id);
      if (delivery instanceof Problem) return delivery;
      return deliveryDetail({ store, clock, formatTime }, delivery, await holdOn(delivery.account));
    },

    async 'POST /webhooks/{deliveryId}/retry'({ deliveryId: id }) {
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

    async 'POST /accounts/{id}/webhook/retry'({ id, ...given }) {
      const account = await inWebhookMode(id);
      if (account instanceof Problem) return account;
      const range = rangeOf(given);
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

    async 'GET /accounts/{id}/webhook'({ id }) {
      const account = await knownAccount(store.accounts, id);
      return account instanceof Problem ? account : view(account);
    },

    /** In either report mode. */
    async 'POST /accounts/{id}/webhook/test'({ id }) {
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
        detail: error ?? 'The receiver answered correctly',
        durationMs,
        at: formatTime(at),
        exchange: exchange ? exchangeView(exchange, body) : null,
      };
    },

    async 'POST /accounts/{id}/webhook/replay'({ id, ...given }) {
      const account = await inWebhookMode(id);
      if (account instanceof Problem) return account;
      const range = rangeOf(given);
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

    async 'POST /accounts/{id}/webhook/secret'({ id }) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const secret = await secrets.rotate(account.id);
      return secret instanceof Problem ? secret : { secret };
    },

    async 'POST /accounts/{id}/webhook/resume'({ id }) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      await store.webhooks.switchOn(account.id);
      return view(account);
    },
  } satisfies Handlers<OperationsOf<typeof declared>>;

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

  async function view(account: Account): Promise<WebhookView> {
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

function cursorOf({ msgKey, step }: DeliveryKey): string {
  return webhookIdOf(msgKey, step);
}

function rangeOf(given: {
  readonly from: string;
  readonly until: string;
}): { from: number; until: number } | Problem {
  const [from = 0, until = 0] = [parseMoment(given.from), parseMoment(given.until)];
  return from < until ? { from, until } : new Problem('A300', '"from" must be before "until"');
}
