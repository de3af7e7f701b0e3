/**
 * Where the looks at the queue of a carrier begin (long-look.ts): behind the last step that was claimed, and where nothing was left,
 * a little before that moment.
 */
import type { AccountId } from '../../domain/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import { SINGLE } from '../phase.ts';
import type { Row } from './database.ts';
import { LATE_COMMIT_MS, LongLook, ofEach } from './long-look.ts';

/** Places in the order of an account's steps, by their due time: of single ones, and of bulk. */
export interface Head {
  readonly single: number;
  readonly bulk: number;
}

/** A step's place in the order of its account. */
export interface Place {
  readonly rank: number;
  readonly dueAt: number;
}

export const BEGINNING: Head = { single: 0, bulk: 0 };

/** Of one carrier. */
export class QueueHead {
  readonly look: LongLook;
  #ofOthers = BEGINNING;
  readonly #heads = new Map<AccountId, Head>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.look = new LongLook(clock);
  }

  /** Where accounts begin that are not in `heads`. */
  get ofOthers(): Head {
    return this.#ofOthers;
  }

  get heads(): ReadonlyMap<AccountId, Head> {
    return this.#heads;
  }

  headOf(account: AccountId): Head {
    return this.look.isLong ? (this.#heads.get(account) ?? this.#ofOthers) : BEGINNING;
  }

  /** A look from the beginning, at `at` by the clock of due times, found these first; `isAll`: no other account has steps. */
  looked(first: ReadonlyMap<AccountId, Place>, isAll: boolean, at: number): void {
    const nothing = { single: at - LATE_COMMIT_MS, bulk: at - LATE_COMMIT_MS };
    this.#ofOthers = isAll ? nothing : BEGINNING;
    this.#heads.clear();
    for (const [account, { rank, dueAt }] of first)
      this.#heads.set(
        account,
        rank === SINGLE ? { single: dueAt, bulk: 0 } : { single: nothing.single, bulk: dueAt },
      );
  }

  /** A claim at `at` took these of an account, of up to `most`: singles first. */
  claimed(account: AccountId, taken: readonly Place[], most: number, at: number): void {
    if (!this.look.isLong) return;
    const { single, bulk } = this.headOf(account);
    const singles = taken.filter(({ rank }) => rank === SINGLE);
    const others = taken.filter(({ rank }) => rank !== SINGLE);
    const left = most - singles.length;
    this.#heads.set(account, {
      single: behind(single, singles, most, at),
      bulk: left > 0 ? behind(bulk, others, left, at) : bulk,
    });
  }

  /** A step of an account came back at its old place. */
  returned(account: AccountId, { rank, dueAt }: Place): void {
    if (!this.look.isLong) return;
    const { single, bulk } = this.headOf(account);
    this.#heads.set(account, {
      single: rank === SINGLE ? Math.min(single, dueAt) : single,
      bulk: rank === SINGLE ? bulk : Math.min(bulk, dueAt),
    });
  }
}

function behind(head: number, taken: readonly Place[], most: number, at: number): number {
  const reached = taken.length < most ? at - LATE_COMMIT_MS : (taken.at(-1)?.dueAt ?? head);
  return Math.max(head, reached);
}

/** Of all carriers. */
export class QueueHeads {
  readonly of: (carrier: string) => QueueHead;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.of = ofEach(() => new QueueHead(clock));
  }

  /** Steps came back at their old places. Rows of job. */
  returned(rows: readonly Row[]): void {
    for (const row of rows) this.of(String(row.carrier)).returned(row.account as AccountId, placeOf(row));
  }
}

export function placeOf({ rank, due_at }: Row): Place {
  return { rank: Number(rank), dueAt: Number(due_at) };
}
