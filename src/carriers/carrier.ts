/**
 * The carrier port: what every carrier must do. One contract suite tests all of them.
 *
 * A submit has four answers, and "unknown" is one of them: the message may or may not have been taken. A carrier that
 * cannot tell says so; it never guesses. Receipts name the carrier's own reference and are acknowledged upstream only
 * after the promise of `receive` resolves, so that none is lost between the two.
 */

import type { Channel } from '../domain/channels/channel.ts';
import type { CallbackAnswer, CarrierCallback } from '../domain/delivery/carrier-callback.ts';
import type { Step } from '../domain/delivery/flow.ts';
import type { AccountId } from '../domain/ids.ts';
import type { ReportCode } from '../domain/reports/report-codes.ts';
import type { ReceiptDetails } from '../domain/reports/report-record.ts';

export interface Submission {
  /** Names this attempt for ever; the same id again means the same attempt again. */
  readonly attemptId: string;
  readonly account: AccountId;
  readonly to: string;
  readonly attempt: number;
  readonly message: Step;
  /** Until the deadline of its step: later, nothing of it is submitted again. */
  readonly timeLeftMs: number;
  /** The client has set that deadline: the carrier is told of it. */
  readonly hasOwnTime: boolean;
  /** The trace that it belongs to, for a carrier that takes the header of this name. */
  readonly traceparent?: string;
}

export type SubmitAnswer = Answer & {
  /** How the carrier does was told already: by another answer of the same call, or by `partlyTaken`. */
  readonly isToldBefore?: true;
  /** The carrier asks to be sent nothing for so long, whatever it says of this message. */
  readonly pauseMs?: number;
};

type Answer =
  /** One reference for each part, in the order of the parts. */
  | { readonly kind: 'accepted'; readonly refs: readonly string[] }
  | {
      readonly kind: 'permanent';
      readonly reportCode: ReportCode;
      /** Why, in the carrier's own words; without secrets and numbers of recipients. */
      readonly detail?: string;
      /** References of parts that were taken although another was refused, as of `unknown`. */
      readonly refs?: readonly (string | undefined)[];
      /** We refuse it: the message was not submitted, and the carrier has said nothing of it. */
      readonly isUnasked?: true;
    }
  /** Surely not taken, and worth another try. */
  | {
      readonly kind: 'temporary';
      readonly reportCode: ReportCode;
      /** As above. */
      readonly detail?: string;
      readonly retryAfterMs?: number;
      /** It is the carrier's fault, in words for people, although it may be about this message: an attempt is counted. */
      readonly fault?: string;
      /**
       * The carrier's own trouble (not connected, throttled, paused after failures, our account with it): it says nothing
       * about the message, so no attempt is counted and another carrier may have it at once.
       */
      readonly isCarriersFault?: true;
      /** Nor was it taken when the same attempt was submitted before: the carrier would know. */
      readonly isNeverTaken?: true;
      /** It takes less than we send, and says so; the pace goes down. Always its own trouble. */
      readonly isThrottled?: true;
    }
  | {
      readonly kind: 'unknown';
      /** One entry for each part of the message: its reference if the part was certainly taken, otherwise undefined. */
      readonly refs?: readonly (string | undefined)[];
      /** No whole answer came: the carrier may be out of order, and where it takes an id once, the attempt may be made again. */
      readonly isUnanswered?: true;
      /** It is the carrier's fault, in words for people. By itself never a reason to make the attempt again. */
      readonly fault?: string;
    };

/** The final outcome of a message, or of one of its parts. */
export type CarrierReceipt = {
  /** 10000 is delivered, anything else a failure. */
  readonly reportCode: ReportCode;
  /** The recipient as the carrier writes it; distinguishes messages that got the same reference from the carrier. */
  readonly to?: string;
  /** The sender as the carrier writes it; with the recipient it finds a step whose reference was lost. */
  readonly from?: string;
} & ReceiptDetails &
  (
    | { readonly ref: string }
    /** Where the carrier gives our own id back: the outcome of the whole message. */
    | { readonly attemptId: string }
  );

/** A message that somebody sent to a number of ours, or a part of one. */
export interface CarrierInbound {
  /** The handset, as the carrier writes it. */
  readonly from: string;
  /** Our number, as the carrier writes it. */
  readonly to: string;
  readonly content: InboundText | InboundPart;
}

export interface InboundText {
  readonly kind: 'text';
  readonly text: string;
  /** The carrier's own id: the same one again is the same message. */
  readonly id?: string;
  /** Without an id: how many with the same words are not confirmed yet, and are known to be others. */
  readonly occurrence?: number;
}

export interface InboundPart {
  readonly kind: 'part';
  /** Tells the long messages of a sender apart. */
  readonly reference: string;
  /** From 1. */
  readonly part: number;
  readonly total: number;
  readonly alphabet: string;
  readonly octets: Uint8Array;
}

/** What the gateway calls it, for `confirmInbound`. */
export type InboundName = { readonly msgKey: string } | { readonly part: number };

/** `settled`, or `parked`: kept until its reference is known. */
export type ReceiptResult = 'settled' | 'parked';

/** Asks for messages without a receipt. */
export interface SilentQuery {
  /** How long ago they were taken, at least. */
  readonly sinceMs: number;
  /** How near their deadline is, at most. */
  readonly withinMs: number;
  readonly limit: number;
}

export interface SilentMessage {
  readonly attemptId: string;
  readonly deadlineAt: number;
  /** It may not have been taken. */
  readonly isInDoubt: boolean;
  /** The carrier's reference. */
  readonly ref?: string;
}

