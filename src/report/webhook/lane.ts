/**
 * Brings one account's records to its webhook: collects them from the report queue, claims those that are due, calls the
 * receiver, and writes the result.
 *
 * Records go out in the order they were reported, several at a time; one that fails is tried again later and
 * delays no other. Replays are sent while nothing else is due. What must never happen: a record that this lane has claimed and neither completes nor gives back.
 */
import type { Account } from '../../domain/account/account.ts';
import type { AccountId } from '../../domain/ids.ts';
import { WEBHOOK_WINDOW_MS, withAttempt } from '../../domain/reports/webhook.ts';
import { Problem } from '../../domain/request/problem.ts';
import { sleep } from '../../platform/clock.ts';
import type { ClaimedDelivery, Store } from '../../store/store.ts';
import { type AttemptDeps, type Attempted, attemptDelivery, type LaneTarget } from './attempt.ts';
import { ReceiverGate } from './receiver-gate.ts';
import type { WebhookSecrets } from './secrets.ts';

export interface LaneDeps extends AttemptDeps {
  readonly store: Store;
  readonly secrets: WebhookSecrets;
  /** This node. */
  readonly owner: string;
}

/** Answers not yet written: a call does not wait for the commit of the one before it, and many share a commit. */
const MOST_UNWRITTEN = 64;
const COLLECT_CHUNK = 500;
/** Records claimed for each call that may be under way. */
const CLAIMED_PER_CALL = 8;
const WRITE_AGAIN_MS = 1000;

export class WebhookLane {
  readonly #id: AccountId;
  readonly #deps: LaneDeps;
  readonly #onReady: (lane: WebhookLane) => void;
  readonly #underWay = new Map<ClaimedDelivery, Promise<void>>();
  readonly #unwritten = new Map<ClaimedDelivery, Promise<void>>();
  #waiting: ClaimedDelivery[] = [];
  #target: LaneTarget | undefined;
  #gate = new ReceiverGate(1);
  #gateUrl: string | undefined;
  /** When the calls were stopped, as the store knows it; undefined while it says that all is well. */
  #troubleSince: number | undefined;
  /** Why records are held back, as last reported. */
  #held: string | undefined;
  #loading: Promise<void> | undefined;
  #isWoken = false;
  /** Woken for deliveries that are due, and not only to look into the report queue. */
  #isDue = false;
  #mayBeMore = false;
  /** The store may hold claims of this lane that it does not know of: a claim failed, and perhaps took some records. */
  #isUnsure = false;
  #isStopped = false;

  constructor(id: AccountId, deps: LaneDeps, onReady: (lane: WebhookLane) => void) {
    this.#id = id;
    this.#deps = deps;
    this.#onReady = onReady;
  }

  get isIdle(): boolean {
    const held = this.#waiting.length + this.#underWay.size + this.#unwritten.size;
    return held === 0 && this.#loading === undefined;
  }

