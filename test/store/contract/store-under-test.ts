/** A store with a clock turned by hand, and short words for what the tests of every engine do with it. */
import type { TestContext } from 'node:test';
import { type Account, DEFAULT_ACCOUNT_SETTINGS } from '../../../src/domain/account/account.ts';
import type { Flow, Step } from '../../../src/domain/delivery/flow.ts';
import { type LiveStep, type StepEvent, settleStep } from '../../../src/domain/delivery/settlement.ts';
import type { RepeatPromise } from '../../../src/domain/delivery/takeover.ts';
import {
  type AccountId,
  type MsgKey,
  msgKeyOf,
  type ReportId,
  type RequestId,
  timePrefix,
} from '../../../src/domain/ids.ts';
import { runSweeps } from '../../../src/operate/sweeps.ts';
import type { ManualClock } from '../../../src/platform/clock.ts';
import type {
  AcceptResult,
  Decide,
  MessageView,
  NewRequest,
  NodeProfile,
  QueueEvent,
  ReservationSweep,
  RetentionCutoffs,
  SettleResult,
  Store,
  SumBatch,
  Sweeps,
  TakenOver,
} from '../../../src/store/store.ts';

/** Opens a store on nothing; whatever it opens is closed when the test ends. */
export type OpenStore = (t: TestContext) => Promise<StoreUnderTest>;

export const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
export const ACME = 'acme' as AccountId;
export const GLOBEX = 'globex' as AccountId;
export const DEADLINE_MS = 25 * 3_600_000;
export const DAY_MS = 24 * 3_600_000;
/** The carrier of a first step, and the one that every later step is routed to. */
export const FIRST_CARRIER = 'alpha';
export const NEXT_CARRIER = 'beta';

const SMS: Step = { channel: 'sms', from: '0212345678', text: 'hello' };
export const ONE_STEP: Flow = [SMS];
export const TWO_STEPS: Flow = [SMS, { ...SMS, text: 'hello again' }];

/** Cutoffs that touch nothing. */
export const NO_CUTOFFS: Omit<RetentionCutoffs, 'now'> = {
  unfetchedBefore: 0,
  inquiryBefore: 0,
  idempotencyBefore: 0,
  tokensBefore: 0,
  parkedBefore: 0,
  mostParked: Number.MAX_SAFE_INTEGER,
  giveUpBefore: 0,
  deliveriesBefore: 0,
};

type RequestChanges = Partial<Omit<NewRequest, 'messages'>> & {
  readonly recipients?: readonly string[];
  readonly carrier?: string;
};

/** How many steps were taken over. */
export function stepsOf(taken: readonly TakenOver[]): number {
  return taken.reduce((sum, { steps }) => sum + steps, 0);
}

export class StoreUnderTest {
  readonly clock: ManualClock;
  readonly #open: () => Promise<Store>;
  #store: Store;
  #requests = 0;
  #batches = 0;
  #claims = 0;

  constructor(store: Store, clock: ManualClock, open: () => Promise<Store>) {
    this.#store = store;
    this.clock = clock;
    this.#open = open;
  }

  get store(): Store {
    return this.#store;
  }

  /** What a restart of the process does. */
  async reopen(): Promise<void> {
    await this.#store.close();
    this.#store = await this.#open();
  }

  /** A new id whose time is this. */
  requestIdAt(at: number): RequestId {
    return `${timePrefix(at)}${String(this.#requests++).padStart(19, '0')}` as RequestId;
  }

  request(changes: RequestChanges = {}): NewRequest {
    const { recipients = ['01012345678'], carrier = FIRST_CARRIER, ...given } = changes;
    const now = this.clock.now();
    const { requestId = this.requestIdAt(now) } = changes;
    return {
      requestId,
      account: ACME,
      acceptedAt: now,
      ref: undefined,
      paymentCode: undefined,
      flow: ONE_STEP,
      deadlineAt: now + DEADLINE_MS,
      claim: undefined,
      idempotency: undefined,
      isBulk: false,
      reportsLateDelivery: false,
      messages: recipients.map((to, index) => ({
        msgKey: msgKeyOf(requestId, index),
        to,
        words: undefined,
        route: { carrier, why: 'routes[0]' },
      })),
      ...given,
    };
  }

  /** Accepts one message; resolves to its key. */
  async send(changes: RequestChanges = {}): Promise<MsgKey> {
    const request = this.request(changes);
    await this.accept(request);
    return msgKeyOf(request.requestId, 0);
  }

  accept(request: NewRequest): Promise<AcceptResult> {
    return this.store.messages.accept(request);
  }

  /** Claims up to `limit` steps of every account that has some. */
  async claim(
    changes: { readonly owner?: string; readonly carrier?: string; readonly limit?: number } = {},
  ): Promise<LiveStep[]> {
    const { owner = 'node-1', carrier = FIRST_CARRIER, limit = 100 } = changes;
    const now = this.clock.now();
    await this.store.queue.release({ now, putOffAfter: undefined, limit: 1000 });
    const accounts = await this.store.queue.readyAccounts({ carrier, after: undefined, limit: 100 });
    const shares = accounts.map(account => ({ account, limit }));
    return this.store.queue.claim({ owner, claim: `${owner}/${this.#claims++}`, carrier, shares, now });
  }