/** How a carrier answered the parts of a submission. */
export interface PartAnswers {
  /** Taken, or refused for what they are. */
  readonly taken: number;
  /** Refused because the carrier takes less than we send. */
  readonly throttled: number;
  /** How the carrier does, told as the answer to a message of one part would. */
  readonly says: SubmitAnswer;
}

/** What a carrier reports to the gateway without being asked. */
export interface CarrierHost {
  /** Takes receipts; resolves when they are settled, rejects when they must be sent again. */
  receive(receipts: readonly CarrierReceipt[]): Promise<readonly ReceiptResult[]>;
  /** Takes messages of people; resolves when they are stored, rejects when they must be sent again. */
  receiveInbound(messages: readonly CarrierInbound[]): Promise<readonly InboundName[]>;
  /** The other side has our answer to these: it will not repeat them, and the same words are another message. */
  confirmInbound(names: readonly InboundName[]): Promise<void>;
  /** The other side has answered a submit whose outcome was already given as unknown. */
  answeredLate(attemptId: string, answer: SubmitAnswer): void;
  /**
   * Some parts of a submission were taken; the carrier keeps the others and submits them again. Until then the submission holds
   * no place in the window.
   */
  partlyTaken(attemptId: string, answers: PartAnswers): void;
  /** The other side refuses our account, whatever it is asked: it is tried with single messages from now on. */
  refused(reason: string): void;
  /** Calls `submit` when rate and window have room for so many parts of this submission. */
  submitRest(attemptId: string, parts: number, submit: () => void): void;
  /** Which of these references belong to messages of this carrier, with their recipients. */
  knownRefs(refs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Messages that this carrier took, or may have taken, and whose deadline is near, those with the nearest first. Searched for: ask rarely. */
  silent(query: SilentQuery): Promise<readonly SilentMessage[]>;
  /** `status()` has changed: the lane checks again whether it may send. */
  statusChanged(): void;
  /** Logged and counted by its name. Names are few and fixed; details hold no text, no secret, no whole number. */
  noticed(name: string, details?: Readonly<Record<string, string | number | boolean>>): void;
  /** Whether this node is the one that fetches receipts of this carrier now; rejects when that is not known. */
  mayPoll(): Promise<boolean>;
  /** Another node may fetch them. */
  leavePolling(): Promise<void>;
}

export interface BreakerSettings {
  /** Faults that let it rest. */
  readonly failures: number;
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

export interface CarrierCapabilities {
  readonly channels: readonly Channel[];
  /** Parts it takes before the first is answered. */
  readonly window: number;
  /** Parts a second; 0 means no limit. */
  readonly rate: number;
  /** Submissions in one call of `submit`. */
  readonly batchSize: number;
  /** It can send images. */
  readonly media: boolean;
  /**
   * How long after an attempt its id may be submitted again, with the promise that it is sent once; 0 where there is no
   * such promise. Used only for an attempt in doubt, and only with this very carrier.
   */
  readonly repeatableForMs: number;
  /** The other side lives in this process: what it has taken is forgotten with it and must be submitted again. */
  readonly isForgetful: boolean;
  /** When the gate lets it rest; without it, by the gate's own measures. */
  readonly breaker?: BreakerSettings;
  /** It is set up so that not every message it takes gets a receipt. */
  readonly isWithoutReceipts?: boolean;
  /** Other carriers whose receipts may come by this one. */
  readonly receiptsOf?: readonly string[];
}

/**
 * connecting  never was up, or is on its way back
 * up          submits are taken
 * slowed      up, and asked by the other side to send less for a while: takes nothing now
 * down        does not take submits
 */
export type CarrierState = 'connecting' | 'up' | 'slowed' | 'down';

export interface CarrierStatus {
  readonly state: CarrierState;
  /** For people: why it is not up, or what it is connected to. */
  readonly detail: string;
  /** When this state began. */
  readonly since: number;
  /** For people: a setting that seems wrong, and the value that would be right. */
  readonly hint?: string;
}

export interface CarrierTest {
  readonly isOk: boolean;
  /** For people: what was tried and what came back. */
  readonly detail: string;
}

export interface Carrier {
  readonly name: string;
  readonly kind: string;
  readonly capabilities: CarrierCapabilities;
  /** Begins to connect and returns; a carrier that cannot connect is `down`, not an error. */
  start(host: CarrierHost): Promise<void>;
  status(): CarrierStatus;
  /** Parts that a message costs of the window and the rate. */
  partsOf(message: Step): number;
  /** One promise for each submission, in order; none rejects. */
  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[];
  /** Makes now the attempts that it has put off: a bind, a submit, a fetch of receipts. Where it works nothing changes. */
  reconnect(): void;
  /** Checks that the other side answers, without sending a message. */
  test(): Promise<CarrierTest>;
  /**
   * Closes in an orderly way: submits under way are answered first, if the other side answers. Parts that have to be submitted again
   * are tried for `withinMs`, after which their messages are unknown.
   */
  close(withinMs: number): Promise<void>;
}

/** A carrier whose other side calls us, at `/carriers/{name}/receipts` and `/carriers/{name}/inbound`. */
export interface CallbackReceiver {
  readonly name: string;
  /** Answers when the receipts are settled, so that the other side sends again what was lost. Never rejects. */
  handleCallback(callback: CarrierCallback): Promise<CallbackAnswer>;
  /** Answers when the messages are stored. Never rejects. */
  handleInbound(callback: CarrierCallback): Promise<CallbackAnswer>;
}
