import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '../../domain/account.ts';
import { parseAlimtalk } from '../../domain/channels/alimtalk.ts';
import { parseBrandmessage } from '../../domain/channels/brandmessage.ts';
import { parseFriendtalk } from '../../domain/channels/friendtalk.ts';
import { parseInternational } from '../../domain/channels/international.ts';
import { parseMms } from '../../domain/channels/mms.ts';
import { parseRcs } from '../../domain/channels/rcs.ts';
import { parseSms } from '../../domain/channels/sms.ts';
import type { SingleSend } from '../../domain/flow.ts';
import { parseOmni } from '../../domain/omni.ts';
import { Problem } from '../../domain/problem.ts';
import type { IdempotencyKey, SendOperation } from '../../operations/send.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Callers } from '../caller.ts';
import { sendProblem, sendSuccess, sentBody, successBody } from '../envelope.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';

const SINGLE_SENDS: Readonly<Record<string, (body: unknown) => SingleSend | Problem>> = {
  '/v1/send/sms': parseSms,
  '/v1/send/mms': parseMms,
  '/v1/send/international': parseInternational,
  '/v1/send/rcs': parseRcs,
  '/v1/send/alimtalk': parseAlimtalk,
  '/v1/send/friendtalk': parseFriendtalk,
  '/v1/send/brandmessage': parseBrandmessage,
};

type Send = (
  account: Account,
  body: unknown,
  idempotency: IdempotencyKey | undefined,
) => Promise<string | Problem>;

/** `POST /v1/send/…`: one recipient on one channel, or a flow to several. */
export function sendRoutes(
  app: FastifyInstance,
  deps: { readonly callers: Callers; readonly send: SendOperation; readonly measured: Measured },
): void {
  for (const [path, parse] of Object.entries(SINGLE_SENDS)) {
    route(path, async (account, body, idempotency) => {
      const send = parse(body);
      if (send instanceof Problem) return send;
      return deps.send.sendSingle(account, send, msgKey => sentBody(msgKey, send.ref), idempotency);
    });
  }
  route('/v1/send/omni', async (account, body, idempotency) => {
    const omni = parseOmni(body);
    if (omni instanceof Problem) return omni;
    const { ref } = omni;
    const render = (destinations: unknown) =>
      successBody({ data: { destinations }, ...(ref !== undefined && { ref }) });
    return deps.send.sendOmni(account, omni, render, idempotency);
  });

  /** What every send shares: who sends, what the body says, whether it was sent before. */
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

function idempotencyKey(request: FastifyRequest, path: string): IdempotencyKey | Problem | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(given)) {
    return new Problem('A300', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return { key: `${path} ${given}`, bodyHash: sha256(rawBody(request)) };
}
