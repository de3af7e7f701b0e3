/**
 * `GET /v1/report/inquiry/{msgKey}`: the reports of one message. A few calls at a time; none after one that was refused for
 * all messages.
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
  /** The messages that were answered for. */
  readonly answered: ReadonlySet<string>;
}

/** The records of these messages, as far as the service gives them. */
export async function inquire(session: OmniSession, msgKeys: readonly string[]): Promise<Inquired> {
  const records: unknown[] = [];
  const answered = new Set<string>();
  for (let start = 0; start < msgKeys.length; start += AT_A_TIME) {
    const asked = msgKeys.slice(start, start + AT_A_TIME);
    const answers = await Promise.all(asked.map(msgKey => recordsOf(session, msgKey)));
    for (const [index, msgKey] of asked.entries()) {
      const found = answers[index];
      if (!Array.isArray(found)) continue;
      records.push(...found);
      answered.add(msgKey);
    }
    if (answers.includes('unanswered')) break;
  }
  return { records, answered };
}

/** `failed`: the service failed at this message, and may answer for others. `unanswered`: it answers for none now. */
async function recordsOf(
  session: OmniSession,
  msgKey: string,
): Promise<readonly unknown[] | 'failed' | 'unanswered'> {
  const path = `/v1/report/inquiry/${encodeURIComponent(msgKey)}`;
  const answer = await session.call({ method: 'GET', path });
  if (answer.kind === 'failed') return 'unanswered';
  const { meaning, json } = envelopeOf(answer);
  // Refused for what it is: asked again, it would be again.
  if (meaning === 'message') return [];
  if (meaning !== 'taken') return meaning === 'failed' ? 'failed' : 'unanswered';
  const report = memberOf(memberOf(json, 'data'), 'report');
  return Array.isArray(report) ? report : [];
}

/** The msgKey of an attempt; undefined if they know none; `refused` if they do not search for it, or why that is not known now. */
export async function findByRef(
  session: OmniSession,
  attemptId: string,
): Promise<string | 'refused' | 'failed' | 'unanswered' | undefined> {
  for (const ref of [attemptId, destinationRef(attemptId), requestRef([attemptId])]) {
    const path = `/v1/message/history?limit=1&ref=${encodeURIComponent(ref)}`;
    const answer = await session.call({ method: 'GET', path });
    if (answer.kind === 'failed') return 'unanswered';
    const { meaning, json } = envelopeOf(answer);
    if (meaning === 'message' || answer.status === 404) return 'refused';
    if (meaning !== 'taken') return meaning === 'failed' ? 'failed' : 'unanswered';
    const messages = memberOf(memberOf(json, 'data'), 'messages');
    const [first] = Array.isArray(messages) ? messages : [];
    const msgKey = textOf(memberOf(first, 'msgKey'));
    // A list that ignores what was asked for shows somebody else's message.
    if (msgKey !== undefined && memberOf(first, 'ref') === ref) return msgKey;
  }
  return undefined;
}
