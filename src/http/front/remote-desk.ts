/** The desk as a thread that speaks HTTP sees it: each call goes to the engine's thread, together with others. */
import { createReadToken } from '../../accept/given-token.ts';
import { Replayed } from '../../accept/idempotency.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { PlainValues, ThreadCaller } from '../../platform/thread-calls.ts';
import type { Caller } from '../contract/caller.ts';
import type { Desk, TokenCaller } from '../contract/desk.ts';
import type { ExplainFailure, Failure } from '../failure.ts';
import { type PackedNote, packAdmit, packReport, packSend, packToken, unpackAnswer } from './packed-calls.ts';

/** As many as the engine remembers. */
const KNOWN_TOKENS = 50_000;
const BUSY = { retryAfterSeconds: 1 };

/** The engine failed to answer, and says what the client is to be told. */
class RemoteFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.problem.result);
    this.failure = failure;
  }
}

/** For failures of the engine, which has logged them, and of the thread itself, which are told to it. */
export function explainInThread(note: (kind: PackedNote, ...values: string[]) => void): ExplainFailure {
  return (error, { requestId }) => {
    if (error instanceof RemoteFailure) return error.failure;
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    note('failed', message, requestId, stack);
    return { problem: new Problem('A999'), headers: { 'x-request-id': requestId } };
  };
}

export interface RemoteDesk extends Desk {
  /** Whose token it is, if it was admitted before. */
  recognise(authorization: string | undefined): string | undefined;
  /** Asks whose token it is, to recognise it from now on. */
  learn(caller: Caller): void;
}

export function createRemoteDesk(engine: ThreadCaller): RemoteDesk {
  const readToken = createReadToken();
  /** Accounts by the hash of their token. */
  const known = new Map<string, string>();
  /** Of each connection, the calls for tokens that are under way. */
  const tokenCalls = new WeakMap<TokenCaller['socket'], Set<number>>();
  let lastTokenCall = 0;

  return {
    recognise,
    learn,
    isKnown: ({ authorization }) => recognise(authorization) !== undefined,
    refusalOf,
    send,
    report,
    issueToken,
  };

  function recognise(authorization: string | undefined): string | undefined {
    const hash = readToken(authorization)?.hash;
    return hash === undefined ? undefined : known.get(hash);
  }

  function learn(caller: Caller): void {
    if (caller.authorization === undefined || recognise(caller.authorization) !== undefined) return;
    // Where it fails the next success is another occasion.
    refusalOf(caller).catch(() => {});
  }

  async function refusalOf(caller: Caller): Promise<Problem | undefined> {
    const answer = await ask(packAdmit(caller));
    const hash = readToken(caller.authorization)?.hash;
    if (answer instanceof Problem) {
      if (hash !== undefined) known.delete(hash);
      return answer;
    }
    if (hash !== undefined && typeof answer === 'string') remember(hash, answer);
    return undefined;
  }

  async function send(...[caller, read]: Parameters<Desk['send']>): Promise<string | Replayed | Problem> {
    const answer = await ask(packSend(caller, read));
    return Buffer.isBuffer(answer) ? answer.toString() : answer;
  }

  async function report(...[caller, call]: Parameters<Desk['report']>): Promise<string | Buffer | Problem> {
    const answer = await ask(packReport(caller, call));
    if (answer instanceof Problem) return answer;
    learn(caller);
    return answer instanceof Replayed ? answer.body : answer;
  }

  async function issueToken(
    ...[credentials, { address, socket }]: Parameters<Desk['issueToken']>
  ): Promise<string | Problem> {
    const number = ++lastTokenCall;
    const calls = tokenCallsOf(socket);
    calls.add(number);
    try {
      const answer = await ask(packToken({ number, credentials, address }));
      return answer instanceof Problem ? answer : textOf(answer);
    } finally {
      calls.delete(number);
    }
  }

  function tokenCallsOf(socket: TokenCaller['socket']): Set<number> {
    const known = tokenCalls.get(socket);
    if (known) return known;
    const calls = new Set<number>();
    tokenCalls.set(socket, calls);
    // Once for all requests of the connection, of which many may come together.
    socket.once('close', () => {
      for (const number of calls) engine.note(['gone' satisfies PackedNote, number]);
    });
    return calls;
  }

  async function ask(values: PlainValues): Promise<string | Buffer | Replayed | Problem> {
    if (engine.isFull) return new Problem('A020', 'The gateway is busy', BUSY);
    const answer = unpackAnswer(await engine.call(values));
    if (typeof answer === 'string' || Buffer.isBuffer(answer) || answer instanceof Replayed) return answer;
    if (answer.headers) throw new RemoteFailure(answer);
    return answer.problem;
  }

  function remember(hash: string, account: string): void {
    const oldest = known.size >= KNOWN_TOKENS ? known.keys().next() : undefined;
    if (oldest && !oldest.done) known.delete(oldest.value);
    known.set(hash, account);
  }
}

function textOf(body: string | Buffer | Replayed): string {
  return body instanceof Replayed ? body.body : body.toString();
}
