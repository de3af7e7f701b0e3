/**
 * `GET /v1/report/inquiry/{msgKey}`: the reports of one message. A few calls at a time; none after one that was refused.
 *
 * A send without an answer has no msgKey. Services that list messages by `ref`, as this gateway does, are asked for it.
 */
import { memberOf, textOf } from '../http/pointer.ts';
import { envelopeOf } from './envelope.ts';
import { destinationRef, requestRef } from './references.ts';
import type { OmniSession } from './session.ts';

const AT_A_TIME = 5;

export interface Inquired {
  readonly records: readonly unknown[];
  /** How many of the messages were answered for, from the first one on. */
  readonly answered: number;
}

/** The records of these messages, as far as the service gives them. */
export async function inquire(session: OmniSession, msgKeys: readonly string[]): Promise<Inquired> {
  const records: unknown[] = [];
  for (let start = 0; start < msgKeys.length; start += AT_A_TIME) {
    const answers = await Promise.all(
      msgKeys.slice(start, start + AT_A_TIME).map(msgKey => recordsOf(session, msgKey)),
    );
    records.push(...answers.flatMap(found => found ?? []));
    const missing = answers.indexOf(undefined);
    if (missing >= 0) return { records, answered: start + missing };
  }
  return { records, answered: msgKeys.length };
}

/** undefined when it was not answered. */
async function recordsOf(session: OmniSession, msgKey: string): Promise<readonly unknown[] | undefined> {
  const path = `/v1/report/inquiry/${encodeURIComponent(msgKey)}`;
  const answer = await session.call({ method: 'GET', path });
  if (answer.kind === 'failed') return undefined;
  const { meaning, json } = envelopeOf(answer);
  // Refused for what it is: asked again, it would be again.
  if (meaning === 'message') return [];
  if (meaning !== 'taken') return undefined;
  const report = memberOf(memberOf(json, 'data'), 'report');
  return Array.isArray(report) ? report : [];
}

/** The msgKey of an attempt; undefined if they know none, `unlisted` if they do not tell, `unanswered` if not now. */
export async function findByRef(
  session: OmniSession,
  attemptId: string,
): Promise<string | 'unlisted' | 'unanswered' | undefined> {
  for (const ref of [attemptId, destinationRef(attemptId), requestRef([attemptId])]) {
    const path = `/v1/message/history?limit=1&ref=${encodeURIComponent(ref)}`;
    const answer = await session.call({ method: 'GET', path });
    if (answer.kind === 'failed') return 'unanswered';
    const { meaning, json } = envelopeOf(answer);
    if (meaning === 'message' || answer.status === 404) return 'unlisted';
    if (meaning === 'throttled' || meaning === 'unknown') return 'unanswered';
    const messages = memberOf(memberOf(json, 'data'), 'messages');
    const [first] = Array.isArray(messages) ? messages : [];
    const msgKey = textOf(memberOf(first, 'msgKey'));
    // A list that ignores what was asked for shows somebody else's message.
    if (msgKey !== undefined && memberOf(first, 'ref') === ref) return msgKey;
  }
  return undefined;
}