  /** There may be records in the report queue; or, with `isDue`, deliveries to make. */
  wake(isDue = false): void {
    this.#isWoken = true;
    this.#isDue ||= isDue;
    if (this.#isStopped || this.#loading) return;
    this.#loading = this.#load()
      .catch(error => this.#deps.events.failed('webhook', error))
      .then(() => {
        this.#loading = undefined;
        // Woken after the last look of the load, and before this.
        if (this.#isWoken) this.wake();
        if (this.canStart()) this.#onReady(this);
      });
  }

  /** An operator asks for a call now, pause or not. */
  hurry(): void {
    this.#gate.endPause(this.#deps.clock.monotonic());
    this.wake(true);
  }

  /** The store says that this node holds records which this lane does not know of. */
  reconcile(): void {
    this.#isUnsure = true;
    this.wake(true);
  }

  canStart(): boolean {
    if (this.#isStopped || this.#target === undefined || this.#waiting.length === 0) return false;
    const room = this.#gate.room(this.#deps.clock.monotonic());
    return this.#underWay.size < room && this.#unwritten.size < MOST_UNWRITTEN;
  }

  /** Sends the next record; resolves when the call is over. */
  async start(): Promise<void> {
    const delivery = this.#waiting.shift();
    if (!delivery || !this.#target) return;
    const calling = this.#call(delivery, this.#target).catch(error => {
      this.#isUnsure = true;
      this.#deps.events.failed('webhook', error);
    });
    this.#underWay.set(delivery, calling);
    await calling;
    this.#underWay.delete(delivery);
    const isHalted = this.#gate.isInTrouble || this.#target === undefined;
    if (isHalted || (this.#waiting.length === 0 && this.#mayBeMore)) this.wake(true);
    if (this.canStart()) this.#onReady(this);
  }

  /** Lets what is under way finish, and gives the rest back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loading;
    await Promise.all(this.#underWay.values());
    await Promise.all(this.#unwritten.values());
    await this.#letGo();
  }

  async #load(): Promise<void> {
    const { store, clock } = this.#deps;
    while (this.#isWoken && !this.#isStopped) {
      const isDue = this.#isDue;
      this.#isWoken = false;
      this.#isDue = false;
      const account = await store.accounts.find(this.#id);
      const isWebhook = account?.settings.reportMode === 'webhook';
      const collected = isWebhook ? await this.#collect(account) : 0;
      if (isWebhook && collected === 0 && !isDue) continue;
      this.#target = isWebhook ? await this.#targetOf(account) : undefined;
      if (!isWebhook || !this.#gate.isInTrouble) await this.#tellTrouble(undefined);
      const room = this.#gate.room(clock.monotonic());
      if (this.#target === undefined || room === 0) {
        await this.#letGo();
      } else if (this.#waiting[0]?.isReplay === false) {
        this.#mayBeMore = true;
      } else {
        await this.#claim(this.#gate.isInTrouble ? 1 : room * CLAIMED_PER_CALL);
      }
    }
  }

  async #collect({ settings }: Account): Promise<number> {
    const lastOnly = settings.reportRecords === 'final';
    const now = this.#deps.clock.now();
    const order = { account: this.#id, lastOnly, windowMs: WEBHOOK_WINDOW_MS, now, limit: COLLECT_CHUNK };
    let collected = 0;
    for (;;) {
      const chunk = await this.#deps.store.webhooks.collect(order);
      collected += chunk;
      if (chunk < COLLECT_CHUNK) return collected;
    }
  }

  /** Where to send, undefined when nothing may be sent. A blocked account's records wait, within their window. */
  async #targetOf(account: Account): Promise<LaneTarget | undefined> {
    const { store, secrets, events } = this.#deps;
    const { webhookUrl: url, webhookCalls } = account.settings;
    if (url === undefined || account.blocked) return undefined;
    if (url !== this.#gateUrl) {
      this.#gateUrl = url;
      this.#gate = new ReceiverGate(webhookCalls);
    }
    this.#gate.mostAtOnce = webhookCalls;
    const off = await store.webhooks.findOff(this.#id);
    if (off?.url === url) return undefined;
    if (off) await store.webhooks.switchOn(this.#id);
    const active = await secrets.active(this.#id);
    const held = active instanceof Problem ? active.result : undefined;
    // Checked every second, reported once.
    if (held !== undefined && held !== this.#held) events.webhookHeld(this.#id, held);
    this.#held = held;
    return active instanceof Problem ? undefined : { url, secrets: active, account };
  }

  /** What is due goes before replays that this lane holds already. */
  async #claim(limit: number): Promise<void> {
    const { store, clock, owner } = this.#deps;
    if (this.#isUnsure) await this.#letGo();
    this.#isUnsure = true;
    const dueOnly = this.#waiting.length > 0;
    const order = { account: this.#id, owner, limit, now: clock.now(), dueOnly };
    const claimed = await store.webhooks.claim(order);
    this.#waiting.unshift(...claimed);
    this.#isUnsure = false;
    this.#mayBeMore = dueOnly || claimed.length === limit;
  }

  /** Gives back what is claimed and not under way. Only ever called while nothing is being claimed. */
  async #letGo(): Promise<void> {
    const { store, owner } = this.#deps;
    if (this.#waiting.length === 0 && !this.#isUnsure) return;
    this.#waiting = [];
    const inWork = [...this.#underWay.keys(), ...this.#unwritten.keys()];
    await this.#write(() => store.webhooks.giveBack(this.#id, owner, inWork));
    this.#isUnsure = false;
  }

  async #call(delivery: ClaimedDelivery, target: LaneTarget): Promise<void> {
    const { store, clock, events } = this.#deps;
    const attempted = await attemptDelivery(this.#deps, delivery, target);
    if (attempted.outcome === 'delivered') {
      this.#gate.succeeded();
      await this.#tellTrouble(undefined);
    }
    if (attempted.outcome === 'failed' && this.#gate.failed(clock.monotonic())) {
      await this.#tellTrouble(attempted.attempt?.error ?? '');
    }
    if (attempted.outcome === 'gone') {
      this.#target = undefined;
      const off = { url: target.url, reason: 'The receiver answered 410', at: clock.now() };
      await this.#write(() => store.webhooks.switchOff(this.#id, off));
      events.webhookSwitchedOff(this.#id);
    }
    const writing = this.#complete(delivery, attempted).then(() => {
      this.#unwritten.delete(delivery);
      if (this.canStart()) this.#onReady(this);
    });
    this.#unwritten.set(delivery, writing);
  }

  /** Tells operators, on every node and on the command line, that the calls are stopped; with undefined, that they go on. */
  async #tellTrouble(error: string | undefined): Promise<void> {
    const { store, clock, owner, events } = this.#deps;
    if (error === undefined) {
      if (this.#troubleSince === undefined) return;
      this.#troubleSince = undefined;
      events.webhookRecovered(this.#id);
      await this.#write(() => store.webhooks.setCircuit(this.#id, owner, undefined));
      return;
    }
    if (this.#troubleSince === undefined) events.webhookFails(this.#id, error);
    this.#troubleSince ??= clock.now();
    const circuit = {
      openedAt: this.#troubleSince,
      at: clock.now(),
      probeAt: clock.now() + this.#gate.pauseMs(clock.monotonic()),
      failures: this.#gate.failuresInARow,
      error,
    };
    await this.#write(() => store.webhooks.setCircuit(this.#id, owner, circuit));
  }

  #complete(delivery: ClaimedDelivery, { state, at, attempt }: Attempted): Promise<void> {
    const { store, owner } = this.#deps;
    const { msgKey, step } = delivery;
    const made = {
      attempts: delivery.attempts + (attempt ? 1 : 0),
      recent: attempt ? withAttempt(delivery.recent, attempt) : delivery.recent,
    };
    return this.#write(() => store.webhooks.complete({ msgKey, step, owner, state, at, ...made }));
  }

  /** Writes until the store takes it: a claim that never ends would block its record. */
  async #write(task: () => Promise<void>): Promise<void> {
    const { clock, events } = this.#deps;
    for (;;) {
      try {
        return await task();
      } catch (error) {
        events.failed('webhook', error);
        // What a stopping node holds is taken over by another node, or by the next start.
        if (this.#isStopped) return;
        await sleep(clock, WRITE_AGAIN_MS);
      }
    }
  }
}
