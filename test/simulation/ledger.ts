/**
 * The truth of a simulation, kept outside of every node: what clients were told, what carriers were really given and
 * did, which receipts were acknowledged, what was handed over. The invariants compare the store with it.
 */
import type { SubmitAnswer } from '../../src/carriers/carrier.ts';
import type { Flow } from '../../src/domain/delivery/flow.ts';
import type { LiveStep } from '../../src/domain/delivery/settlement.ts';
import { type AccountId, type MsgKey, parseAttemptId } from '../../src/domain/ids.ts';
import type { QueueEvent } from '../../src/store/store.ts';
import type { Life } from './life.ts';
import type { Trace } from './trace.ts';

/** What the client knows: `doubt` is an error, or no answer at all. */
export type Told = 'nothing' | 'accepted' | 'refused' | 'doubt';

/** One submit of one attempt, as the world saw it. */
export interface Submit {
  readonly carrier: string;
  readonly attemptId: string;
  readonly step: number;
  readonly life: Life;
  readonly at: number;
  /** Whether the network has it. */
  fate: 'onTheWay' | 'taken' | 'notTaken';
  /** What the node was told, in time. */
  told: SubmitAnswer['kind'] | undefined;
  /** It was told under which references it was taken, in time or late. */
  refsToldAt: number | undefined;
  /** The store has the answer. */
  isWritten: boolean;
}

export interface Delivery {
  readonly submit: Submit;
  readonly isDelivered: boolean;
  readonly byReference: boolean;
  /** A node has said that it has it. */
  acknowledgedAt: number | undefined;
}

export interface MessageTruth {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly flow: Flow;
  readonly askedAt: number;
  told: Told;
  readonly submits: Submit[];
  readonly deliveries: Delivery[];
}

export class Ledger {
  readonly messages = new Map<MsgKey, MessageTruth>();
  readonly violations: string[] = [];
  readonly #trace: Trace;
  readonly #submits = new Map<string, Submit[]>();
  /** Attempts whose acceptance the store had when they were claimed for the last time. */
  readonly #claimedThoughTaken = new Set<string>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  violated(rule: string, detail: string): void {
    this.#trace.note('VIOLATION', `${rule}: ${detail}`);
    this.violations.push(`${rule}: ${detail}`);
  }

  asked(msgKey: MsgKey, account: AccountId, flow: Flow, at: number): void {
    const truth = {
      msgKey,
      account,
      flow,
      askedAt: at,
      told: 'nothing' as Told,
      submits: [],
      deliveries: [],
    };
    this.messages.set(msgKey, truth);
  }

  told(msgKey: MsgKey, told: Told): void {
    const truth = this.messages.get(msgKey);
    if (!truth) {
      this.violated('an answer names a message nobody asked for', msgKey);
      return;
    }
    truth.told = told;
    if (told === 'refused' && truth.submits.length > 0) this.violated('refused and submitted', msgKey);
  }

  /** A submit leaves a node. `repeatableForMs` is the carrier's promise. */
  submitted(order: {
    readonly carrier: string;
    readonly attemptId: string;
    readonly life: Life;
    readonly at: number;
    readonly repeatableForMs: number;
  }): Submit {
    const { carrier, attemptId, life, at, repeatableForMs } = order;
    const key = parseAttemptId(attemptId);
    if (!key) throw new Error(`${attemptId} is no attempt`);
    const submit: Submit = {
      carrier,
      attemptId,
      step: key.step,
      life,
      at,
      fate: 'onTheWay',
      told: undefined,
      refsToldAt: undefined,
      isWritten: false,
    };
    const truth = this.messages.get(key.msgKey);
    if (!truth) {
      this.violated('something is submitted that nobody asked for', attemptId);
      return submit;
    }
    if (truth.told === 'refused') this.violated('refused and submitted', attemptId);
    for (const earlier of truth.submits) {
      if (earlier.step !== key.step || earlier.told === 'temporary') continue;
      const isPromised =
        earlier.attemptId === attemptId && earlier.carrier === carrier && at - earlier.at <= repeatableForMs;
      if (earlier.told === 'accepted' && this.#claimedThoughTaken.has(attemptId)) {
        this.violated('submitted again though it was taken', `${attemptId} to ${carrier}`);
      } else if (!isPromised) {
        const was = `${earlier.fate}, told ${earlier.told}`;
        this.violated(
          'submitted twice',
          `${attemptId} to ${carrier}, before ${earlier.attemptId} to ${earlier.carrier} (${was})`,
        );
      }
    }
    truth.submits.push(submit);
    const known = this.#submits.get(attemptId);
    if (known) known.push(submit);
    else this.#submits.set(attemptId, [submit]);
    return submit;
  }

  /** The store has claimed these for a node. An answer that it gets after that cannot keep them from being submitted. */
  claimed(steps: readonly LiveStep[]): void {
    for (const { msgKey, step, attempt } of steps) {
      const id = `${msgKey}-${step}-${attempt}`;
      const isTaken = this.#submits.get(id)?.some(({ isWritten, told }) => isWritten && told === 'accepted');
      if (isTaken) this.#claimedThoughTaken.add(id);
    }
  }

  /** The network will tell how it ended. */
  delivery(submit: Submit, isDelivered: boolean, byReference: boolean): Delivery {
    const delivery = { submit, isDelivered, byReference, acknowledgedAt: undefined };
    const key = parseAttemptId(submit.attemptId);
    if (key) this.messages.get(key.msgKey)?.deliveries.push(delivery);
    return delivery;
  }

  /** The store has settled these. */
  settled(events: readonly QueueEvent[]): void {
    for (const event of events) {
      if (event.kind !== 'step' || (event.event.name !== 'accepted' && event.event.name !== 'refused'))
        continue;
      const id = `${event.msgKey}-${event.step}-${event.attempt}`;
      for (const submit of this.#submits.get(id) ?? []) submit.isWritten = true;
    }
  }
}
