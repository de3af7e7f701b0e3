import type { MsgKey } from '../../domain/ids.ts';
import type { RecentSendOrder, RecentSendStore } from '../port/recent-send-store.ts';
import { judge, keysIn, type NamedSend, named } from '../recent-sends.ts';
import type { Records } from '../records/records.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Queryable, Row } from './database.ts';

// In the order of their names, so that two requests do not wait for each other. It waits for another that is just noting
// the same. A note that is there stays as it is; it is locked, and returned.
const NOTE = `
  INSERT INTO recent_send (account, hash, tag, msg_key, sent_at, expires_at)
  SELECT :account, hash, :tag, msg_key, :now, :now::bigint + :windowMs::bigint
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (hash, msg_key) ORDER BY hash
  ON CONFLICT (account, hash) DO UPDATE SET tag = recent_send.tag
  RETURNING *`;

const UNDER_OLDER_NAMES = `
  SELECT * FROM recent_send WHERE account = :account AND hash = ANY (:hashes::text[]) ORDER BY hash FOR UPDATE`;

// A statement of its own, after the locks: a statement that waited for a lock reads other tables as they were before.
const STATES = 'SELECT msg_key, state FROM message WHERE msg_key = ANY (:keys::text[])';

const SET_KEYS = `
  UPDATE recent_send SET tag = :tag, msg_key = sent.keys, sent_at = :now, expires_at = :now::bigint + :windowMs::bigint
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (hash, keys)
   WHERE account = :account AND recent_send.hash = sent.hash`;

// A note without a key counts for nothing, and is swept with the others.
const FORGET = `
  UPDATE recent_send
     SET msg_key = array_to_string(array_remove(string_to_array(recent_send.msg_key, ','), sent.msg_key), ',')
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (hash, msg_key)
   WHERE account = :account AND recent_send.hash = sent.hash`;

export function postgresRecentSends(db: Database, records: Records): RecentSendStore {
  return {
    // Without turns: many rows, of which two calls rarely need the same.
    note: order =>
      db.retrying(() => lockingBriefly(db, db.as(order.account), undefined, tx => note(tx, order, records))),
    async forget(account, sends) {
      const all = [...named(sends, records)];
      const theirs = db.as(account);
      await db.retrying(() => lockingBriefly(db, theirs, undefined, tx => forget(tx, account, all)));
    },
  };
}

async function note(tx: Queryable, order: RecentSendOrder, records: Records): Promise<ReadonlySet<MsgKey>> {
  const { account, tag, sends, now, windowMs } = order;
  const all = [...named(sends, records)];
  const under = { account, tag, now, windowMs };
  const current = await tx.query(NOTE, { ...under, ...columnsOf(all) });
  const olderNames = all.flatMap(([, { hashes }]) => hashes.slice(1));
  const older =
    olderNames.length > 0 ? await tx.query(UNDER_OLDER_NAMES, { account, hashes: olderNames }) : [];
  const rows = new Map([...current, ...older].map(row => [String(row.hash), row]));
  const isNew = ([hash, { msgKey }]: readonly [string, NamedSend]) => {
    const row = rows.get(hash);
    return row?.msg_key === msgKey && Number(row.sent_at) === now;
  };
  for (const send of all.filter(isNew)) rows.delete(send[0]);
  const states = await statesOf(tx, [...rows.values()]);

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
    await tx.query(SET_KEYS, { ...under, hashes, keys });
  }
  // It was just noted under its name of today, and there is a note under an older one.
  if (unneeded.length > 0) await forget(tx, account, unneeded);
  return repeated;
}

async function statesOf(tx: Queryable, rows: readonly Row[]): Promise<Map<string, unknown>> {
  const keys = rows.flatMap(keysIn);
  const stored = keys.length > 0 ? await tx.query(STATES, { keys }) : [];
  return new Map(stored.map(row => [String(row.msg_key), row.state]));
}

async function forget(
  db: Queryable,
  account: RecentSendOrder['account'],
  sends: readonly (readonly [string, NamedSend])[],
): Promise<void> {
  await db.query(FORGET, { account, ...columnsOf(sends) });
}

function columnsOf(sends: readonly (readonly [string, NamedSend])[]) {
  return { hashes: sends.map(([hash]) => hash), keys: sends.map(([, { msgKey }]) => msgKey) };
}
