/**
 * Answers the calls that clients make most, without HTTP: tokens, sends and reports. Whoever speaks HTTP reads the request and
 * calls the desk, in the same thread or from another one (src/http/front).
 */
import type { Socket } from 'node:net';
import type { Access, TokenClient } from '../../accept/access.ts';
import type { Answered } from '../../accept/idempotency.ts';
import type { Reservations } from '../../accept/reservations.ts';
import type { DestinationResult, SendOperation } from '../../accept/send.ts';
import type { Account } from '../../domain/account/account.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Later } from '../../domain/reservation/parse-reservation.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { sentBody, successBody } from '../envelope.ts';
import type { AnswerReport, ReportCall } from './answer-report.ts';
import type { Caller, Callers } from './caller.ts';
import { type ReadSend, readSend, type SendCall } from './read-send.ts';

export interface Credentials {
  readonly id: string;
  readonly password: string;
}

export interface TokenCaller {
  readonly address: string;
  /** Closed when the caller has gone. A password for nobody is not checked. */
  readonly socket: Pick<Socket, 'destroyed' | 'once'>;
}

export interface Desk {
  /** Resolves to the body of a success. */
  issueToken(credentials: Credentials, caller: TokenCaller): Promise<string | Problem>;
  /** Whether this token was admitted before; it may have ended since. */
  isKnown(caller: Caller): boolean;
  /** Why the caller may not send, if so. */
  refusalOf(caller: Caller): Promise<Problem | undefined>;
  /** Resolves to the body of a success. */
  send(caller: Caller, read: ReadSend): Promise<Answered>;
  /** Resolves to the body of a success. */
  report(caller: Caller, call: ReportCall): Promise<string | Buffer | Problem>;
}

/** The body of the answer. A caller who may not send learns nothing of his request, and costs nothing. */
export function answerSend(desk: Desk, call: SendCall): Promise<Answered> {
  return desk.isKnown(call) ? readAndSend(desk, call) : admitAndSend(desk, call);
}

async function admitAndSend(desk: Desk, call: SendCall): Promise<Answered> {
  return (await desk.refusalOf(call)) ?? readAndSend(desk, call);
}

function readAndSend(desk: Desk, call: SendCall): Promise<Answered> {
  const read = readSend(call);
  return read instanceof Problem
    ? desk.refusalOf(call).then(refusal => refusal ?? read)
    : desk.send(call, read);
}

export interface DeskDeps {
  readonly access: Access;
  readonly callers: Callers;
  readonly answerReport: AnswerReport;
  readonly send: SendOperation;
  readonly reservations: Reservations;
  readonly formatTime: FormatTime;
}

export function createDesk(deps: DeskDeps): Desk {
  const { access, callers, answerReport, send: operation, reservations } = deps;
  return {
    issueToken: (credentials, { address, socket }) =>
      tokenFor(deps, credentials, { address, isWanted: () => !socket.destroyed }),
    isKnown: ({ authorization }) => access.recognise(authorization) !== undefined,
    async refusalOf({ authorization, address }) {
      const account = await access.authenticate(authorization, address);
      return account instanceof Problem ? account : undefined;
    },
    async send({ authorization, address }, read) {
      const account = await access.authenticate(authorization, address);
      return account instanceof Problem ? account : sendFor(operation, reservations, account, read);
    },
    async report(caller, call) {
      const account = await callers.admit(caller);
      return account instanceof Problem ? account : answerReport(account, call);
    },
  };
}

export async function tokenFor(
  { access, formatTime }: Pick<DeskDeps, 'access' | 'formatTime'>,
  { id, password }: Credentials,
  client: TokenClient,
): Promise<string | Problem> {
  const issued = await access.issueToken(id, password, client);
  if (issued instanceof Problem) return issued;
  const { schema, token, expiresAt } = issued;
  return successBody({ data: { schema, expired: formatTime(expiresAt), token } });
}

export function sendFor(
  operation: SendOperation,
  reservations: Reservations,
  account: Account,
  read: ReadSend,
): Promise<Answered> {
  const { idempotency } = read;
  if (read.kind === 'unread') return operation.refuse(account, read.problem, idempotency);
  if (read.later) return reserveFor(reservations, account, read, read.later);
  if (read.kind === 'omni') {
    const { ref } = read.send;
    const render = (destinations: unknown) =>
      successBody({ data: { destinations }, ...(ref !== undefined && { ref }) });
    return operation.sendOmni(account, read.send, render, idempotency);
  }
  const { send } = read;
  return operation.sendSingle(account, send, msgKey => sentBody(msgKey, send.ref), idempotency);
}

function reserveFor(
  reservations: Reservations,
  account: Account,
  read: Exclude<ReadSend, { readonly kind: 'unread' }>,
  later: Later,
): Promise<Answered> {
  const { idempotency } = read;
  if (read.kind === 'omni') {
    return reservations.reserveOmni(account, read.send, later, reservedBody(read.send.ref), idempotency);
  }
  const { send } = read;
  const ref = send.ref !== undefined && { ref: send.ref };
  const render = (msgKey: string, resvKey: string) => successBody({ msgKey, resvKey, ...ref });
  return reservations.reserveSingle(account, send, later, render, idempotency);
}

/** The body of the success of a combined send that waits for its time. */
export function reservedBody(ref: string | undefined) {
  return (destinations: readonly DestinationResult[], resvKey: string | undefined) =>
    successBody({
      data: { ...(resvKey !== undefined && { resvKey }), destinations },
      ...(ref !== undefined && { ref }),
    });
}
