import type { FastifyInstance } from 'fastify';
import { Replayed } from '../../accept/idempotency.ts';
import { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { REPLAY_HEADERS, sendProblem, sendSuccess } from '../envelope.ts';
import { rawBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';
import { answerSend, type Desk } from './desk.ts';
import { sendPath } from './read-send.ts';

/** `POST /v1/send/…`: one recipient on one channel, or a flow to several. */
export function sendRoutes(deps: {
  readonly app: FastifyInstance;
  readonly desk: Desk;
  readonly measured: Measured;
}): void {
  for (const kind of SEND_KINDS) route(kind);

  function route(kind: SendKind): void {
    const handle: Parameters<Measured>[1] = async (request, reply) => {
      const { headers } = request;
      const answer = await answerSend(deps.desk, {
        kind,
        authorization: headers.authorization,
        address: request.ip,
        contentType: headers['content-type'],
        idempotencyKey: headers['idempotency-key'],
        traceparent: headers.traceparent,
        body: rawBody(request),
      });
      if (answer instanceof Problem) return sendProblem(reply, answer);
      return answer instanceof Replayed
        ? sendSuccess(reply, answer.body, REPLAY_HEADERS)
        : sendSuccess(reply, answer);
    };
    deps.app.post(sendPath(kind), deps.measured(sendPath(kind), handle));
  }
}
