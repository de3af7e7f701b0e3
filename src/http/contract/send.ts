import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IdempotencyKey, SendOperation } from '../../accept/send.ts';
import type { Account } from '../../domain/account/account.ts';
import { CHANNELS, type Channel } from '../../domain/channels/channel.ts';
import { CHANNEL_TABLE } from '../../domain/channels/channel-table.ts';
import { parseOmni } from '../../domain/request/omni.ts';
import { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { sha256 } from '../../platform/hashing.ts';
import { sendProblem, sendSuccess, sentBody, successBody } from '../envelope.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';

type Send = (
  account: Account,
  body: unknown,
  idempotency: IdempotencyKey | undefined,
) => Promise<string | Problem>;

export type SendByKind = Readonly<Record<SendKind, Send>>;

/** Reads the body of each kind of send and sends it. */
export function createSendByKind(operation: SendOperation): SendByKind {
  const single = (channel: Channel): Send => {
    const { readSingle } = CHANNEL_TABLE[channel].request;
    return async (account, body, idempotency) => {
      const send = readSingle(body);
      if (send instanceof Problem) return send;
      return operation.sendSingle(account, send, msgKey => sentBody(msgKey, send.ref), idempotency);
    };
  };
  const omni: Send = async (account, body, idempotency) => {
    const request = parseOmni(body);
    if (request instanceof Problem) return request;
    const { ref } = request;
    const render = (destinations: unknown) =>
      successBody({ data: { destinations }, ...(ref !== undefined && { ref }) });
    return operation.sendOmni(account, request, render, idempotency);
  };
  const singles = CHANNELS.map(channel => [channel, single(channel)] as const);
  return { ...(Object.fromEntries(singles) as Record<Channel, Send>), omni };
}

/** `POST /v1/send/…`: one recipient on one channel, or a flow to several. */
export function sendRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly sendByKind: SendByKind;
  readonly measured: Measured;
}): void {
  const { app } = deps;
  for (const kind of SEND_KINDS) route(`/v1/send/${kind}`, deps.sendByKind[kind]);

  /** What all sends share: authentication, the JSON body, the idempotency key. */
  function route(path: string, send: Send): void {
    const handle: Parameters<Measured>[1] = async (request, reply) => {
      const account = await deps.callers.sender(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const body = parseJsonBody(request);
      if (body instanceof Problem) return sendProblem(reply, body);
      const idempotency = idempotencyKey(request, path);
      if (idempotency instanceof Problem) return sendProblem(reply, idempotency);
      const answer = await send(account, body.json, idempotency);
      return answer instanceof Problem ? sendProblem(reply, answer) : sendSuccess(reply, answer);
    };
    app.post(path, deps.measured(path, handle));
  }
}

export function idempotencyKey(request: FastifyRequest, path: string): IdempotencyKey | Problem | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given)) {
    return new Problem('A300', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return { key: `${path} ${given}`, bodyHash: sha256(rawBody(request)) };
}
