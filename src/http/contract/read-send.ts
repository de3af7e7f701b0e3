/** Reading a send: from the bytes of its body to the fields of its kind. Knows nothing of who sends it. */
import type { IdempotencyKey } from '../../accept/idempotency.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { SingleSend } from '../../domain/delivery/flow.ts';
import { type OmniRequest, parseOmni } from '../../domain/request/omni.ts';
import { Problem } from '../../domain/request/problem.ts';
import { readSingleSend } from '../../domain/request/send-fields.ts';
import type { SendKind } from '../../domain/request/send-kinds.ts';
import { traced } from '../../domain/request/traceparent.ts';
import { type Later, parseLater } from '../../domain/reservation/parse-reservation.ts';
import { sha256 } from '../../platform/hashing.ts';
import { parseJson } from '../json-body.ts';

/** A send as HTTP brought it, whoever spoke HTTP. */
export interface SendCall {
  readonly kind: SendKind;
  readonly authorization: string | undefined;
  /** Of the caller. */
  readonly address: string;
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | readonly string[] | undefined;
  readonly traceparent: string | readonly string[] | undefined;
  readonly body: Buffer;
}

export type ReadSend = {
  readonly idempotency: IdempotencyKey | undefined;
  /** When it is to go out, if not now. */
  readonly later?: Later;
} & (
  | { readonly kind: Channel; readonly send: SingleSend }
  | { readonly kind: 'omni'; readonly send: OmniRequest }
  /** Cannot be read today. It has a key, so it may have been accepted before, by a version with other rules. */
  | { readonly kind: 'unread'; readonly problem: Problem }
);

export function sendPath(kind: SendKind): string {
  return `/v1/send/${kind}`;
}

export function readSend(call: Omit<SendCall, 'authorization' | 'address'>): ReadSend | Problem {
  const body = parseJson(call.contentType, call.body);
  if (body instanceof Problem) return body;
  const idempotency = readIdempotencyKey(sendPath(call.kind), call);
  if (idempotency instanceof Problem) return idempotency;
  const read = readFieldsOf(call, body.json, idempotency);
  return read instanceof Problem && idempotency ? { kind: 'unread', problem: read, idempotency } : read;
}

function readFieldsOf(
  { kind, traceparent }: Pick<SendCall, 'kind' | 'traceparent'>,
  json: unknown,
  idempotency: IdempotencyKey | undefined,
): ReadSend | Problem {
  const given = parseLater(json);
  if (given instanceof Problem) return given;
  const later = given && { later: given };
  if (kind === 'omni') {
    const send = parseOmni(json);
    return send instanceof Problem ? send : { kind, send: traced(send, traceparent), idempotency, ...later };
  }
  const send = readSingleSend(kind, json);
  return send instanceof Problem ? send : { kind, send: traced(send, traceparent), idempotency, ...later };
}

export function readIdempotencyKey(
  path: string,
  call: Pick<SendCall, 'idempotencyKey' | 'body'>,
): IdempotencyKey | Problem | undefined {
  const { idempotencyKey: given } = call;
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given)) {
    return new Problem('A300', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return { key: `${path} ${given}`, bodyHash: sha256(call.body) };
}
