/**
 * Sending failed messages again, each under a new key that is linked to the old one: as they are, or all of them through
 * an edited copy of one. Recipient, words and reference are those of each message, so an operator who sees only masks can
 * do it too.
 *
 * What must never happen: that a message goes out twice because a request was repeated. The n-th resend of a message has an
 * idempotency key of its own, so an operator who asks twice, also at the same time or after a crash, gets the same new key. Such a
 * key is kept for a day, so the link to the new message is stored before that message; without it the link counts for nothing. A message that was delivered after
 * it had ended goes out again only where the order says so.
 */
import { withoutDuplicateGuard } from '../accept/duplicates.ts';
import { Replayed } from '../accept/idempotency.ts';
import type { SendOperation } from '../accept/send.ts';
import type { Account } from '../domain/account/account.ts';
import { isFinal } from '../domain/delivery/lifecycle.ts';
import { type AccountId, type MsgKey, parseMsgKey } from '../domain/ids.ts';
import { equivalentRequest } from '../domain/request/equivalent-request.ts';
import { isObject } from '../domain/request/fields.ts';
import { parseOmni } from '../domain/request/omni.ts';
import { ERASED_RECIPIENT } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import { RESULT_CODES } from '../domain/request/result-codes.ts';
import { readSingleSend } from '../domain/request/send-fields.ts';
import { SEND_KINDS, type SendKind } from '../domain/request/send-kinds.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { MessageView, Store } from '../store/store.ts';
import { StoreFault, UnreadableRecord } from '../store/store-fault.ts';

export const MOST_RESENT = 100;

