/**
 * Sends records to the webhooks of accounts in webhook mode: a lane for each account, and turns between the lanes.
 *
 * A lane is woken when a report of its account ends on this node, and by the clock: for retries, for what other nodes
 * settled, and for what was left by a crash. Lanes take turns record by record, and the calls under way are bounded for
 * each and for all, so a slow one delays no other.
 */
import type { Account } from '../../domain/account/account.ts';
import type { AccountId } from '../../domain/ids.ts';
import { backgroundTasks } from '../../observe/background.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { UnreadableRecord } from '../../store/store-fault.ts';
import { type LaneDeps, WebhookLane } from './lane.ts';

/** Calls under way on this node, for all accounts together. */
const MOST_AT_ONCE = 256;
const RETURN_CHUNK = 500;
/** Clocks of several nodes differ by less. */
const SKEW_MS = 60_000;
const MOST_COUNTED = 100_000;

export class WebhookPusher {
  readonly #deps: LaneDeps;
  readonly #metrics: Metrics;
  readonly #isDraining: () => boolean;
  readonly #tasks: ReturnType<typeof backgroundTasks>;
  readonly #lanes = new Map<AccountId, WebhookLane>();
  /** Lanes with something to send; the next to take its turn is first. */
  readonly #ready = new Set<WebhookLane>();
  /** Whether an account is in webhook mode, as known a moment ago: asked for every report that ends. */
  readonly #modes = new Map<AccountId, boolean>();
  #underWay = 0;
  #isStopped = true;
  /** At the start nobody knows whether the clock was set back while nothing ran. */
  #mustHurry = true;

  constructor(
    deps: LaneDeps & {
      readonly metrics: Metrics;
      /** This node is to begin nothing more; others do. */
      readonly isDraining?: () => boolean;
    },
  ) {
    this.#deps = deps;
    this.#metrics = deps.metrics;
    this.#isDraining = deps.isDraining ?? (() => false);
    this.#tasks = backgroundTasks(deps, [
      ['webhook retries', () => this.#wakeDue()],
      ['webhook accounts', () => this.#refresh()],
    ]);
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#deps.store.webhooks.forgetCircuits(this.#deps.owner);
    await this.#refresh();
    this.#tasks.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const stopLanes = () => Promise.all([...this.#lanes.values()].map(lane => lane.stop()));
    await Promise.all([stopLanes(), this.#tasks.stop()]);
    // The last run of a task may have made another.
    await stopLanes();
  }

  /** The wall clock was set back. */
  clockSetBack(): void {
    this.#mustHurry = true;
  }

  /** Reports have ended, or messages came in. Costs a look-up for each where the account polls. */
  noticed(reports: readonly { readonly account: AccountId }[]): void {
    if (this.#isStopped || this.#isDraining()) return;
    for (const { account } of reports) {
      const isWebhook = this.#modes.get(account);
      if (isWebhook) this.#laneOf(account).wake();
      else if (isWebhook === undefined) void this.#learn(account);
    }
  }

  /** An operator made deliveries of the account due: they need not wait for the pause after failures to end. */
  hurry(account: AccountId): void {
    if (!this.#isStopped) this.#laneOf(account).hurry();
  }

  /** An account seen for the first time since the last refresh. Until the answer is there it is not asked again. */
  async #learn(account: AccountId): Promise<void> {
    this.#modes.set(account, false);
    try {
      const found = await this.#deps.store.accounts.find(account);
      if (found?.settings.reportMode !== 'webhook' || this.#isStopped) return;
      this.#modes.set(account, true);
      this.#laneOf(account).wake();
    } catch (error) {
      this.#modes.delete(account);
      this.#deps.events.failed('webhook accounts', error);
    }
  }

  async #refresh(): Promise<void> {
    const { store } = this.#deps;
    const accounts = await store.accounts.list();
    this.#modes.clear();
    for (const { id, settings } of accounts) {
      if (settings.reportMode !== 'webhook') continue;
      this.#modes.set(id, true);
      if (!this.#isDraining()) this.#laneOf(id).wake();
    }
    for (const [id, lane] of this.#lanes) {
      if (!this.#modes.get(id) && lane.isIdle) this.#lanes.delete(id);
    }
    // Claims of this node that no lane knows of: the answer to the claim was lost.
    for (const id of await store.webhooks.holders(this.#deps.owner)) {
      const lane = this.#laneOf(id);
      if (lane.isIdle) lane.reconcile();
    }
    this.#metrics.webhookPending.set(await store.webhooks.countPending(MOST_COUNTED));
    this.#metrics.webhookFailing.set(await store.webhooks.countFailing());
  }

  async #wakeDue(): Promise<void> {
    const { store, clock, owner } = this.#deps;
    if (this.#mustHurry) {
      this.#mustHurry = false;
      await store.webhooks.hurry({ now: clock.now(), reportedAfter: clock.now() + SKEW_MS });
    }
    for (const { account, nextAt } of await store.webhooks.pending()) {
      const found = await this.#readable(account);
      if (found === 'unreadable') continue;
      if (found?.settings.reportMode === 'webhook') {
        if (nextAt <= clock.now() && !this.#isDraining()) this.#laneOf(account).wake(true);
      } else {
        // Switched to polling: what was not delivered waits to be fetched.
        while ((await store.webhooks.returnToQueue(account, owner, RETURN_CHUNK)) === RETURN_CHUNK);
      }
    }
  }

  /** The records of an account that cannot be read wait; the store has told of it. */
  async #readable(id: AccountId): Promise<Account | undefined | 'unreadable'> {
    try {
      return await this.#deps.store.accounts.find(id);
    } catch (error) {
      if (error instanceof UnreadableRecord) return 'unreadable';
      throw error;
    }
  }

  #laneOf(account: AccountId): WebhookLane {
    const known = this.#lanes.get(account);
    if (known) return known;
    const lane = new WebhookLane(account, this.#deps, ready => {
      this.#ready.add(ready);
      this.#takeTurns();
    });
    this.#lanes.set(account, lane);
    return lane;
  }

  /** One record of each ready lane in turn, again and again, as long as more calls may be made. */
  #takeTurns(): void {
    for (const lane of this.#ready) {
      if (this.#underWay >= MOST_AT_ONCE) return;
      this.#ready.delete(lane);
      if (!lane.canStart()) continue;
      this.#underWay++;
      void lane.start().then(() => {
        this.#underWay--;
        this.#takeTurns();
      });
      // Added behind the others; the loop comes to it again.
      if (lane.canStart()) this.#ready.add(lane);
    }
  }
}
