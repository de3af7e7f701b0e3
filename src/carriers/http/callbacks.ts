/**
 * Receipts, and messages of people, that the provider sends us. A callback is answered well only after its receipts are
 * settled and its messages stored; when they cannot be, the answer is 503 and the provider comes again. Ids that we do not
 * know are handed on all the same: the callback may be faster than the answer to the submit.
 */
import type { CallbackAnswer, CarrierCallback } from '../../domain/delivery/carrier-callback.ts';
import { addressBlock } from '../../platform/address-block.ts';
import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { CarrierHost } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import type { CallbackAccess } from './callback-access.ts';
import { documentOf } from './callback-document.ts';
import type { CallbackGuesses } from './callback-guesses.ts';
import { deliverInbound, type InboundReader } from './inbound.ts';
import type { Pointer } from './pointer.ts';
import type { ReceiptReader } from './receipts.ts';
import { deliverReceipts } from './receipts.ts';
import type { TakenCalls } from './taken-calls.ts';

export interface CallRules {
  readonly access: CallbackAccess;
  /** Where the entries are; without it the body is one entry, or a list of them. */
  readonly list: Pointer | undefined;
  readonly reply: CallbackAnswer;
}

export interface CallbackRules extends CallRules {
  readonly read: ReceiptReader;
}

export interface InboundRules extends CallRules {
  readonly read: InboundReader;
}

/** Limit for the characters of a header in the log. */
const LONGEST_SHOWN = 100;
const TEXT = 'text/plain; charset=utf-8';
interface Caller {
  readonly callback: CarrierCallback;
  readonly guesses: CallbackGuesses;
  readonly taken: TakenCalls;
  readonly host: CarrierHost;
  readonly clock: Clock;
}

export function answerCallback(caller: Caller, rules: CallbackRules): Promise<CallbackAnswer> {
  const { callback, host } = caller;
  return answerCall(caller, rules, false, entries =>
    deliverReceipts(rules.read(entries, callback.attemptId), host),
  );
}

export function answerInbound(caller: Caller, rules: InboundRules): Promise<CallbackAnswer> {
  // A text that cannot be read is refused, not stored: it may be an opt-out.
  return answerCall(caller, rules, true, entries => {
    const read = rules.read(entries);
    return read && deliverInbound(read, caller.host);
  });
}

/** `deliver` gives nothing where the entries cannot be read, and rejects when they must be sent again. */
async function answerCall(
  { callback, guesses, taken, host, clock }: Caller,
  rules: CallRules,
  isExact: boolean,
  deliver: (entries: readonly unknown[]) => Promise<void> | undefined,
): Promise<CallbackAnswer> {
  // Nothing is awaited up to the verdict, so guesses at the same time are counted one after the other.
  const address = addressBlock(callback.address);
  if (!guesses.isHeard(address, clock.monotonic())) {
    host.noticed('callbackRefused');
    return { status: 429, contentType: TEXT, body: 'too many calls that were not authenticated\n' };
  }
  if (!rules.access.isAllowed(callback, clock.now())) {
    guesses.failed(address, clock.monotonic());
    host.noticed('callbackRefused');
    return { status: 401, contentType: TEXT, body: 'not authenticated\n' };
  }
  guesses.authenticated(address, clock.monotonic());
  const signed = rules.access.isSigned ? signedContent(callback) : undefined;
  if (signed !== undefined && taken.has(signed)) return rules.reply;
  const document = documentOf(callback, { isExact, isQueryRead: !rules.access.isSigned });
  const entries = document === undefined ? undefined : entriesOf(document, rules.list);
  const delivering = entries && deliver(entries);
  if (!delivering) {
    const contentType = callback.headers['content-type'] ?? '';
    host.noticed('callbackUnreadable', { contentType: cleanText(contentType, LONGEST_SHOWN) });
    return { status: 400, contentType: TEXT, body: 'the body cannot be read\n' };
  }
  try {
    await delivering;
  } catch {
    // The fault is logged where it happened; the provider only needs to know that it must send them again.
    host.noticed('callbackPutOff');
    return unavailable();
  }
  if (signed !== undefined) taken.add(signed, clock.monotonic());
  return rules.reply;
}

/** The id alone is not enough: some providers give every report of a message the id of the message. */
function signedContent({ headers, body }: CarrierCallback): string {
  return sha256(Buffer.concat([Buffer.from(`${headers['webhook-id']}\n`), body]));
}

export function unavailable(): CallbackAnswer {
  return { status: 503, contentType: TEXT, body: 'try again\n' };
}

function entriesOf(document: unknown, list: Pointer | undefined): readonly unknown[] | undefined {
  const found = list ? list.find(document) : document;
  if (Array.isArray(found)) return found;
  return typeof found === 'object' && found !== null ? [found] : undefined;
}
