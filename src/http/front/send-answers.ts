/** What a send is answered with, whoever read its HTTP and writes the answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { Replayed } from '../../accept/send.ts';
import type { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { type SendCall, sendPath } from '../contract/read-send.ts';
import { answerSend, type SendDesk } from '../contract/send-desk.ts';
import { type Answer, problemAnswer, REPLAY_HEADERS, successAnswer } from '../envelope.ts';
import type { ExplainFailure } from '../failure.ts';
import type { Observe } from '../measured.ts';

export interface SendAnswersDeps {
  readonly sendDesk: SendDesk;
  readonly observe: Observe;
  readonly noteRefusal: (route: string, code: Problem['code']) => void;
  readonly explainFailure: ExplainFailure;
}

export interface SendPath {
  readonly kind: SendKind;
  readonly path: string;
}

/** The headers of a send that mean something. */
export type SendHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'content-type' | 'accept-language'> & {
  readonly 'idempotency-key'?: string | string[] | undefined;
};

export interface GivenSend {
  readonly to: SendPath;
  readonly headers: SendHeaders;
  /** Of the caller. */
  readonly address: string;
  readonly body: Buffer;
}

/** Never rejects. */
export type SendAnswers = (send: GivenSend) => Promise<Answer>;

const PATHS: ReadonlyMap<string, SendPath> = new Map(
  SEND_KINDS.map(kind => [sendPath(kind), { kind, path: sendPath(kind) }]),
);

/** Which send it is, if it is one. */
export function sendPathOf(method: string | undefined, target: string | undefined): SendPath | undefined {
  return method === 'POST' ? PATHS.get(target ?? '') : undefined;
}

export function createSendAnswers(deps: SendAnswersDeps): SendAnswers {
  let failures = 0;
  return async given => {
    const { path } = given.to;
    const startedAt = performance.now();
    let answer: Answer;
    try {
      answer = answerOf(
        path,
        await answerSend(deps.sendDesk, callOf(given)),
        given.headers['accept-language'],
      );
    } catch (error) {
      answer = failed(path, error, given.headers['accept-language']);
    }
    deps.observe(path, answer.status, (performance.now() - startedAt) / 1000);
    return answer;
  };

  function answerOf(
    path: string,
    answered: string | Replayed | Problem,
    language: string | undefined,
  ): Answer {
    if (typeof answered === 'string') return successAnswer(answered, language);
    if (answered instanceof Replayed) return successAnswer(answered.body, language, REPLAY_HEADERS);
    return refused(path, answered, language);
  }

  function failed(path: string, error: unknown, language: string | undefined): Answer {
    const requestId = `send-${(++failures).toString(36)}`;
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

function callOf({ to, headers, address, body }: GivenSend): SendCall {
  return {
    kind: to.kind,
    authorization: headers.authorization,
    address,
    contentType: headers['content-type'],
    idempotencyKey: headers['idempotency-key'],
    body,
  };
}
