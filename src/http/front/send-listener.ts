/**
 * Answers sends by Node's own means, at half the cost of the framework. The table of fields, the checks and the envelope are
 * those of the route. What is not plainly a send of known length goes on to `next`.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { writeAnswer } from '../envelope.ts';
import { BODY_LIMIT_BYTES } from '../json-body.ts';
import type { Turns } from '../turns.ts';
import { callerAddress } from './caller-address.ts';
import { type SendAnswers, sendPathOf } from './send-answers.ts';

export interface SendListenerDeps {
  readonly answers: SendAnswers;
  readonly turns: Turns;
  readonly proxyHops: () => number;
  /** Whether connections end with the answer under way. */
  readonly isClosing: () => boolean;
}

export function createSendListener(deps: SendListenerDeps, next: RequestListener): RequestListener {
  const { answers, turns, proxyHops, isClosing } = deps;
  return (request, response) => {
    const { headers, socket } = request;
    const to = sendPathOf(request.method, request.url);
    // One that does not say how long it is, or is too long, is the framework's to read.
    if (!to || !(Number(headers['content-length']) <= BODY_LIMIT_BYTES)) {
      next(request, response);
      return;
    }
    const address = callerAddress(socket, headers['x-forwarded-for'], proxyHops());
    turns({ authorization: headers.authorization, address }, end => {
      // Its client may have gone while it waited.
      if (socket.destroyed) return end();
      response.once('close', end);
      readBody(request, async body => {
        const answer = await answers({ to, headers, address, body });
        if (isClosing()) response.setHeader('connection', 'close');
        writeAnswer(response, answer);
      });
    });
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
