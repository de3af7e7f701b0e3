import type { MsgKey } from '../../domain/ids.ts';
import type { NotedKeys, RecentSendOrder, RecentSendStore } from '../port/recent-send-store.ts';
import { judge, type NamedSend, named } from '../recent-sends.ts';
import type { Records } from '../records/records.ts';
import type { Database, Queryable } from './database.ts';

// In the order of their names, so that two requests do not wait for each other. It waits for another that is just noting
// the same.
const NOTE = `
  INSERT INTO recent_send (account, hash, tag, msg_key, sent_at, expires_at)
  SELECT :account, hash, :tag, msg_key, :now, :now::bigint + :windowMs::bigint
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (hash, msg_key) ORDER BY hash
  ON CONFLICT DO NOTHING
  RETURNING msg_key`;

const EARLIER = `
  SELECT recent_send.*, CASE WHEN stored.found THEN 1 ELSE 0 END AS is_stored,
         CASE WHEN stored.state = 'failed' THEN 1 ELSE 0 END AS has_failed
    FROM recent_send
    LEFT JOIN LATERAL (
      SELECT true AS found, state FROM message WHERE message.msg_key = recent_send.msg_key LIMIT 1
    ) AS stored ON true
   WHERE recent_send.account = :account AND hash = ANY (:hashes::text[])
   ORDER BY hash FOR UPDATE OF recent_send`;

const TAKE_PLACE = `
  UPDATE recent_send SET tag = :tag, msg_key = sent.msg_key, sent_at = :now, expires_at = :now::bigint + :windowMs::bigint
    FROM unnest(:hashes::text[], :keys::text[]) AS sent (hash, msg_key)
   WHERE account = :account AND recent_send.hash = sent.hash`;

const FORGET = `
  DELETE FROM recent_send
   WHERE account = :account AND hash = ANY (:hashes::text[]) AND msg_key = ANY (:keys::text[])`;

export function postgresRecentSends(db: Database, records: Records): RecentSendStore {
  return {
    note: order => db.retrying(() => db.as(order.account).transaction(tx => note(tx, order, records))),
    async forget(account, sends) {
      const all = [...named(sends, records)];
      await db.as(account).query(FORGET, {
        account,
        hashes: all.map(([hash]) => hash),
        keys: all.map(([, { msgKey }]) => msgKey),
      });
    },
  };
}

async function note(tx: Queryable, order: RecentSendOrder, records: Records): Promise<NotedKeys> {
  const { account, tag, sends, now, windowMs } = order;
  const all = named(sends, records);
  const arrays = (list: readonly (readonly [string, NamedSend])[]) => ({
    ...{ account, tag, now, windowMs },
    hashes: list.map(([hash]) => hash),
    keys: list.map(([, { msgKey }]) => msgKey),
  });
  const noted = new Set((await tx.query(NOTE, arrays([...all]))).map(({ msg_key }) => String(msg_key)));
  // Those that were noted now are found under their names of other data keys only.
  const names = [...all.values()].flatMap(({ msgKey, hashes }) =>
    noted.has(msgKey) ? hashes.slice(1) : hashes,
  );
  const earlier = names.length > 0 ? await tx.query(EARLIER, { account, hashes: names }) : [];
  const verdicts = new Map(earlier.map(row => [String(row.hash), { row, verdict: judge(row, order) }]));
  const repeated = new Set(sends.map(({ msgKey }) => msgKey));
  const displaced = new Map<MsgKey, MsgKey>();
  const taken: [string, NamedSend][] = [];
  for (const [hash, send] of all) {
    const found = send.hashes.map(each => verdicts.get(each));
    const judged = (wanted: ReturnType<typeof judge>) => found.find(each => each?.verdict === wanted);
    if (judged('repeats')) continue;
    repeated.delete(send.msgKey);
    if (judged('isSame')) continue;
    if (!noted.has(send.msgKey)) taken.push([hash, send]);
    const displacing = judged('displaces');
    if (displacing) displaced.set(send.msgKey, String(displacing.row.msg_key) as MsgKey);
  }
  if (taken.length > 0) await tx.query(TAKE_PLACE, arrays(taken));
  return { repeated, displaced };
}
