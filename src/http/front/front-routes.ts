/** What is answered without the framework, and with what, whoever read its HTTP and writes the answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Replayed } from '../../accept/idempotency.ts';
import type { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { answerSend, type Desk } from '../contract/desk.ts';
import { type SendCall, sendPath } from '../contract/read-send.ts';
import { createAnswerToken, credentialHeaders, TOKEN_PATH } from '../contract/token.ts';
import { type Answer, problemAnswer, REPLAY_HEADERS, successAnswer } from '../envelope.ts';
import type { ExplainFailure } from '../failure.ts';
import { BODY_LIMIT_BYTES } from '../json-body.ts';
import type { Observe } from '../measured.ts';

export interface FrontRoutesDeps {
  readonly desk: Desk;
  readonly headerPrefixes: readonly string[];
  readonly observe: Observe;
  readonly noteRefusal: (route: string, code: Problem['code']) => void;
  readonly explainFailure: ExplainFailure;
}

export interface GivenRequest {
  readonly headers: IncomingHttpHeaders;
  /** Of the caller. */
  readonly address: string;
  readonly socket: Socket;
  readonly body: Buffer;
}

/** Never rejects. */
export type AnswerFront = (given: GivenRequest) => Promise<Answer>;

export interface FrontRoutes {
  /** The headers that mean something to one of them. */
  readonly headerNames: readonly string[];
  /** How the request is answered, unless the framework is to read it: it goes elsewhere, or does not say how long it is. */
  find(
    method: string | undefined,
    target: string | undefined,
    headers: IncomingHttpHeaders,
  ): AnswerFront | undefined;
}

type Answered = string | Replayed | Problem;

interface Route {
  readonly answer: AnswerFront;
  readonly mayLackBody: boolean;
}

const HEADERS_OF_SENDS = ['authorization', 'content-type', 'idempotency-key', 'accept-language'];

export function createFrontRoutes(deps: FrontRoutesDeps): FrontRoutes {
  const { desk, headerPrefixes } = deps;
  const { ids, passwords } = credentialHeaders(headerPrefixes);
  const answerToken = createAnswerToken(desk, headerPrefixes);
  const routes = new Map<string, Route>();
  for (const kind of SEND_KINDS) {
    const answer = answering(sendPath(kind), given => answerSend(desk, sendCallOf(kind, given)));
    routes.set(sendPath(kind), { answer, mayLackBody: false });
  }
  const answer = answering(TOKEN_PATH, given => answerToken(given.headers, given));
  routes.set(TOKEN_PATH, { answer, mayLackBody: true });
  let failures = 0;

  return {
    headerNames: [...HEADERS_OF_SENDS, ...ids, ...passwords],
    find(method, target, headers) {
      const route = method === 'POST' ? routes.get(target ?? '') : undefined;
      return route && saysItsLength(headers, route) ? route.answer : undefined;
    },
  };

  function answering(path: string, ask: (given: GivenRequest) => Promise<Answered>): AnswerFront {
    return async given => {
      const startedAt = performance.now();
      const language = given.headers['accept-language'];
      let answer: Answer;
      try {
        answer = answerOf(path, await ask(given), language);
      } catch (error) {
        answer = failed(path, error, language);
      }
      deps.observe(path, answer.status, (performance.now() - startedAt) / 1000);
      return answer;
    };
  }

  function answerOf(path: string, answered: Answered, language: string | undefined): Answer {
    if (typeof answered === 'string') return successAnswer(answered, language);
    if (answered instanceof Replayed) return successAnswer(answered.body, language, REPLAY_HEADERS);
    return refused(path, answered, language);
  }

  function failed(path: string, error: unknown, language: string | undefined): Answer {
    const requestId = `front-${(++failures).toString(36)}`;
    const { problem, headers } = deps.explainFailure(error, { requestId, method: 'POST', route: path });
    return refused(path, problem, language, headers);
  }

  function refused(
    path: string,
    problem: Problem,
    language: string | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Answer {
    deps.noteRefusal(path, problem.code);
    return problemAnswer(problem, language, headers);
  }
}

function saysItsLength(headers: IncomingHttpHeaders, { mayLackBody }: Route): boolean {
  const length = headers['content-length'];
  if (length === undefined) return mayLackBody && headers['transfer-encoding'] === undefined;
  return Number(length) <= BODY_LIMIT_BYTES;
}

function sendCallOf(kind: SendKind, { headers, address, body }: GivenRequest): SendCall {
  return {
    kind,
    authorization: headers.authorization,
    address,
    contentType: headers['content-type'],
    idempotencyKey: headers['idempotency-key'],
    body,
  };
}
