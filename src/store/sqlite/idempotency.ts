/** Idempotency keys with the answers that were given under them. */
import type { AccountId } from '../../domain/ids.ts';
import type { AcceptResult, GivenAnswer, IdempotencyEntry } from '../port/message-store.ts';
import type { Records } from '../records/records.ts';
import { givenAnswerIn, repetitionOf } from '../tables/idempotency.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';

export interface SqliteIdempotency {
  answerUnder(account: AccountId, key: string): GivenAnswer | undefined;
  /** What to answer where the key was used before; undefined where it is new. */
  repeated(account: AccountId, entry: IdempotencyEntry): AcceptResult | undefined;
  add(account: AccountId, entry: IdempotencyEntry, createdAt: number): void;
}

export function sqliteIdempotency(db: Database, records: Records): SqliteIdempotency {
  const select = db.prepare('SELECT * FROM idempotency WHERE account = ? AND key = ?');
  const insert = inserter(db, 'idempotency', records.idempotency);

  return { answerUnder, repeated, add };

  function answerUnder(account: AccountId, key: string): GivenAnswer | undefined {
    const row = select.get(account, key) as Row | undefined;
    return row && givenAnswerIn(row, records);
  }

  function repeated(account: AccountId, entry: IdempotencyEntry): AcceptResult | undefined {
    const earlier = answerUnder(account, entry.key);
    return earlier && repetitionOf(entry, earlier);
  }

  function add(account: AccountId, entry: IdempotencyEntry, createdAt: number): void {
    insert({ account, ...entry, createdAt });
  }
}
