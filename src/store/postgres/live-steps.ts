/**
 * A live step is the row of its job, and the contents of its message: recipient, words, ref and flow, which never change.
 * A node keeps the contents of what it has claimed, because each step is read again when its answer and its receipt
 * come, and the row of the job is all that must be read under lock.
 */
import type { Flow } from '../../domain/delivery/flow.ts';
import type { LiveStep } from '../../domain/delivery/settlement.ts';
import { type MsgKey, requestIdOf } from '../../domain/ids.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { readerOf } from '../records/columns.ts';
import { JOB_COLUMNS } from '../records/job-columns.ts';
import { CONTENT_COLUMNS, type Content } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import type { Row } from './database.ts';

/** Beyond this everything is forgotten, and read again where it is needed. */
const MOST_KEPT = 50_000;

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

/** Reads the contents in rows that have their columns, msg_key and account; of those that cannot be read there are none. */
export type ContentsReader = (rows: readonly Row[]) => Promise<Map<MsgKey, Content>>;

/**
 * Flows are read as text, and the largest are a thousand times as long as most: after so many characters others have a
 * turn.
 */
const MOST_LENGTH_AT_ONCE = 512 * 1024;

export function contentsReader({ content, unreadable }: Records): ContentsReader {
  const { flow: flowColumn, ...own } = content;
  const ownContentOf = readerOf(own);
  return async rows => {
    // Recipients of one request share its flow.
    const flows = new Map<string, Flow>();
    const contents = new Map<MsgKey, Content>();
    let length = 0;
    for (const row of rows) {
      const request = requestIdOf(row.msg_key as MsgKey);
      if (!flows.has(request)) {
        length += String(row.flow).length;
        if (length > MOST_LENGTH_AT_ONCE) {
          length = 0;
          await nextTurn();
        }
      }
      const [found] = unreadable.each('message', [row], each => {
        const flow = flows.get(request) ?? flowColumn.read(each.flow, each);
        flows.set(request, flow);
        return { ...ownContentOf(each), flow };
      });
      if (found) contents.set(row.msg_key as MsgKey, found);
    }
    return contents;
  };
}

const jobStepOf = readerOf(JOB_COLUMNS, Object.keys(CONTENT_COLUMNS));

/** The steps in rows of job that have contents, and the keys of the others. */
export function liveStepsOf(
  rows: readonly Row[],
  contents: ReadonlyMap<MsgKey, Content>,
): { readonly live: LiveStep[]; readonly without: MsgKey[] } {
  const live: LiveStep[] = [];
  const without: MsgKey[] = [];
  for (const row of rows) {
    const msgKey = row.msg_key as MsgKey;
    const content = contents.get(msgKey);
    if (content) live.push(Object.assign(jobStepOf(row), content));
    else without.push(msgKey);
  }
  return { live, without };
}
