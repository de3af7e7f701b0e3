/** Calls of the operator API of a gateway, with the token of an operator. */
import { GatewayRefusal, GatewayUnreachable } from '../../client/bongsu-client.ts';

/** Resolves to the data of the answer; of a file for spreadsheets, to its text and the cursor of the next part. `path` is below /admin/v1. */
export type OperatorCall = <T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  /** A text is a file for spreadsheets. */
  body?: object | string,
) => Promise<T>;

/** A gateway that replays a day of reports, or a carrier that is tested, takes its time. */
const TIMEOUT_MS = 120_000;
/** Longer than any answer of a gateway: whoever sends more is none. */
const LONGEST_ANSWER = 64 * 1024 * 1024;

export function operatorCall(url: string, token: string): OperatorCall {
  return async <T>(method: string, path: string, body?: object | string) => {
    const { status, text, isFile, next } = await answerOf(method, path, body);
    if (isFile) return { text, next } as T;
    const answer = parsed(text);
    if (typeof answer?.code !== 'string' || typeof answer.result !== 'string') {
      throw unreachable(`HTTP ${status} without a result code: another program listens there`);
    }
    if (answer.code !== 'A000') throw new GatewayRefusal(answer.code, answer.result);
    return answer.data as T;
  };

  async function answerOf(method: string, path: string, body: object | string | undefined) {
    try {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' }),
        },
        ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        // Whoever is redirected to would get the token.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { status, headers } = response;
      const isFile = status === 200 && headers.get('content-type')?.startsWith('text/csv');
      return { status, text: await textOf(response), isFile, next: headers.get('bongsu-next') };
    } catch (error) {
      if (error instanceof GatewayUnreachable) throw error;
      throw unreachable(reasonOf(error), error);
    }
  }

  async function textOf({ body }: Response): Promise<string> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let text = '';
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > LONGEST_ANSWER) throw unreachable('its answer has no end');
    }
    return text;
  }

  function unreachable(reason: string, cause?: unknown): GatewayUnreachable {
    return new GatewayUnreachable(`no gateway answers at ${url} (${reason})`, { cause });
  }
}

interface Answer {
  readonly code?: unknown;
  readonly result?: unknown;
  readonly data?: unknown;
}

function parsed(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}
