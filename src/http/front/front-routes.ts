/**
 * The calls that are nearly all traffic, answered without Node's HTTP and the framework: a token, a send, a poll, its
 * acknowledgement, an inquiry.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Replayed } from '../../accept/idempotency.ts';
import type { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { ACKNOWLEDGE_PATH, INQUIRY_PATH, POLL_PATH } from '../contract/answer-report.ts';
import { answerSend, type Desk } from '../contract/desk.ts';
import { type SendCall, sendPath } from '../contract/read-send.ts';
import { createAnswerToken, credentialHeaders, TOKEN_PATH } from '../contract/token.ts';
import { type Answer, problemAnswer, REPLAY_HEADERS, successAnswer } from '../envelope.ts';
import type { ExplainFailure } from '../failure.ts';
import { BODY_LIMIT_BYTES } from '../json-body.ts';
import type { Observe } from '../measured.ts';
import type { PlainHead } from './plain-request.ts';

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
  /** How the request is answered, unless Node's HTTP and the framework are to read it. */
  find(head: PlainHead): AnswerFront | undefined;
}

type Body = string | Buffer;
type Ask = (given: GivenRequest) => Promise<Body | Replayed | Problem>;

const HEADERS_OF_CALLS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'traceparent',
  'accept-language',
];
/** Any other id is for the framework to decode and to refuse. */
const REPORT_TARGET = /^\/v1\/report\/(polling|inquiry)\/([0-9A-Za-z]{1,64})$/;

export function createFrontRoutes(deps: FrontRoutesDeps): FrontRoutes {
  const { desk, headerPrefixes } = deps;
  const { ids, passwords } = credentialHeaders(headerPrefixes);
  const answerToken = createAnswerToken(desk, headerPrefixes);
  const posts = new Map<string, AnswerFront>([
    [TOKEN_PATH, answering('POST', TOKEN_PATH, given => answerToken(given.headers, given))],
    ...SEND_KINDS.map((kind): [string, AnswerFront] => {
      const path = sendPath(kind);
      return [path, answering('POST', path, given => answerSend(desk, sendCallOf(kind, given)))];
    }),
  ]);
  const poll = answering('GET', POLL_PATH, given => desk.report(callerOf(given), { kind: 'poll' }));
  let failures = 0;

  return {
    headerNames: [...HEADERS_OF_CALLS, ...ids, ...passwords],
    find(head) {
      const { method, target, headers, bodyLength } = head;
      if (method === 'POST') {
        const mayLackLength = target === TOKEN_PATH;
        const isLengthKnown = mayLackLength || headers['content-length'] !== undefined;
        return isLengthKnown && bodyLength <= BODY_LIMIT_BYTES ? posts.get(target) : undefined;
      }
      if (bodyLength > 0) return undefined;
      return method === 'GET' && target === POLL_PATH ? poll : findReport(method, target);
    },
  };

  function findReport(method: string, target: string): AnswerFront | undefined {
    const [, place, id = ''] = REPORT_TARGET.exec(target) ?? [];
    if (method === 'DELETE' && place === 'polling') {
      return answering(method, ACKNOWLEDGE_PATH, given =>
        desk.report(callerOf(given), { kind: 'acknowledge', id }),
      );
    }
    if (method !== 'GET' || place !== 'inquiry') return undefined;
    return answering(method, INQUIRY_PATH, given => desk.report(callerOf(given), { kind: 'inquire', id }));
  }

  function answering(method: string, route: string, ask: Ask): AnswerFront {
    return async given => {
      const startedAt = performance.now();
      const language = given.headers['accept-language'];
      let answer: Answer;
      try {
        answer = answerOf(route, await ask(given), language);
      } catch (error) {
        answer = failed(method, route, error, language);
      }
      deps.observe(route, answer.status, (performance.now() - startedAt) / 1000);
      return answer;
    };
  }

  function answerOf(route: string, answered: Awaited<ReturnType<Ask>>, language: string | undefined): Answer {
    if (typeof answered === 'string' || Buffer.isBuffer(answered)) return successAnswer(answered, language);
    if (answered instanceof Replayed) return successAnswer(answered.body, language, REPLAY_HEADERS);
    return refused(route, answered, language);
  }

  function failed(method: string, route: string, error: unknown, language: string | undefined): Answer {
    const requestId = `front-${(++failures).toString(36)}`;
    const { problem, headers } = deps.explainFailure(error, { requestId, method, route });
    return refused(route, problem, language, headers);
  }

  function refused(
    route: string,
    problem: Problem,
    language: string | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Answer {
    deps.noteRefusal(route, problem.code);
    return problemAnswer(problem, language, headers);
  }
}

function callerOf({ headers, address }: GivenRequest) {
  return { authorization: headers.authorization, address };
}

function sendCallOf(kind: SendKind, { headers, address, body }: GivenRequest): SendCall {
  return {
    kind,
    authorization: headers.authorization,
    address,
    contentType: headers['content-type'],
    idempotencyKey: headers['idempotency-key'],
    traceparent: headers.traceparent,
    body,
  };
}
