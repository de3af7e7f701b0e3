import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallbackAnswer, CarrierCallback } from '../../domain/delivery/carrier-callback.ts';
import { Problem } from '../../domain/request/problem.ts';
import { sendProblem } from '../envelope.ts';
import type { Measured } from '../measured.ts';

/** The carrier of this name, if it receives callbacks. */
export type FindCallbackReceiver = (carrier: string) =>
  | {
      handleCallback(callback: CarrierCallback): Promise<CallbackAnswer>;
      handleInbound(callback: CarrierCallback): Promise<CallbackAnswer>;
    }
  | undefined;

interface CallbackPath {
  Params: { carrier: string; attemptId?: string; token?: string };
}

export const CALLBACK_PATH = '/carriers/:carrier/receipts';
export const INBOUND_PATH = '/carriers/:carrier/inbound';

/**
 * `/carriers/{carrier}/receipts` and `/carriers/{carrier}/inbound`: receipts and messages from providers. The carrier authenticates the caller; accounts are not
 * involved.
 */
export function carrierCallbackRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callbackReceiver: FindCallbackReceiver;
  readonly measured: Measured;
}): void {
  const { app } = deps;
  const handling = (path: string, what: 'handleCallback' | 'handleInbound') =>
    deps.measured<CallbackPath>(path, async (request, reply) => {
      const receiver = deps.callbackReceiver(request.params.carrier);
      if (!receiver) return sendProblem(reply, new Problem('A300', 'There is no such path', { status: 404 }));
      const { status, contentType, body } = await receiver[what](callbackOf(request));
      return reply.status(status).header('content-type', contentType).send(body);
    });
  const handle = handling(CALLBACK_PATH, 'handleCallback');
  app.route({
    method: ['GET', 'POST'],
    url: INBOUND_PATH,
    handler: handling(INBOUND_PATH, 'handleInbound'),
  });
  for (const url of [CALLBACK_PATH, `${CALLBACK_PATH}/:attemptId/:token`]) {
    app.route({ method: ['GET', 'POST'], url, handler: handle });
  }
}

function callbackOf({ params, headers, body, ip, url }: FastifyRequest<CallbackPath>): CarrierCallback {
  const { attemptId, token } = params;
  const start = url.indexOf('?');
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return {
    headers: Object.fromEntries(plain),
    query: new URLSearchParams(start < 0 ? '' : url.slice(start)),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    address: ip,
    ...(attemptId !== undefined && { attemptId }),
    ...(token !== undefined && { token }),
  };
}
