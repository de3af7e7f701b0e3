/**
 * Answers what has a front route by Node's own means, at half the cost of the framework. The table of fields, the checks and the
 * envelope are those of the framework's route. Everything else goes on to `next`.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { IsProxy } from '../../platform/trusted-proxies.ts';
import { writeAnswer } from '../envelope.ts';
import type { Turns } from '../turns.ts';
import { callerAddress } from './caller-address.ts';
import type { FrontRoutes } from './front-routes.ts';

export interface Front {
  readonly routes: FrontRoutes;
  readonly turns: Turns;
  readonly isProxy: IsProxy;
  /** Whether connections end with the answer under way. */
  readonly isClosing: () => boolean;
}

export function createFrontListener(front: Front, next: RequestListener): RequestListener {
  const { routes, turns, isProxy, isClosing } = front;
  return (request, response) => {
    const { headers, socket } = request;
    const answerIt = routes.find(request.method, request.url, headers);
    if (!answerIt) {
      next(request, response);
      return;
    }
    const address = callerAddress(socket, headers['x-forwarded-for'], isProxy);
    turns({ authorization: headers.authorization, address }, end => {
      // Its client may have gone while it waited.
      if (socket.destroyed) return end();
      response.once('close', end);
      readBody(request, async body => {
        const answer = await answerIt({ headers, address, socket, body });
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
