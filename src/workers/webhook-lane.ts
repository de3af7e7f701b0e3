/**
 * The way of one account's records to its webhook: collect them from the report queue, claim those that are due, call
 * the receiver, write what became of it.
 *
 * Records go out in the order they were reported, several at a time; one that fails comes again later and holds nobody
 * up. What must never happen: a record in this lane's hands that it neither completes nor gives back.
 */
import type { Account } from '../domain/account.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/problem.ts';
import {
  type DeliveryState,
  nextAttemptAt,
  WEBHOOK_WINDOW_MS,
  type WebhookAttempt,
  webhookIdOf,
  withAttempt,
} from '../domain/webhook.ts';
import type { Events } from '../operations/events.ts';
import type { CallWebhook, WebhookTarget } from '../operations/webhook-call.ts';
import type { WebhookSecrets } from '../operations/webhook-secrets.ts';
import { wireReport } from '../operations/wire-report.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { ClaimedDelivery, Store } from '../store/store.ts';
import { Circuit } from './circuit.ts';

export interface LaneParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Events;
  readonly secrets: WebhookSecrets;
  readonly callWebhook: CallWebhook;
  readonly formatTime: FormatTime;
  /** This node. */
  readonly owner: string;
}

/** Calls to one account's receiver at the same time, on this node. */
const MOST_AT_ONCE = 8;
const COLLECT_CHUNK = 500;
/** Records claimed for each call that may be under way. */
const CLAIMED_PER_CALL = 8;
const WRITE_AGAIN_MS = 1000;
/** A record claimed this long after its window is given up without a call. */
const LATE_MS = 60_000;

export class WebhookLane {
  readonly #id: AccountId;
  readonly #parts: LaneParts;
  readonly #onReady: (lane: WebhookLane) => void;
  readonly #underWay = new Map<ClaimedDelivery, Promise<void>>();
  #waiting: ClaimedDelivery[] = [];
  #target: (WebhookTarget & Pick<Account, 'settings'>) | undefined;
  #circuit = new Circuit(MOST_AT_ONCE);
  #circuitUrl: string | undefined;
  #loading: Promise<void> | undefined;
  #isWoken = false;
  /** Woken for deliveries that are due, and not only to look into the report queue. */
  #isDue = false;
  #mayBeMore = false;
  /** A claim failed in a way that does not tell whether it took anything. */
  #isUnsure = false;
  #isStopped = false;

  constructor(id: AccountId, parts: LaneParts, onReady: (lane: WebhookLane) => void) {
    this.#id = id;
    this.#parts = parts;
    this.#onReady = onReady;
  }

  get circuit(): 'closed' | 'open' {
    return this.#circuit.isOpen ? 'open' : 'closed';
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#underWay.size === 0 && this.#loading === undefined;
  }

