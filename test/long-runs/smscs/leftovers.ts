/** The messages of two nodes that are not finished, read from their database and compared with what the SMSCs accepted. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Leftover, Look } from '../leftovers.ts';
import type { RecordingSmsc } from './recording-smsc.ts';
import { isWhole } from './verdict.ts';

export interface JobLeftover extends Leftover {
  readonly owner: string | null;
  readonly carrier: string;
  readonly parts: string | null;
}

const EXPIRE_WITHIN_MS = 30_000;

export async function leftovers(
  client: Client,
  smscs: readonly RecordingSmsc[],
  patienceMs: number,
): Promise<Look<JobLeftover>> {
  const { rows } = await client.query<JobLeftover>(
    `SELECT job.msg_key AS "msgKey", message.recipient, job.state, job.owner, job.carrier, job.step, job.attempt, job.parts,
            message.history
       FROM job JOIN message ON message.msg_key = job.msg_key ORDER BY job.msg_key`,
  );
  const isUnknown = ({ state, recipient }: JobLeftover) =>
    state === 'unknown' && !isWhole(smscs, recipient.replace('+', ''));
  return { left: rows, isUnknown, patienceMs };
}

/** As if 25 hours had passed. True if these messages have ended by it. */
export async function expire(client: Client, messages: readonly Leftover[]): Promise<boolean> {
  const keys = [messages.map(({ msgKey }) => msgKey)];
  await client.query('UPDATE job SET deadline_at = 0 WHERE msg_key = ANY ($1::text[])', keys);
  for (let waitedMs = 0; waitedMs < EXPIRE_WITHIN_MS; waitedMs += 100) {
    const { rows } = await client.query('SELECT 1 FROM job WHERE msg_key = ANY ($1::text[]) LIMIT 1', keys);
    if (rows.length === 0) return true;
    await pause(100);
  }
  return false;
}
