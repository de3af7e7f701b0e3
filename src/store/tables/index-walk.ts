/** Indexes messages for search, in the order of their keys (search.ts says what an index lacks, and how it is used). */
import { timePrefix } from '../../domain/ids.ts';
import type { SearchStore } from '../port/operator-store.ts';
import type { Records } from '../records/records.ts';
import { FOLLOWERS, LATE_AT_ONCE, lateAtOnce } from '../reservations.ts';
import { rewound, termsOf } from '../search.ts';
import { type KeyWalks, sql, type Tables, type Work } from './tables.ts';

/** What of each message is indexed. */
const indexedOf = (messages: string): string => `
  SELECT found.msg_key, found.account, found.recipient, coalesce(found.ref, request.ref) AS ref, request.group_key
    FROM ${messages} AS found
   CROSS JOIN LATERAL (SELECT * FROM request WHERE request.request_id = substr(found.msg_key, 1, 29) OFFSET 0) AS request`;
const NEW = `${indexedOf(`(
    SELECT msg_key, account, recipient, ref FROM message
     WHERE msg_key > :after AND msg_key < :before ORDER BY msg_key LIMIT :limit)`)}
   ORDER BY found.msg_key`;
const OF_LATE = `follower = '${FOLLOWERS.index}'`;
const LATE = `
  SELECT request_id, (
    SELECT msg_key FROM message WHERE msg_key >= late.request_id AND msg_key < late.request_id || 'zzzz'
     ORDER BY msg_key DESC LIMIT 1) AS last_key
    FROM (SELECT request_id FROM late_request WHERE ${OF_LATE} ORDER BY request_id LIMIT ${LATE_AT_ONCE}) AS late`;
const OF_REQUESTS = indexedOf(`unnest(:late::text[]) AS asked (of_request)
   CROSS JOIN LATERAL (
     SELECT * FROM message WHERE msg_key >= of_request AND msg_key < of_request || 'zzzz'
      ORDER BY msg_key LIMIT 1000 OFFSET 0)`);
const INSERT = `
  INSERT INTO message_index (term, msg_key)
  SELECT term, msg_key FROM unnest(:terms::text[], :keys::text[]) AS entry (term, msg_key) WHERE true
  ON CONFLICT DO NOTHING`;
const MET = `DELETE FROM late_request WHERE ${OF_LATE} AND request_id = ANY (:late::text[])`;
const REWIND = `
  UPDATE index_position SET msg_key = :upTo, reach = CASE WHEN reach < :reach::text THEN :reach::text ELSE reach END`;

export function indexWalk(
  tables: Tables,
  records: Records,
  walks?: KeyWalks,
): Pick<SearchStore, 'index' | 'rewind'> {
  function* index(upTo: string, limit: number): Work<number> {
    // Without it another node holds the row, and is indexing right now.
    const [position] = yield* sql('SELECT msg_key FROM index_position FOR UPDATE SKIP LOCKED');
    if (!position) return 0;
    const before = walks ? yield* walks.boundOf('index', upTo) : upTo;
    const { late, isMore } = lateAtOnce(yield* sql(LATE));
    const passed = late.length > 0 ? yield* sql(OF_REQUESTS, { late }) : [];
    const walked = yield* sql(NEW, { after: String(position.msg_key), before, limit });
    const rows = [...passed, ...walked];
    if (rows.length === 0) return 0;
    const entries = rows.flatMap(row =>
      termsOf(row, records).map(term => [term, String(row.msg_key)] as const),
    );
    // Neighbours one after the other: pages of the index are met once.
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    yield* sql(INSERT, { terms: entries.map(([term]) => term), keys: entries.map(([, key]) => key) });
    if (late.length > 0) yield* sql(MET, { late });
    const last = walked.at(-1);
    if (last) yield* sql('UPDATE index_position SET msg_key = :to', { to: String(last.msg_key) });
    return isMore ? limit : walked.length;
  }

  return {
    rewind: (at, from) =>
      tables.write(undefined, undefined, function* () {
        const [position] = yield* sql('SELECT msg_key FROM index_position FOR UPDATE');
        const { upTo, reach } = rewound(String(position?.msg_key ?? ''), at, from);
        yield* sql(REWIND, { upTo, reach });
      }),
    async index(acceptedBefore, limit) {
      const upTo = timePrefix(acceptedBefore);
      await walks?.promise('index', upTo);
      return tables.write(undefined, undefined, () => index(upTo, limit), limit);
    },
  };
}
