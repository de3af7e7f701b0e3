/**
 * Answers sends by Node's own means, at half the cost of the framework. The table of fields, the checks and the envelope are
 * those of the route. What is not plainly a send of known length goes on to `next`.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { Replayed } from '../../accept/send.ts';
import { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { sendPath } from '../contract/read-send.ts';
import { answerSend, type SendDesk } from '../contract/send-desk.ts';
import { REPLAY_HEADERS, writeProblem, writeSuccess } from '../envelope.ts';
import type { ExplainFailure } from '../failure.ts';
import { BODY_LIMIT_BYTES } from '../json-body.ts';
import type { Observe } from '../measured.ts';
import type { Turns } from '../turns.ts';
import { callerAddress } from './caller-address.ts';

export interface SendListenerDeps {
  readonly sendDesk: SendDesk;
  readonly turns: Turns;
  readonly proxyHops: () => number;
  readonly observe: Observe;
  readonly noteRefusal: (route: string, code: Problem['code']) => void;
  readonly explainFailure: ExplainFailure;
  /** Whether connections end with the answer under way. */
  readonly isClosing: () => boolean;
}

interface SendPath {
  readonly kind: SendKind;
  readonly path: string;
}

const PATHS: ReadonlyMap<string, SendPath> = new Map(
  SEND_KINDS.map(kind => [sendPath(kind), { kind, path: sendPath(kind) }]),
);

export function createSendListener(deps: SendListenerDeps, next: RequestListener): RequestListener {
  const { sendDesk, turns } = deps;
  let failures = 0;
  return (request, response) => {
    const to = request.method === 'POST' ? PATHS.get(request.url ?? '') : undefined;
    // One that does not say how long it is, or is too long, is the framework's to read.
    if (!to || !(Number(request.headers['content-length']) <= BODY_LIMIT_BYTES)) {
      next(request, response);
      return;
    }
    const { authorization } = request.headers;
    const address = callerAddress(request, deps.proxyHops());
    turns({ authorization, address }, end => {
      // Its client may have gone while it waited.
      if (request.socket.destroyed) return end();
      response.once('close', end);
      readBody(request, body => void answer(to, address, body));
    });

    async function answer({ kind, path }: SendPath, address: string, body: Buffer): Promise<void> {
      const startedAt = performance.now();
      const { headers } = request;
      const call = {
        kind,
        authorization: headers.authorization,
        address,
        contentType: headers['content-type'],
        idempotencyKey: headers['idempotency-key'],
        body,
      };
      let answered: string | Replayed | Problem;
      let more: Readonly<Record<string, string>> | undefined;
      try {
        answered = await answerSend(sendDesk, call);
      } catch (error) {
        const requestId = `send-${(++failures).toString(36)}`;
        const failure = deps.explainFailure(error, { requestId, method: 'POST', route: path });
        answered = failure.problem;
        more = failure.headers;
      }
      if (deps.isClosing()) response.setHeader('connection', 'close');
      if (answered instanceof Problem) {
        deps.noteRefusal(path, answered.code);
        writeProblem(response, answered, headers['accept-language'], more);
      } else {
        const isReplay = answered instanceof Replayed;
        const text = answered instanceof Replayed ? answered.body : answered;
        writeSuccess(response, text, headers['accept-language'], isReplay ? REPLAY_HEADERS : undefined);
      }
      deps.observe(path, response.statusCode, (performance.now() - startedAt) / 1000);
    }
  };
}

/** Calls back with the whole body; never, if the client goes before. */
function readBody(request: IncomingMessage, take: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [only] = chunks;
    take(only && chunks.length === 1 ? only : Buffer.concat(chunks));
  });
}
