/**
 * An answer of the operator API that takes long: lines of JSON. Each holds `progress`, and comes at least every few seconds, so
 * that nobody between takes the connection for dead; the last one is the envelope. The work ends when its reader leaves.
 */
import type { FastifyReply } from 'fastify';
import { Problem } from '../../domain/request/problem.ts';
import type { Clock } from '../../platform/clock.ts';
import { ANSWER_HEADERS, problemBody, successBody } from '../envelope.ts';
import { inKorean, languageOf } from '../language.ts';
import { departureOf } from './departure.ts';

export const LINES_TYPE = 'application/x-ndjson';
const LINE_EVERY_MS = 1000;
const STILL_HERE_EVERY = 5;

type Task = (watch: {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: object) => void;
}) => Promise<object | Problem>;

export class LongAnswer {
  readonly task: Task;

  constructor(task: Task) {
    this.task = task;
  }
}

export function sendLong(
  reply: FastifyReply,
  { task }: LongAnswer,
  deps: { readonly clock: Clock; readonly explain: (error: unknown) => Problem },
): FastifyReply {
  const { raw, request } = reply;
  const left = departureOf(reply);
  let progress: object = {};
  let isNews = true;
  let silentFor = 0;
  reply.hijack();
  raw.writeHead(200, { ...ANSWER_HEADERS, 'content-type': LINES_TYPE, 'x-accel-buffering': 'no' });

  const progressLine = () => `${JSON.stringify({ progress })}\n`;
  const tell = () => {
    silentFor++;
    if (isNews || silentFor >= STILL_HERE_EVERY) {
      raw.write(progressLine());
      [isNews, silentFor] = [false, 0];
    }
    cancel = deps.clock.schedule(LINE_EVERY_MS, tell);
  };
  let cancel = () => {};
  tell();
  const onProgress = (news: object) => {
    progress = news;
    isNews = true;
  };
  const isKorean = languageOf(request.headers['accept-language']) === 'ko';
  task({ signal: left, onProgress })
    .catch((error: unknown) => deps.explain(error))
    .then(outcome => {
      cancel();
      if (left.aborted) return;
      if (isNews) raw.write(progressLine());
      const isRefused = outcome instanceof Problem;
      if (isRefused) reply.server.noteRefusal(request.routeOptions.url, outcome.code);
      const body = isRefused ? problemBody(outcome) : successBody({ data: outcome });
      raw.end(`${isKorean ? inKorean(body) : body}\n`);
    });
  return reply;
}
