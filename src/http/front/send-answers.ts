/** What a send is answered with, whoever read its HTTP and writes the answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { Replayed } from '../../accept/send.ts';
import { Problem } from '../../domain/request/problem.ts';
import { SEND_KINDS, type SendKind } from '../../domain/request/send-kinds.ts';
import { sendPath } from '../contract/read-send.ts';
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
    const startedAt = performance.now();
    const answer = await answerTo(given);
    deps.observe(given.to.path, answer.status, (performance.now() - startedAt) / 1000);
    return answer;
  };

  async function answerTo({ to: { kind, path }, headers, address, body }: GivenSend): Promise<Answer> {
    const language = headers['accept-language'];
    const call = {
      kind,
      authorization: headers.authorization,
      address,
      contentType: headers['content-type'],
      idempotencyKey: headers['idempotency-key'],
      body,
    };
    try {
      const answered = await answerSend(deps.sendDesk, call);
      if (answered instanceof Problem) return refused(path, answered, language);
      return answered instanceof Replayed
        ? successAnswer(answered.body, language, REPLAY_HEADERS)
        : successAnswer(answered, language);
    } catch (error) {
      const requestId = `send-${(++failures).toString(36)}`;
      const failure = deps.explainFailure(error, { requestId, method: 'POST', route: path });
      return refused(path, failure.problem, language, failure.headers);
    }
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
