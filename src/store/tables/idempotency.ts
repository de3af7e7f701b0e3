/** Idempotency keys with the answers that were given under them. */
import type { AccountId } from '../../domain/ids.ts';
import type { AcceptResult, GivenAnswer, IdempotencyEntry } from '../port/message-store.ts';
import type { AnyRow } from '../records/columns.ts';
import { IDEMPOTENCY_COLUMNS } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { insertOneOf, sql, valuesIn, type Work } from './tables.ts';

const FIND = 'SELECT * FROM idempotency WHERE account = :account AND key = :key';
const ADD = `${insertOneOf('idempotency', IDEMPOTENCY_COLUMNS)} ON CONFLICT DO NOTHING`;

export function givenAnswerIn(row: AnyRow, { idempotency }: Records): GivenAnswer {
  return {
    bodyHash: idempotency.bodyHash.read(row.body_hash, row),
    response: idempotency.response.read(row.response, row),
  };
}

/** What a repetition under a key is answered. */
export function repetitionOf(
  entry: Pick<IdempotencyEntry, 'bodyHash'> | undefined,
  { bodyHash, response }: GivenAnswer,
): AcceptResult {
  return entry?.bodyHash === bodyHash ? { kind: 'replayed', response } : { kind: 'conflict' };
}

/** What to answer where the key was used before. */
export function* repeated(
  records: Records,
  account: AccountId,
  entry: IdempotencyEntry | undefined,
): Work<AcceptResult | undefined> {
  if (!entry) return undefined;
  const [earlier] = yield* sql(FIND, { account, key: entry.key });
  return earlier && repetitionOf(entry, givenAnswerIn(earlier, records));
}

/** Stores the key; returns the answer where another call has stored it. */
export function* keepKey(
  records: Records,
  account: AccountId,
  entry: IdempotencyEntry | undefined,
  createdAt: number,
): Work<AcceptResult | undefined> {
  if (!entry) return undefined;
  const { count } = yield* sql(ADD, valuesIn(records.idempotency, { account, ...entry, createdAt }));
  if (count > 0) return undefined;
  const earlier = yield* repeated(records, account, entry);
  if (!earlier) throw new Error(`the key ${entry.key} was neither stored nor answered before`);
  return earlier;
}
