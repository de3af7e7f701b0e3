import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Replayed } from '../../accept/idempotency.ts';
import { unknownReservation } from '../../accept/reservation-book.ts';
import { reservationView } from '../../accept/reservation-view.ts';
import type { Reservations } from '../../accept/reservations.ts';
import type { SendOperation } from '../../accept/send.ts';
import type { Account } from '../../domain/account/account.ts';
import { parseMsgKey, parseResvKey } from '../../domain/ids.ts';
import { readFields } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { traced } from '../../domain/request/traceparent.ts';
import {
  laterFields,
  parseAddedRecipients,
  parseReservation,
} from '../../domain/reservation/parse-reservation.ts';
import { RESERVATION_STATES, type Reservation, SENDER_MOVES } from '../../domain/reservation/reservation.ts';
import { parseMoment } from '../../platform/moment.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { REPLAY_HEADERS, sendProblem, sendSuccess, successBody } from '../envelope.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';
import { reservedBody } from './desk.ts';
import { readIdempotencyKey } from './read-send.ts';

const ONE = '/v1/reservation/resvKey/:resvKey';
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

type ReservationRequest = FastifyRequest<{
  Params: { resvKey?: string; msgKey?: string };
  Querystring: Readonly<Record<string, unknown>>;
}>;

/** `/v1/reservation…`: sends that wait for their time. */
export function reservationRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly reservations: Reservations;
  readonly send: Pick<SendOperation, 'refuse'>;
  readonly measured: Measured;
  readonly formatTime: FormatTime;
}): void {
  const { app, callers, reservations, send, formatTime } = deps;
  const shown = (found: Reservation | Problem) =>
    found instanceof Problem ? found : { data: reservationView(found, formatTime) };

  /**
   * Declares a route for an authenticated account; `handle` returns the members of a success besides code and result, or its
   * whole body.
   */
  function route(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    handle: (account: Account, request: ReservationRequest) => Promise<object | string | Replayed | Problem>,
  ): void {
    const handler = deps.measured<{
      Params: { resvKey?: string; msgKey?: string };
      Querystring: Readonly<Record<string, unknown>>;
    }>(url, async (request, reply) => {
      const account = await callers.caller(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const answer = await handle(account, request);
      if (answer instanceof Problem) return sendProblem(reply, answer);
      if (answer instanceof Replayed) return sendSuccess(reply, answer.body, REPLAY_HEADERS);
      return sendSuccess(reply, typeof answer === 'string' ? answer : successBody(answer));
    });
    app.route({ method, url, handler });
  }

  route('POST', '/v1/reservation', async (account, request) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    const idempotency = readIdempotencyKey('/v1/reservation', {
      idempotencyKey: request.headers['idempotency-key'],
      body: rawBody(request),
    });
    if (idempotency instanceof Problem) return idempotency;
    const read = parseReservation(body.json);
    if (read instanceof Problem) return send.refuse(account, read, idempotency);
    const { omni, later } = read;
    const order = traced(omni, request.headers.traceparent);
    return reservations.reserveOmni(account, order, later, reservedBody(omni.ref), idempotency);
  });

  route('GET', '/v1/reservation/list', async (account, { query }) => {
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const { lastSeq, status: givenStatus, resvSendTime } = query;
    const before = lastSeq === undefined || lastSeq === '' ? undefined : parseResvKey(String(lastSeq));
    if (lastSeq && !before)
      return new Problem('A300', '"lastSeq" must be the "lastSeq" of an earlier answer');
    const status = givenStatus ? RESERVATION_STATES.find(each => each === givenStatus) : undefined;
    if (givenStatus && !status) {
      return new Problem('A300', `"status" must be one of ${RESERVATION_STATES.join(', ')}`);
    }
    const sendFrom = resvSendTime ? momentIn(String(resvSendTime)) : undefined;
    if (resvSendTime && sendFrom === undefined) {
      return new Problem('A316', '"resvSendTime" must be a time such as 2026-03-02T09:30:00+09:00');
    }
    const found = await reservations.list({
      account: account.id,
      status,
      sendFrom,
      before,
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    return {
      data: {
        reservations: page.map(each => reservationView(each, formatTime)),
        lastSeq: page.at(-1)?.resvKey ?? null,
        hasNext: found.length > limit,
      },
    };
  });

  /** As a reservation takes it, and with a plus that became a blank on its way. */
  function momentIn(text: string): number | undefined {
    const moment = parseMoment(text);
    if (moment !== undefined) return moment;
    const read = readFields(laterFields, { resvSendTime: text });
    if (read instanceof Problem || read.resvSendTime === undefined) return undefined;
    return reservations.readTime(read.resvSendTime);
  }

  route('GET', ONE, async (account, { params }) => {
    return shown(await reservations.find(account.id, params.resvKey ?? ''));
  });

  route('PUT', ONE, async (account, request) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    const change = readFields(laterFields, body.json);
    if (change instanceof Problem) return change;
    const { resvSendTime: sendTime, resvName: name } = change;
    if (sendTime === undefined && name === undefined) {
      return new Problem('A300', '"resvSendTime" or "resvName" is required');
    }
    return shown(await reservations.change(account.id, request.params.resvKey ?? '', { sendTime, name }));
  });

  for (const move of SENDER_MOVES) {
    route('POST', `${ONE}/${move}`, async (account, { params }) => {
      return shown(await reservations.move(account.id, params.resvKey ?? '', move));
    });
  }

  route('POST', `${ONE}/destinations`, async (account, request) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    const resvKey = parseResvKey(request.params.resvKey ?? '');
    if (!resvKey) return unknownReservation();
    const path = `/v1/reservation/resvKey/${resvKey}/destinations`;
    const idempotency = readIdempotencyKey(path, {
      idempotencyKey: request.headers['idempotency-key'],
      body: rawBody(request),
    });
    if (idempotency instanceof Problem) return idempotency;
    const recipients = parseAddedRecipients(body.json);
    if (recipients instanceof Problem) return send.refuse(account, recipients, idempotency);
    const render = (destinations: unknown) => successBody({ data: { destinations } });
    return reservations.addRecipients(account, resvKey, recipients, render, idempotency);
  });

  route('GET', `${ONE}/destinations`, async (account, { params, query }) => {
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const { lastSeq } = query;
    const after = lastSeq === undefined || lastSeq === '' ? undefined : parseMsgKey(String(lastSeq));
    if (lastSeq && !after) return new Problem('A300', '"lastSeq" must be the "lastSeq" of an earlier answer');
    const page = { after, limit: limit + 1 };
    const found = await reservations.recipients(account.id, params.resvKey ?? '', page);
    if (found instanceof Problem) return found;
    const destinations = found.slice(0, limit);
    return {
      data: {
        destinations: destinations.map(({ msgKey, to, isSent }) => ({ msgKey, to, sent: isSent })),
        lastSeq: destinations.at(-1)?.msgKey ?? null,
        hasNext: found.length > limit,
      },
    };
  });

  route('DELETE', `${ONE}/destinations/msgKey/:msgKey`, async (account, { params }) => {
    const { resvKey = '', msgKey = '' } = params;
    return (await reservations.removeRecipient(account.id, resvKey, msgKey)) ?? {};
  });
}

function parseLimit(given: unknown): number | Problem {
  if (given === undefined || given === '') return DEFAULT_LIMIT;
  const limit = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  return limit >= 1 && limit <= MAX_LIMIT
    ? limit
    : new Problem('A300', `"limit" must be a whole number from 1 to ${MAX_LIMIT}`);
}