/** What a send would be asked for; its recipients and its reference do not count. */
export interface Copy {
  readonly kind: SendKind;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ResendOrder {
  readonly msgKeys: readonly MsgKey[];
  /** What goes out instead. */
  readonly copy: Copy | undefined;
  /** Also those that were sent again before. */
  readonly again: boolean;
  /** Also those that turned out to be delivered after they had ended. */
  readonly delivered: boolean;
}

type Choices = Omit<ResendOrder, 'msgKeys'>;

export interface ResendResult {
  readonly msgKey: string;
  /** Null if it was not sent. */
  readonly newKey: MsgKey | null;
  readonly code: string;
  readonly result: string;
}

export interface Resent {
  readonly results: readonly ResendResult[];
  /** New keys by account. */
  readonly sent: ReadonlyMap<AccountId, readonly MsgKey[]>;
}

export interface Resending {
  /** In the order given; each has a result of its own. */
  resend(order: ResendOrder): Promise<Resent>;
}

export function parseResendOrder(body: Readonly<Record<string, unknown>>): ResendOrder | Problem {
  const { msgKeys, again = false, delivered = false, copy } = body;
  const keys = Array.isArray(msgKeys) ? [...new Set(msgKeys.slice(0, MOST_RESENT + 1))] : [];
  const parsed = keys.map(key => (typeof key === 'string' ? parseMsgKey(key) : undefined));
  const known = parsed.filter(key => key !== undefined);
  if (known.length === 0 || known.length !== parsed.length || keys.length > MOST_RESENT) {
    return new Problem('A300', `"msgKeys" must be a list of 1 to ${MOST_RESENT} keys of messages`);
  }
  if (typeof again !== 'boolean') return new Problem('A300', '"again" must be true or false');
  if (typeof delivered !== 'boolean') return new Problem('A300', '"delivered" must be true or false');
  const parsedCopy = copy === undefined ? undefined : parseCopy(copy);
  if (parsedCopy instanceof Problem) return parsedCopy;
  return { msgKeys: known, again, delivered, copy: parsedCopy };
}

function parseCopy(given: unknown): Copy | Problem {
  const { kind: name, body } = isObject(given) ? given : {};
  const kind = SEND_KINDS.find(known => known === name);
  if (!kind || !isObject(body))
    return new Problem('A300', '"copy" must have a "kind" of send and its "body"');
  return { kind, body };
}

export function createResending(deps: {
  readonly store: Pick<Store, 'messages' | 'accounts' | 'resends'>;
  readonly send: Pick<SendOperation, 'sendSingle' | 'sendOmni'>;
  readonly clock: Clock;
}): Resending {
  const { store, send, clock } = deps;

  return {
    async resend({ msgKeys, ...choices }) {
      const results: ResendResult[] = [];
      const sent = new Map<AccountId, MsgKey[]>();
      // One after the other: the rate of an account and the queue are asked for each.
      for (const msgKey of msgKeys) {
        const { message, answer } = await resendKey(msgKey, choices);
        if (answer instanceof Problem) {
          results.push({ msgKey, newKey: null, code: answer.code, result: answer.result });
          continue;
        }
        results.push({ msgKey, newKey: answer, code: 'A000', result: RESULT_CODES.A000.text });
        if (message) sent.set(message.account, [...(sent.get(message.account) ?? []), answer]);
      }
      return { results, sent };
    },
  };

  async function resendKey(msgKey: MsgKey, choices: Choices) {
    try {
      const message = await store.messages.find(msgKey);
      return { message, answer: message ? await resendOne(message, choices) : noMessage() };
    } catch (error) {
      // What was sent before it is told nevertheless. To ask again is safe.
      if (error instanceof UnreadableRecord) return { message: undefined, answer: new Problem('A999') };
      if (!(error instanceof StoreFault)) throw error;
      return { message: undefined, answer: new Problem('A920') };
    }
  }

  async function resendOne(
    message: MessageView,
    { copy, again, delivered }: Choices,
  ): Promise<MsgKey | Problem> {
    const refusal = refusalOf(message, copy, delivered);
    if (refusal) return refusal;
    const before = (await store.resends.of([message.msgKey])).filter(
      ({ oldKey }) => oldKey === message.msgKey,
    );
    const last = before.at(-1);
    if (last && !again) return new Problem('A300', `It has already been sent again, as ${last.newKey}`);
    const account = await store.accounts.find(message.account);
    if (!account) return new Problem('A300', 'Its account no longer exists');
    if (account.blocked) return new Problem('A110');
    const key = `resend ${message.msgKey} ${before.length}`;
    const request = copy ? filledCopy(copy, message) : requestOf(message);
    return accept(
      withoutDuplicateGuard(account),
      request,
      { key, bodyHash: sha256(JSON.stringify(copy ?? null)) },
      newKey => store.resends.add({ newKey, oldKey: message.msgKey, at: clock.now() }),
    );
  }

  async function accept(
    account: Account,
    { kind, body }: Copy,
    idempotency: { readonly key: string; readonly bodyHash: string },
    link: (newKey: MsgKey) => Promise<void>,
  ): Promise<MsgKey | Problem> {
    const answer = await (kind === 'omni' ? omni() : single(kind));
    if (answer instanceof Problem) return answer;
    return keyIn(answer instanceof Replayed ? answer.body : answer);

    async function single(channel: Exclude<SendKind, 'omni'>): Promise<string | Replayed | Problem> {
      const parsed = readSingleSend(channel, body);
      if (parsed instanceof Problem) return parsed;
      return send.sendSingle(account, parsed, msgKey => linked({ msgKey }), idempotency);
    }
    async function omni(): Promise<string | Replayed | Problem> {
      const parsed = parseOmni(body);
      if (parsed instanceof Problem) return parsed;
      return send.sendOmni(account, parsed, ([result]) => linked(result ?? {}), idempotency);
    }
    async function linked(result: Rendered): Promise<string> {
      if (result.msgKey) await link(result.msgKey);
      return rendered(result);
    }
  }
}

interface Rendered {
  readonly msgKey?: MsgKey | null;
  readonly code?: string;
  readonly result?: string;
}

/** The answer that is kept for a repetition. */
function rendered({ msgKey, code, result }: Rendered): string {
  return JSON.stringify({ msgKey, code, result });
}

function keyIn(answer: string): MsgKey | Problem {
  const { msgKey, code, result } = JSON.parse(answer) as Rendered;
  if (msgKey) return msgKey;
  return new Problem(code && code in RESULT_CODES ? (code as keyof typeof RESULT_CODES) : 'A999', result);
}

function noMessage(): Problem {
  return new Problem('A300', 'There is no such message');
}

/** Why this message is not sent again. */
function refusalOf(
  { state, to, textRemovedAt, history }: MessageView,
  copy: Copy | undefined,
  evenDelivered: boolean,
): Problem | undefined {
  if (!isFinal(state)) return new Problem('A300', 'It has not ended yet');
  if (state === 'delivered') return new Problem('A300', 'It was delivered');
  if (!evenDelivered && history.some(({ event }) => event === 'lateDelivery')) {
    return new Problem('A300', 'It was delivered late, after it had ended');
  }
  if (to === ERASED_RECIPIENT) return new Problem('A300', 'Its recipient was erased');
  if (textRemovedAt !== undefined && !copy) return new Problem('A300', 'Its text is no longer kept');
  return undefined;
}

function requestOf(message: MessageView): Copy {
  const { path, body } = equivalentRequest(message);
  const kind = SEND_KINDS.find(known => path === `/v1/send/${known}`) ?? 'omni';
  return { kind, body };
}

/** The copy for the recipient of this message. */
function filledCopy({ kind, body }: Copy, { to, words, ref, groupKey, paymentCode }: MessageView): Copy {
  const { ref: _ref, groupKey: _groupKey, ...rest } = body;
  const about = { ...(ref !== undefined && { ref }), ...(groupKey !== undefined && { groupKey }) };
  if (kind !== 'omni') return { kind, body: { ...rest, to, ...about } };
  return {
    kind,
    body: {
      ...rest,
      destinations: [{ to, ...(words && { replaceWords: words }) }],
      ...(paymentCode !== undefined && { paymentCode }),
      ...about,
    },
  };
}
