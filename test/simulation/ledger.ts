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
  /** How many the carrier makes of it. */
  readonly parts: number;
  /** Whether the network has it, or parts of it. */
  fate: 'onTheWay' | 'taken' | 'notTaken';
  /** What the node was told, in time. */
  told: SubmitAnswer['kind'] | undefined;
  /** It was told under which references it was taken, in time or late. */
  refsToldAt: number | undefined;
  /** Since when the store has the answer. */
  writtenAt: number | undefined;
  /** A restored store knows nothing of the step. */
  isForgotten: boolean;
}

export interface Delivery {
  readonly submit: Submit;
  /** Which part, by its reference; undefined where our own id names the whole. */
  readonly part: number | undefined;
  readonly isDelivered: boolean;
  /** A node has said that it has it. */
  acknowledgedAt: number | undefined;
}

export interface MessageTruth {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly flow: Flow;
  readonly to: string;
  readonly askedAt: number;
  /** Of one that is reserved: when it is to be sent, by the wall clock. */
  readonly sendAt: number | undefined;
  told: Told;
  toldAt: number | undefined;
  /** It came after the snapshot that was restored. */
  isForgotten: boolean;
  /** `asked`: a client wanted it cancelled, and does not know more. */
  cancel: 'no' | 'asked' | 'done';
  readonly submits: Submit[];
  readonly deliveries: Delivery[];
}

export interface SubmitOrder {
  readonly carrier: string;
  readonly node: string;
  readonly attemptId: string;
  readonly life: Life;
  readonly at: number;
  readonly parts: number;
  readonly repeatableForMs: number;
}

/** Violations name their rule first. */
export function ruleOf(violation: string): string {
  return violation.slice(0, violation.indexOf(':'));
}

export class Ledger {
  readonly messages = new Map<MsgKey, MessageTruth>();
  readonly violations: string[] = [];
  readonly #trace: Trace;
  readonly #submits = new Map<string, Submit[]>();
  /** Attempts whose acceptance the store had when they were claimed for the last time. */
  readonly #claimedThoughTaken = new Set<string>();

  readonly #now: () => number;
  readonly #onSubmit: (truth: MessageTruth, step: number, order: SubmitOrder) => void;

  constructor(parts: {
    readonly trace: Trace;
    readonly now: () => number;
    readonly onSubmit: (truth: MessageTruth, step: number, order: SubmitOrder) => void;
  }) {
    const { trace, now, onSubmit } = parts;
    this.#trace = trace;
    this.#now = now;
    this.#onSubmit = onSubmit;
  }

  violated(rule: string, detail: string): void {
    this.#trace.note('VIOLATION', `${rule}: ${detail}`);
    this.violations.push(`${rule}: ${detail}`);
  }

  asked(
    msgKey: MsgKey,
    order: Pick<MessageTruth, 'flow' | 'to' | 'askedAt' | 'sendAt'> & { readonly accountId: AccountId },
  ): void {
    const { accountId: account, flow, to, askedAt, sendAt } = order;
    this.messages.set(msgKey, {
      ...{ msgKey, account, flow, to, askedAt, sendAt },
      told: 'nothing',
      toldAt: undefined,
      isForgotten: false,
      cancel: 'no',
      submits: [],
      deliveries: [],
    });
  }

  /** A client asks for it; what was cancelled stays so. */
  cancels(msgKeys: readonly MsgKey[]): void {
    for (const truth of this.#truthsOf(msgKeys)) if (truth.cancel === 'no') truth.cancel = 'asked';
  }

  cancelled(msgKeys: readonly MsgKey[]): void {
    for (const truth of this.#truthsOf(msgKeys)) truth.cancel = 'done';
  }

  #truthsOf(msgKeys: readonly MsgKey[]): MessageTruth[] {
    return msgKeys.flatMap(msgKey => this.messages.get(msgKey) ?? []);
  }

  told(msgKey: MsgKey, told: Told): void {
    const truth = this.messages.get(msgKey);
    if (!truth) {
      this.violated('an answer names a message nobody asked for', msgKey);
      return;
    }
    truth.told = told;
    truth.toldAt = this.#now();
    if (told === 'refused' && truth.submits.length > 0) this.violated('refused and submitted', msgKey);
  }

  /** A submit leaves a node. `repeatableForMs` is the carrier's promise. */
  submitted(order: SubmitOrder): Submit {
    const { carrier, attemptId, life, at, parts, repeatableForMs } = order;
    const key = parseAttemptId(attemptId);
    if (!key) throw new Error(`${attemptId} is no attempt`);
    const submit: Submit = {
      carrier,
      attemptId,
      step: key.step,
      life,
      at,
      parts,
      fate: 'onTheWay',
      told: undefined,
      refsToldAt: undefined,
      writtenAt: undefined,
      isForgotten: false,
    };
    const truth = this.messages.get(key.msgKey);
    if (!truth) {
      this.violated('something is submitted that nobody asked for', attemptId);
      return submit;
    }
    if (truth.told === 'refused') this.violated('refused and submitted', attemptId);
    if (truth.cancel === 'done') this.violated('submitted after it was cancelled', attemptId);
    this.#onSubmit(truth, key.step, order);
    for (const earlier of truth.submits) {
      if (earlier.step !== key.step || earlier.told === 'temporary' || earlier.isForgotten) continue;
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
      const isTaken = this.#submits
        .get(id)
        ?.some(({ writtenAt, told }) => writtenAt !== undefined && told === 'accepted');
      if (isTaken) this.#claimedThoughTaken.add(id);
    }
  }

  /**
   * The store is again as it was at this moment, with these messages: `live` are those that have not ended, with their steps. What
   * was told before is kept. What was told later is forgotten, and so is what was sent of steps that had not begun.
   */
  restored(at: number, stored: ReadonlySet<MsgKey>, live: ReadonlyMap<MsgKey, number>): void {
    for (const truth of this.messages.values()) {
      const isOld = truth.toldAt !== undefined && truth.toldAt < at;
      if (!stored.has(truth.msgKey)) {
        if (isOld && truth.told === 'accepted' && truth.cancel === 'no')
          this.violated('a snapshot lacks an accepted message', truth.msgKey);
        truth.isForgotten = true;
      }
      if (!isOld) truth.told = truth.told === 'refused' ? 'refused' : 'doubt';
      if (truth.cancel === 'done') truth.cancel = 'asked';
      for (const submit of truth.submits) {
        if (submit.at >= at && submit.step !== live.get(truth.msgKey)) submit.isForgotten = true;
        if (submit.writtenAt !== undefined && submit.writtenAt < at) continue;
        submit.writtenAt = undefined;
        submit.refsToldAt = undefined;
      }
      for (const delivery of truth.deliveries)
        if ((delivery.acknowledgedAt ?? -1) >= at) delivery.acknowledgedAt = undefined;
    }
  }

  /** The network will tell how it ended. */
  delivery(submit: Submit, part: number | undefined, isDelivered: boolean): Delivery {
    const delivery = { submit, part, isDelivered, acknowledgedAt: undefined };
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
      for (const submit of this.#submits.get(id) ?? []) submit.writtenAt ??= this.#now();
    }
  }
}
