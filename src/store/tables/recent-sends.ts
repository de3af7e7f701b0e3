import type { MsgKey } from '../../domain/ids.ts';
import type { RecentSendOrder, RecentSendStore } from '../port/recent-send-store.ts';
import { judge, keysIn, keysWithout, type NamedSend, named } from '../recent-sends.ts';
import type { AnyRow } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { sql, type Tables, type Work } from './tables.ts';

type Sends = readonly (readonly [hash: string, NamedSend])[];

// In the order of their names, so that two requests do not wait for each other. It waits for another that is just noting
// the same. A note that is there stays as it is; it is locked, and returned.
const NOTE = `
  INSERT INTO recent_send (account, hash, tag, msg_key, sent_at, expires_at)
  SELECT :account, hash, :tag, msg_key, :now, :now::bigint + :windowMs::bigint
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (hash, msg_key) ORDER BY hash
  ON CONFLICT (account, hash) DO UPDATE SET tag = recent_send.tag
  RETURNING *`;

const FIND = `
  SELECT * FROM recent_send WHERE account = :account AND hash = ANY (:hashes::text[]) ORDER BY hash FOR UPDATE`;

// A statement of its own, after the locks: a statement that waited for a lock reads other tables as they were before.
const STATES = 'SELECT msg_key, state FROM message WHERE msg_key = ANY (:keys::text[])';

const setKeys = (others: string): string => `
  UPDATE recent_send SET msg_key = sent.keys${others}
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (of_hash, keys) WHERE account = :account AND hash = of_hash`;
const NOTE_AGAIN = setKeys(', tag = :tag, sent_at = :now, expires_at = :now::bigint + :windowMs::bigint');
// A note without a key counts for nothing, and is swept with the others.
const FORGET = setKeys('');

export function recentSendTable(tables: Tables, records: Records): RecentSendStore {
  return {
    // Without turns: many rows, of which two calls rarely need the same.
    note: order => tables.write(order.account, undefined, () => note(order, records), order.sends.length),
    async forget(account, sends) {
      const all = [...named(sends, records)];
      await tables.write(account, undefined, () => forget(account, all), all.length);
    },
  };
}

function* note(order: RecentSendOrder, records: Records): Work<ReadonlySet<MsgKey>> {
  const { account, tag, sends, now, windowMs } = order;
  const all = [...named(sends, records)];
  const under = { account, tag, now, windowMs };
  const current = yield* sql(NOTE, {
    ...under,
    hashes: all.map(([hash]) => hash),
    keys: all.map(([, { msgKey }]) => msgKey),
  });
  const olderNames = all.flatMap(([, { hashes }]) => hashes.slice(1));
  const older = olderNames.length > 0 ? yield* sql(FIND, { account, hashes: olderNames }) : [];
  const rows = new Map([...current, ...older].map(row => [String(row.hash), row]));
  for (const [hash, { msgKey }] of all) {
    const row = rows.get(hash);
    const isNew = row?.msg_key === msgKey && Number(row.sent_at) === now;
    if (isNew) rows.delete(hash);
  }
  const states = yield* statesOf([...rows.values()]);

  const repeated = new Set(sends.map(({ msgKey }) => msgKey));
  const changed: { hash: string; keys: string }[] = [];
  const unneeded: (readonly [string, NamedSend])[] = [];
  for (const [hash, send] of all) {
    const found = send.hashes.map(each => rows.get(each)).filter(row => row !== undefined);
    const verdict = judge(send, found, order, states);
    if (verdict !== 'repeats') repeated.delete(send.msgKey);
    if (typeof verdict === 'object') {
      if (found.length > 0) changed.push({ hash, keys: verdict.keys });
    } else if (!rows.has(hash)) {
      unneeded.push([hash, send]);
    }
  }
  if (changed.length > 0) {
    const [hashes, keys] = [changed.map(({ hash }) => hash), changed.map(each => each.keys)];
    yield* sql(NOTE_AGAIN, { ...under, hashes, keys });
  }
  // It was just noted under its name of today, and there is a note under an older one.
  if (unneeded.length > 0) yield* forget(account, unneeded);
  return repeated;
}

function* statesOf(rows: readonly AnyRow[]): Work<Map<string, unknown>> {
  const keys = rows.flatMap(keysIn);
  const stored = keys.length > 0 ? yield* sql(STATES, { keys }) : [];
  return new Map(stored.map(row => [String(row.msg_key), row.state]));
}

function* forget(account: RecentSendOrder['account'], sends: Sends): Work<void> {
  const keyOf = new Map(sends.map(([hash, { msgKey }]) => [hash, msgKey]));
  const rows = yield* sql(FIND, { account, hashes: [...keyOf.keys()] });
  const hashes = rows.map(({ hash }) => String(hash));
  const keys = rows.map(row => keysWithout(row, keyOf.get(String(row.hash))));
  yield* sql(FORGET, { account, hashes, keys });
}