  /** Accepts and claims one message. */
  async sendAndClaim(changes: RequestChanges = {}): Promise<LiveStep> {
    const msgKey = await this.send(changes);
    const claimed = await this.claim();
    const live = claimed.find(step => step.msgKey === msgKey);
    if (!live) throw new Error(`${msgKey} was not claimed`);
    return live;
  }

  /** Accepts, claims and has the carrier take one message under these references. */
  async submit(refs: readonly string[], changes: RequestChanges = {}): Promise<LiveStep> {
    const live = await this.sendAndClaim(changes);
    await this.settle(answer(live, { name: 'accepted', parts: refs.length }, refs));
    return live;
  }

  /** Brings one message to its end; its report is 10000. */
  async deliver(changes: RequestChanges = {}): Promise<MsgKey> {
    const live = await this.sendAndClaim(changes);
    await this.settle(answer(live, { name: 'receivedDelivered' }));
    return live.msgKey;
  }

  settle(...events: readonly QueueEvent[]): Promise<SettleResult> {
    return this.store.queue.settle(events, this.decide);
  }

  readonly decide: Decide = (live, event, now) =>
    settleStep(live, event, {
      now,
      deadlines: { textMs: DEADLINE_MS, mmsMs: DEADLINE_MS, messengerMs: DEADLINE_MS },
      route: () => ({ carrier: NEXT_CARRIER, why: 'routes[1]' }),
      jitter: 0,
    });

  receipt(
    ref: string,
    event: Extract<QueueEvent, { kind: 'receipt' }>['event'],
    details: Partial<Extract<QueueEvent, { kind: 'receipt' }>> = {},
  ): QueueEvent {
    return { kind: 'receipt', carrier: FIRST_CARRIER, ref, event, receivedAt: this.clock.now(), ...details };
  }

  async view(msgKey: MsgKey): Promise<MessageView> {
    const view = await this.store.messages.find(msgKey);
    if (!view) throw new Error(`there is no message ${msgKey}`);
    return view;
  }

  poll(
    changes: {
      readonly account?: AccountId;
      readonly lastOnly?: boolean;
      readonly limit?: number;
      readonly since?: number;
    } = {},
  ) {
    const newId = () => `batch-${this.#batches++}-${this.clock.now()}` as ReportId;
    const defaults = { account: ACME, lastOnly: false, limit: 100, since: 0, now: this.clock.now() };
    return this.store.reports.poll({ ...defaults, newId, ...changes });
  }

  inquire(
    msgKey: MsgKey,
    changes: { readonly account?: AccountId; readonly lastOnly?: boolean; readonly since?: number } = {},
  ) {
    return this.store.reports.inquire({ msgKey, account: ACME, lastOnly: false, since: 0, ...changes });
  }

  /** Sweeps reservations with cutoffs that touch nothing but what is named. */
  async sweepReservations(cutoffs: Partial<ReservationSweep> = {}): Promise<void> {
    const none = { haltedBefore: 0, textsBefore: 0, before: 0 };
    await sweepAll(this.store.reservations.sweeps({ now: this.clock.now(), ...none, ...cutoffs }));
  }

  /** Makes days, and sweeps with cutoffs that touch nothing but what is named. */
  async sweep(cutoffs: Partial<RetentionCutoffs> = {}): Promise<void> {
    await this.#store.upkeep.makeDays(this.clock.now());
    await sweepAll(this.store.upkeep.sweeps({ now: this.clock.now(), ...NO_CUTOFFS, ...cutoffs }));
  }
}

/** Runs these until nothing is left for them. */
export function sweepAll(sweeps: Sweeps): Promise<void> {
  return runSweeps(sweeps, (_, error) => {
    throw error;
  });
}

/** A node that runs nothing. */
export const PROFILE: NodeProfile = { mode: 'sandbox', carriers: [], channels: [] };

/** These carriers may be sent the same attempt again, for ever. */
export function repeatable(...carriers: readonly string[]): ReadonlyMap<string, RepeatPromise> {
  return new Map(carriers.map(name => [name, { forMs: Number.MAX_SAFE_INTEGER, isForgetful: false }]));
}

/** The answer of a carrier to the running attempt of a step, or its deadline. */
export function answer(live: LiveStep, event: StepEvent, refs?: readonly (string | undefined)[]): QueueEvent {
  const { msgKey, step, attempt, carrier } = live;
  return { kind: 'step', msgKey, step, attempt, event, carrier, ...(refs && { refs }) };
}

export function accountNamed(id: string, changes: Partial<Account> = {}): Account {
  return {
    id: id as AccountId,
    passwordHash: 'hash',
    blocked: false,
    tokenEpoch: 0,
    createdAt: 1,
    settings: DEFAULT_ACCOUNT_SETTINGS,
    ...changes,
  };
}

export const WRITTEN_AT = 1_000_000;

/** Sums as a writer gives them. */
export function batchOf<Sum>(writer: string, number: number, ...sums: readonly Sum[]): SumBatch<Sum> {
  return { writer, number, writtenAt: WRITTEN_AT, sums };
}
