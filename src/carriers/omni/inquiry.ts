/** `GET /v1/report/inquiry/{msgKey}`: the reports of one message. A few calls at a time; none after one that was refused. */
import { memberOf } from '../http/pointer.ts';
import { envelopeOf } from './envelope.ts';
import type { OmniSession } from './session.ts';

const AT_A_TIME = 5;

/** The records of these messages, as far as the service gives them. */
export async function inquire(session: OmniSession, msgKeys: readonly string[]): Promise<readonly unknown[]> {
  const records: unknown[] = [];
  for (let start = 0; start < msgKeys.length; start += AT_A_TIME) {
    const answers = await Promise.all(
      msgKeys.slice(start, start + AT_A_TIME).map(msgKey => recordsOf(session, msgKey)),
    );
    records.push(...answers.flatMap(found => found ?? []));
    if (answers.includes(undefined)) break;
  }
  return records;
}

/** undefined when it was not answered. */
async function recordsOf(session: OmniSession, msgKey: string): Promise<readonly unknown[] | undefined> {
  const path = `/v1/report/inquiry/${encodeURIComponent(msgKey)}`;
  const answer = await session.call({ method: 'GET', path });
  if (answer.kind === 'failed') return undefined;
  const { meaning, json } = envelopeOf(answer);
  if (meaning !== 'taken') return undefined;
  const report = memberOf(memberOf(json, 'data'), 'report');
  return Array.isArray(report) ? report : [];
}
