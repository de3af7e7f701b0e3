/** Calls of the operator API of a gateway, with the token of an operator. */
import { GatewayRefusal, GatewayUnreachable } from '../../client/bongsu-client.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Resolves to the data of the answer; of a file for spreadsheets, to its text and the cursor of the next part. `path` is below /admin/v1. */
export type OperatorCall = <T>(
  method: Method,
  path: string,
  /** A text is a file for spreadsheets. */
  body?: object | string,
) => Promise<T>;

export interface OperatorClient {
  readonly url: string;
  readonly call: OperatorCall;
  /** For long work: hears how far it is, and resolves to the data of the answer. */
  follow<T>(path: string, body: object, onProgress: (progress: object) => void): Promise<T>;
  /** The bytes of a file of any length. Throws if they end early. */
  download(path: string, body: object): AsyncGenerator<Uint8Array>;
}

/** A gateway answers the greeting at once, whatever its store and its carriers do. */
const GREETING_MS = 10_000;
/** A gateway that replays a day of reports, or a carrier that is tested, takes its time. */
const TIMEOUT_MS = 120_000;
/** Longer than any answer of a gateway: whoever sends more is none. */
const LONGEST_ANSWER = 64 * 1024 * 1024;

/** Throws `GatewayUnreachable` where nobody answers soon: the work itself may take so long that a wait for it says nothing. */
export async function greet(url: string, timeoutMs = GREETING_MS): Promise<void> {
  try {
    // Any answer will do.
    const init: RequestInit = { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) };
    const { body } = await fetch(`${url}/healthz`, init);
    await body?.cancel();
  } catch (error) {
    throw unreachableAt(url, reasonOf(error, timeoutMs), error);
  }
}

export function operatorClient(url: string, token: string, greetingMs = GREETING_MS): OperatorClient {
  let greeting: Promise<void> | undefined;

  return {
    url,
    async call<T>(method: Method, path: string, body?: object | string) {
      return reachable(TIMEOUT_MS, async signal => {
        const response = await open(method, path, body, signal);
        const { status, headers } = response;
        const text = await textOf(response);
        const isFile = status === 200 && headers.get('content-type')?.startsWith('text/csv');
        return isFile ? ({ text, next: headers.get('bongsu-next') } as T) : dataOf<T>(status, text);
      });
    },
    async follow<T>(path: string, body: object, onProgress: (progress: object) => void) {
      return reachable(undefined, async () => {
        const response = await open('POST', path, body);
        let last = '';
        for await (const line of linesOf(response)) {
          last = line;
          const progress = parsed(line)?.progress;
          if (typeof progress === 'object' && progress !== null) onProgress(progress);
        }
        return dataOf<T>(response.status, last);
      });
    },
    async *download(path, body) {
      const response = await reachable(undefined, () => open('POST', path, body));
      if (!response.headers.has('content-disposition')) dataOf(response.status, await textOf(response));
      const pieces = (response.body ?? []) as AsyncIterable<Uint8Array>;
      const iterator = pieces[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await reachable(undefined, () => iterator.next());
        if (done) return;
        yield value;
      }
    },
  };

  /** `fetch` itself waits five minutes for an answer, and for each piece of it. */
  function open(
    method: Method,
    path: string,
    body: object | string | undefined,
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' }),
      },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      // Whoever is redirected to would get the token.
      redirect: 'error',
      ...(signal && { signal }),
    });
  }

  async function reachable<T>(
    timeoutMs: number | undefined,
    work: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    greeting ??= greet(url, greetingMs);
    try {
      await greeting;
      return await work(timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs));
    } catch (error) {
      if (error instanceof GatewayUnreachable || error instanceof GatewayRefusal) throw error;
      throw unreachable(reasonOf(error, timeoutMs), error);
    }
  }

  function dataOf<T>(status: number, text: string): T {
    const answer = parsed(text);
    if (typeof answer?.code !== 'string' || typeof answer.result !== 'string') {
      throw unreachable(`HTTP ${status} without a result code: another program listens there`);
    }
    if (answer.code !== 'A000') throw new GatewayRefusal(answer.code, answer.result);
    return answer.data as T;
  }

  async function textOf(response: Response): Promise<string> {
    let whole = '';
    for await (const text of textsOf(response)) {
      whole += text;
      if (whole.length > LONGEST_ANSWER) throw unreachable('the answer is incomplete');
    }
    return whole;
  }

  async function* linesOf(response: Response): AsyncGenerator<string> {
    let rest = '';
    for await (const text of textsOf(response)) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > LONGEST_ANSWER) throw unreachable('the answer is incomplete');
    }
    if (rest !== '') yield rest;
  }

  function unreachable(reason: string, cause?: unknown): GatewayUnreachable {
    return unreachableAt(url, reason, cause);
  }
}

function unreachableAt(url: string, reason: string, cause?: unknown): GatewayUnreachable {
  return new GatewayUnreachable(`no gateway answers at ${url} (${reason})`, { cause });
}

async function* textsOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of body ?? []) yield decoder.decode(chunk, { stream: true });
}

interface Answer {
  readonly code?: unknown;
  readonly result?: unknown;
  readonly data?: unknown;
  readonly progress?: unknown;
}

function parsed(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown, timeoutMs = 0): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}
