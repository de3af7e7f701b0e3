/**
 * What the threads that speak HTTP and the engine say to each other, as plain values (platform/thread-calls.ts). The flow of a
 * single send travels as the text in which it is stored.
 */
import { type IdempotencyKey, Replayed } from '../../accept/idempotency.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { Flow, SingleSend } from '../../domain/delivery/flow.ts';
import type { Destination, OmniRequest } from '../../domain/request/omni.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { PlainValue, PlainValues } from '../../platform/thread-calls.ts';
import type { ReportCall } from '../contract/answer-report.ts';
import type { Caller } from '../contract/caller.ts';
import type { Credentials } from '../contract/desk.ts';
import type { ReadSend } from '../contract/read-send.ts';
import type { Failure } from '../failure.ts';

export type PackedCall = 'admit' | 'send' | 'token' | 'report';
/** Things that the engine counts and logs, and callers that have gone. */
export type PackedNote = 'observed' | 'refused' | 'closed' | 'failed' | 'load' | 'gone';

/** A request for a token. The thread gives it a number, by which it tells if its caller goes. */
export interface TokenCall {
  readonly number: number;
  readonly credentials: Credentials;
  readonly address: string;
}

export function packToken({ number, credentials, address }: TokenCall): PlainValues {
  return ['token' satisfies PackedCall, number, credentials.id, credentials.password, address];
}

export function unpackToken([, number, id, password, address]: PlainValues): TokenCall {
  return {
    number: Number(number),
    credentials: { id: String(id), password: String(password) },
    address: String(address),
  };
}

export function packAdmit({ authorization, address }: Caller): PlainValues {
  return ['admit' satisfies PackedCall, authorization ?? null, address];
}

export function packSend({ authorization, address }: Caller, read: ReadSend): PlainValues {
  const { kind, idempotency } = read;
  const head: PlainValue[] = ['send' satisfies PackedCall, authorization ?? null, address, kind];
  head.push(idempotency?.key ?? null, idempotency?.bodyHash ?? null);
  if (read.kind === 'unread') head.push(JSON.stringify(read.problem), null, null, null);
  else if (read.kind === 'omni') head.push(JSON.stringify(read.send), null, null, null);
  else
    head.push(
      JSON.stringify(read.send.flow),
      read.send.to,
      read.send.ref ?? null,
      read.send.groupKey ?? null,
    );
  head.push(read.kind === 'omni' || read.kind === 'unread' ? null : (read.send.style ?? null));
  head.push(read.kind === 'unread' ? null : (read.send.traceparent ?? null));
  if (read.later) head.push(read.later.sendTime, read.later.name ?? null);
  return head;
}

export function packReport({ authorization, address }: Caller, call: ReportCall): PlainValues {
  const id = call.kind === 'poll' ? null : call.id;
  return ['report' satisfies PackedCall, authorization ?? null, address, call.kind, id];
}

export function unpackReport([, , , kind, id]: PlainValues): ReportCall {
  return kind === 'acknowledge' || kind === 'inquire' ? { kind, id: String(id) } : { kind: 'poll' };
}

export function unpackCaller(values: PlainValues): Caller {
  return { authorization: textOr(values[1], undefined), address: String(values[2]) };
}

export function unpackSend(values: PlainValues): ReadSend {
  const [, , , kind, key, bodyHash, body, to, ref, groupKey, style, traceparent, sendTime, name] = values;
  const later = typeof sendTime === 'string' && { later: { sendTime, name: textOr(name, undefined) } };
  const idempotency: IdempotencyKey | undefined =
    typeof key === 'string' ? { key, bodyHash: String(bodyHash) } : undefined;
  if (kind === 'unread') {
    return { kind, problem: revived(JSON.parse(String(body)) as Problem), idempotency };
  }
  const trace = typeof traceparent === 'string' && { traceparent };
  if (kind === 'omni') {
    return { kind, send: { ...unpackOmni(String(body)), ...trace }, idempotency, ...later };
  }
  const send: SingleSend = {
    flow: JSON.parse(String(body)) as Flow,
    to: String(to),
    ref: textOr(ref, undefined),
    ...(typeof groupKey === 'string' && { groupKey }),
    ...(typeof style === 'string' && { style }),
    ...trace,
  };
  return { kind: kind as Channel, send, idempotency, ...later };
}

/** JSON knows neither problems nor members that are undefined. */
function unpackOmni(text: string): OmniRequest {
  const { ref, groupKey, paymentCode, destinations, source } = JSON.parse(text) as OmniRequest;
  return {
    ref,
    groupKey,
    paymentCode,
    source,
    destinations: destinations.map(destination =>
      'problem' in destination
        ? { ...destination, problem: revived(destination.problem) }
        : (destination satisfies Destination),
    ),
  };
}

function revived({ code, result, status, retryAfterSeconds, isInDoubt }: Problem): Problem {
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new Problem(code, result, { status, isInDoubt, ...retry });
}

const REPLAYED = 'replayed';

/** A success is one value: the body of the answer, or the account that was admitted. An answer given before is marked. */
export function packAnswer(answer: string | Buffer | Replayed | Failure): PlainValues {
  if (typeof answer === 'string' || Buffer.isBuffer(answer)) return [answer];
  if (answer instanceof Replayed) return [answer.body, REPLAYED];
  const { problem, headers } = answer;
  const { code, result, status, retryAfterSeconds, isInDoubt } = problem;
  const others = headers ? JSON.stringify(headers) : null;
  return [code, result, status, retryAfterSeconds ?? null, others, isInDoubt ? 1 : 0];
}

export function unpackAnswer(values: PlainValues): string | Buffer | Replayed | Failure {
  const [code, result, status, retryAfterSeconds, headers, isInDoubt] = values;
  // A Buffer arrives as the plain array that it is made of.
  if (code instanceof Uint8Array) return Buffer.from(code.buffer, code.byteOffset, code.byteLength);
  if (values.length === 1) return String(code);
  if (values.length === 2) return new Replayed(String(code));
  const problem = new Problem(code as Problem['code'], String(result), {
    status: Number(status),
    isInDoubt: isInDoubt === 1,
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  });
  return typeof headers === 'string' ? { problem, headers: JSON.parse(headers) } : { problem };
}

function textOr<T>(value: PlainValue | undefined, other: T): string | T {
  return typeof value === 'string' ? value : other;
}
