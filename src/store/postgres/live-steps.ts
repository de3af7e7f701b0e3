/**
 * A live step is the row of its job, and the contents of its message: recipient, words, ref and flow, which never change.
 * A node keeps the contents of what it has claimed, because each step is read again when its answer and its receipt
 * come, and the row of the job is all that must be read under lock.
 */
import type { Flow } from '../../domain/delivery/flow.ts';
import type { StepState } from '../../domain/delivery/lifecycle.ts';
import type { LiveStep } from '../../domain/delivery/settlement.ts';
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { parseWords } from '../words.ts';
import type { Row } from './database.ts';

/** Beyond this everything is forgotten, and read again where it is needed. */
const MOST_KEPT = 50_000;

export type Content = Pick<LiveStep, 'to' | 'words' | 'ref' | 'flow'>;

export class Contents {
  readonly #kept = new Map<MsgKey, Content>();

  /** What is kept of these messages. */
  of(keys: readonly MsgKey[]): Map<MsgKey, Content> {
    const found = new Map<MsgKey, Content>();
    for (const key of keys) {
      const content = this.#kept.get(key);
      if (content) found.set(key, content);
    }
    return found;
  }

  keep(contents: ReadonlyMap<MsgKey, Content>): void {
    if (this.#kept.size + contents.size > MOST_KEPT) this.#kept.clear();
    for (const [key, content] of contents) this.#kept.set(key, content);
  }

  forget(keys: readonly MsgKey[]): void {
    for (const key of keys) this.#kept.delete(key);
  }
}

/** The contents in rows with msg_key, recipient, words, ref and flow. */
export function contentsIn(rows: readonly Row[]): Map<MsgKey, Content> {
  // Recipients of one request share its flow.
  const flows = new Map<string, Flow>();
  return new Map(
    rows.map(({ msg_key, recipient, words, ref, flow: text }) => {
      const flow = flows.get(String(text)) ?? (JSON.parse(String(text)) as Flow);
      flows.set(String(text), flow);
      return [
        msg_key as MsgKey,
        {
          to: String(recipient),
          words: parseWords(words ?? null),
          ref: ref === null ? undefined : String(ref),
          flow,
        },
      ];
    }),
  );
}

/** The step in a row of job. */
export function liveStepOf(row: Row, contents: ReadonlyMap<MsgKey, Content>): LiveStep {
  const msgKey = row.msg_key as MsgKey;
  const content = contents.get(msgKey);
  if (!content) throw new Error(`message ${msgKey} has a job and no contents`);
  return {
    ...content,
    msgKey,
    account: row.account as AccountId,
    step: Number(row.step),
    state: row.state as StepState,
    attempt: Number(row.attempt),
    carrier: String(row.carrier),
    claim: row.claim === null ? undefined : String(row.claim),
    repeatUntil: row.repeat_until === null ? undefined : Number(row.repeat_until),
    parts: row.parts === null ? undefined : String(row.parts),
    submittedAt: row.submitted_at === null ? undefined : Number(row.submitted_at),
    deadlineAt: Number(row.deadline_at),
  };
}
