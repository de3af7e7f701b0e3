/**
 * Calls of the operator API. Every answer has the gateway's envelope; a refusal is thrown as `Refusal` with the code and
 * the text of the gateway; a failed connection or an unreadable answer is a `Refusal` without a code.
 */
import { readLanguage } from '../words/language.ts';

export class Refusal extends Error {
  override name = 'Refusal';
  /** The gateway's code; undefined when nothing answered. */
  readonly code: string | undefined;
  readonly status: number;

  constructor(result: string, code?: string, status = 0) {
    super(result);
    this.code = code;
    this.status = status;
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** An object is sent as JSON, a form as multipart, a file as what it is. */
  readonly body?: object;
  readonly signal?: AbortSignal;
  /** A call that is repeated with the same key does its work once. */
  readonly idempotencyKey?: string;
}

/** The whole envelope: sends have their msgKey beside `data`. */
export interface Envelope {
  readonly code: string;
  readonly result: string;
  readonly data?: unknown;
  readonly msgKey?: string;
}

/** Has an event `end` when the gateway does not know the session any more, whatever was called. */
export const callsOfSession = new EventTarget();

const BASE = '/admin/v1';
const SUCCESS = 'A000';

/** The `data` of a successful answer. Its type is trusted, not checked: the API document promises it. */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const { data } = await callEnvelope(method, path, options);
  return data as T;
}

export async function callEnvelope(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<Envelope> {
  const { response, text } = await answerTo(method, path, options);
  const envelope = parseEnvelope(text);
  if (envelope?.code !== SUCCESS) throw refusalOf(response, envelope);
  return envelope;
}

/** A file that is given in parts; `next` is the cursor of the next one. */
export async function callFile(
  path: string,
  options: CallOptions,
): Promise<{ readonly text: string; readonly next: string | null }> {
  const { response, text } = await answerTo('GET', path, options);
  if (response.ok) return { text, next: response.headers.get('bongsu-next') };
  throw refusalOf(response, parseEnvelope(text));
}

function refusalOf({ status }: Response, envelope: Envelope | undefined): Refusal {
  const refusal = new Refusal(envelope?.result ?? `HTTP ${status}`, envelope?.code, status);
  if (isSessionOver(refusal)) callsOfSession.dispatchEvent(new Event('end'));
  return refusal;
}

/** Nobody is signed in, or the session is not known any more. */
export function isSessionOver({ status, code }: Refusal): boolean {
  return status === 401 || code === 'A002';
}

async function answerTo(
  method: Method,
  path: string,
  { query, body, signal, idempotencyKey }: CallOptions,
): Promise<{ readonly response: Response; readonly text: string }> {
  const isRaw = body instanceof FormData || body instanceof Blob;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${BASE}${path}${queryOf(query)}`, {
      method,
      credentials: 'same-origin',
      headers: {
        // Required for every change authenticated by the cookie: a page of another site cannot set this header.
        'X-Bongsu-Console': '1',
        'Accept-Language': readLanguage(),
        ...(body && !isRaw && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body && { body: isRaw ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal('The gateway is not responding.');
  }
  return { response, text };
}

export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal
    ? error
    : new Refusal(error instanceof Error ? error.message : String(error));
}

/** A path of segments, each escaped. */
export function pathOf(...segments: readonly string[]): string {
  return segments.map(segment => `/${encodeURIComponent(segment)}`).join('');
}

function queryOf(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'code' in value ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
