/**
 * Receipts, and messages of people, that the provider sends us. A callback is answered well only after its receipts are
 * settled and its messages stored; when they cannot be, the answer is 503 and the provider comes again. Ids that we do not
 * know are handed on all the same: the callback may be faster than the answer to the submit.
 */
import type { CallbackAnswer, CarrierCallback } from '../../domain/delivery/carrier-callback.ts';
import { addressBlock } from '../../platform/address-block.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CarrierHost } from '../carrier.ts';
import type { CallbackAccess } from './callback-access.ts';
import type { CallbackGuesses } from './callback-guesses.ts';
import { deliverInbound, type InboundReader } from './inbound.ts';
import type { Pointer } from './pointer.ts';
import { parseJson } from './provider-answer.ts';
import type { ReceiptReader } from './receipts.ts';
import { deliverReceipts } from './receipts.ts';

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

const TEXT = 'text/plain; charset=utf-8';
/**
 * Our choice: a thousand receipts of twenty members have 20,000. Each value is looked at when it is read: for a megabyte of
 * empty lists that took 350 ms in one turn.
 */
const MOST_VALUES = 50_000;
/** `,` `[` `{` of JSON and `&` of forms: before a value there is one of them. */
const SIGNS: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b, 0x26]);

interface Caller {
  readonly callback: CarrierCallback;
  readonly guesses: CallbackGuesses;
  readonly host: CarrierHost;
  readonly clock: Clock;
}

export function answerCallback(caller: Caller, rules: CallbackRules): Promise<CallbackAnswer> {
  const { callback, host } = caller;
  return answerCall(caller, rules, entries => deliverReceipts(rules.read(entries, callback.attemptId), host));
}

export function answerInbound(caller: Caller, rules: InboundRules): Promise<CallbackAnswer> {
  return answerCall(caller, rules, entries => {
    const messages = rules.read(entries);
    return messages && deliverInbound(messages, caller.host);
  });
}

/** `deliver` gives nothing where the entries cannot be read, and rejects when they must be sent again. */
async function answerCall(
  { callback, guesses, host, clock }: Caller,
  rules: CallRules,
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
  const document = documentOf(callback);
  const entries = document === undefined ? undefined : entriesOf(document, rules.list);
  const delivering = entries && deliver(entries);
  if (!delivering) {
    host.noticed('callbackUnreadable');
    return { status: 400, contentType: TEXT, body: 'the body cannot be read\n' };
  }
  try {
    await delivering;
  } catch {
    // The fault is logged where it happened; the provider only needs to know that it must send them again.
    host.noticed('callbackPutOff');
    return unavailable();
  }
  return rules.reply;
}

export function unavailable(): CallbackAnswer {
  return { status: 503, contentType: TEXT, body: 'try again\n' };
}

/** JSON, a form, or the query where there is no body. */
function documentOf({ headers, query, body }: CarrierCallback): unknown {
  if (mayHoldTooMuch(body)) return undefined;
  const text = body.toString('utf8');
  if (text.trim() === '') return Object.fromEntries(query);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
}

/** Signs within texts count too; nobody writes so many. */
function mayHoldTooMuch(body: Uint8Array): boolean {
  if (body.length <= MOST_VALUES) return false;
  let count = 0;
  for (const octet of body) if (SIGNS.has(octet)) count++;
  return count > MOST_VALUES;
}

function entriesOf(document: unknown, list: Pointer | undefined): readonly unknown[] | undefined {
  const found = list ? list.find(document) : document;
  if (Array.isArray(found)) return found;
  return typeof found === 'object' && found !== null ? [found] : undefined;
}