  /** There may be records in the report queue; or, with `isDue`, deliveries to make. */
  wake(isDue = false): void {
    this.#isWoken = true;
    this.#isDue ||= isDue;
    if (this.#isStopped || this.#loading) return;
    this.#loading = this.#load()
      .catch(error => this.#parts.events.failed('webhook', error))
      .then(() => {
        this.#loading = undefined;
        if (this.canStart()) this.#onReady(this);
      });
  }

  canStart(): boolean {
    const isFree = this.#underWay.size < this.#circuit.room(this.#parts.clock.now());
    return !this.#isStopped && this.#target !== undefined && this.#waiting.length > 0 && isFree;
  }

  /** Sends the next record; resolves when it is done with. */
  async start(): Promise<void> {
    const delivery = this.#waiting.shift();
    const target = this.#target;
    if (!delivery || !target) return;
    const running = this.#deliver(delivery, target).catch(error => {
      this.#isUnsure = true;
      this.#parts.events.failed('webhook', error);
    });
    this.#underWay.set(delivery, running);
    await running;
    this.#underWay.delete(delivery);
    const isHalted = this.#circuit.isOpen || this.#target === undefined;
    if (isHalted || (this.#waiting.length === 0 && this.#mayBeMore)) this.wake(true);
    if (this.canStart()) this.#onReady(this);
  }

  /** Lets what is under way finish, and gives the rest back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loading;
    await Promise.all(this.#underWay.values());
    await this.#letGo();
  }

  async #load(): Promise<void> {
    const { store, clock } = this.#parts;
    while (this.#isWoken && !this.#isStopped) {
      const isDue = this.#isDue;
      this.#isWoken = false;
      this.#isDue = false;
      const account = await store.accounts.find(this.#id);
      const isWebhook = account?.settings.reportMode === 'webhook';
      const collected = isWebhook ? await this.#collect(account) : 0;
      if (isWebhook && collected === 0 && !isDue) continue;
      this.#target = isWebhook ? await this.#targetOf(account) : undefined;
      const room = this.#circuit.room(clock.now());
      if (this.#target === undefined || room === 0) {
        await this.#letGo();
      } else if (this.#waiting.length > 0) {
        this.#mayBeMore = true;
      } else {
        await this.#claim(this.#circuit.isOpen ? 1 : room * CLAIMED_PER_CALL);
      }
    }
  }

  async #collect({ settings }: Account): Promise<number> {
    const lastOnly = settings.reportRecords === 'final';
    const order = { account: this.#id, lastOnly, windowMs: WEBHOOK_WINDOW_MS, limit: COLLECT_CHUNK };
    let collected = 0;
    for (;;) {
      const chunk = await this.#parts.store.webhooks.collect(order);
      collected += chunk;
      if (chunk < COLLECT_CHUNK) return collected;
    }
  }

  /** Where to send, undefined when nothing may be sent. A blocked account's records wait, within their window. */
  async #targetOf({ id, blocked, settings }: Account) {
    const { store, secrets, events } = this.#parts;
    const { webhookUrl: url } = settings;
    if (url === undefined || blocked) return undefined;
    if (url !== this.#circuitUrl) {
      this.#circuitUrl = url;
      this.#circuit = new Circuit(MOST_AT_ONCE);
    }
    const off = await store.webhooks.findOff(id);
    if (off?.url === url) return undefined;
    if (off) await store.webhooks.switchOn(id);
    const active = await secrets.active(id);
    if (!(active instanceof Problem)) return { url, secrets: active, settings };
    events.webhookHeld(id, active.result);
    return undefined;
  }

  async #claim(limit: number): Promise<void> {
    const { store, clock, owner } = this.#parts;
    if (this.#isUnsure) await this.#letGo();
    this.#isUnsure = true;
    this.#waiting = await store.webhooks.claim({ account: this.#id, owner, limit, now: clock.now() });
    this.#isUnsure = false;
    this.#mayBeMore = this.#waiting.length === limit;
  }

  async #letGo(): Promise<void> {
    const { store, owner } = this.#parts;
    if (this.#waiting.length === 0 && !this.#isUnsure) return;
    this.#waiting = [];
    this.#isUnsure = true;
    await this.#write(() => store.webhooks.giveBack(this.#id, owner, [...this.#underWay.keys()]));
    this.#isUnsure = false;
  }

  async #deliver(
    delivery: ClaimedDelivery,
    target: WebhookTarget & Pick<Account, 'settings'>,
  ): Promise<void> {
    const { store, clock, random, events, callWebhook, formatTime } = this.#parts;
    const { msgKey, step, record, giveUpAt } = delivery;
    const isLate = clock.now() - giveUpAt > LATE_MS;
    if (!record || isLate) return this.#complete(delivery, { state: 'failed', at: clock.now() });

    const body = JSON.stringify(wireReport(record, target.settings, formatTime));
    const call = { webhookId: webhookIdOf(msgKey, step), msgKey, body };
    const { outcome, attempt, askedMs } = await callWebhook(target, call);
    events.webhookCalled(this.#id, msgKey, outcome, attempt);
    const now = clock.now();
    if (outcome === 'delivered') {
      this.#circuit.succeeded();
      return this.#complete(delivery, { state: 'delivered', at: now, attempt });
    }
    if (outcome === 'gone') {
      this.#target = undefined;
      const off = { url: target.url, reason: 'The receiver answered 410', at: now };
      await this.#write(() => store.webhooks.switchOff(this.#id, off));
      events.webhookSwitchedOff(this.#id);
      return this.#complete(delivery, { state: 'pending', at: now, attempt });
    }
    this.#circuit.failed(now);
    const order = { attempts: delivery.attempts + 1, now, giveUpAt, jitter: random.fraction(), askedMs };
    const nextAt = nextAttemptAt(order);
    if (nextAt !== undefined) return this.#complete(delivery, { state: 'pending', at: nextAt, attempt });
    events.webhookGivenUp(this.#id, msgKey);
    return this.#complete(delivery, { state: 'failed', at: now, attempt });
  }

  #complete(
    delivery: ClaimedDelivery,
    end: { readonly state: DeliveryState; readonly at: number; readonly attempt?: WebhookAttempt },
  ): Promise<void> {
    const { store, owner } = this.#parts;
    const { msgKey, step } = delivery;
    const { state, at, attempt } = end;
    const made = {
      attempts: delivery.attempts + (attempt ? 1 : 0),
      recent: attempt ? withAttempt(delivery.recent, attempt) : delivery.recent,
    };
    return this.#write(() => store.webhooks.complete({ msgKey, step, owner, state, at, ...made }));
  }

  /** Writes until the store takes it: a claim that is never ended would be nobody's. */
  async #write(task: () => Promise<void>): Promise<void> {
    const { clock, events } = this.#parts;
    for (;;) {
      try {
        return await task();
      } catch (error) {
        events.failed('webhook', error);
        // Another node, or the next start, takes over what a node that leaves has held.
        if (this.#isStopped) return;
        await new Promise<void>(resolve => {
          clock.schedule(WRITE_AGAIN_MS, resolve);
        });
      }
    }
  }
}
