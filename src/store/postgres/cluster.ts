/**
 * What nodes share for a moment. A lease is one statement for all its budgets: an UPDATE sees the newest version of each row,
 * whatever other nodes do at the same time.
 */
import { rateShare } from '../../domain/delivery/rate-shares.ts';
import { looksSealed, type Vault } from '../../platform/vault.ts';
import { type BudgetAsk, type ClusterStore, MOST_SKEW_MS, NEWS_MS } from '../port/cluster-store.ts';
import { type Database, endsWhenIdle, LOOK_UP_SHARE, type Row } from './database.ts';

/** Budgets of one statement. */
const MOST_ASKS = 500;
const FORGET_CHUNK = 10_000;
/** Other starters of other programs take other numbers. */
const SHARE_LOCK = 0x62_6f_6e_73;
/** How long a node that is frozen keeps it: less than a share is used, so that the others do not run out of theirs. */
const IDLE_MS = 1_000;

const ELAPSED_MS = `CASE WHEN filled_at > :now::bigint + ${MOST_SKEW_MS} THEN 0 ELSE greatest(0, :now::bigint - filled_at) END`;
const LEVEL = `least(asked.burst, tokens + asked.returned + (${ELAPSED_MS}) * asked.rate / 1000)`;
const GRANTED = `CASE WHEN asked.most > 0 AND ${LEVEL} >= least(asked.least, asked.burst)
                      THEN greatest(asked.least, least(asked.most, ${LEVEL})) ELSE 0 END`;
const FILLED_AT = `CASE WHEN filled_at > :now::bigint + ${MOST_SKEW_MS} THEN :now::bigint ELSE greatest(:now::bigint, filled_at) END`;
const FULL_AT = `${FILLED_AT} + least(1e12, greatest(0, asked.burst - (${LEVEL}) + (${GRANTED})) * 1000 / asked.rate)::bigint`;

const ASKED = `
  unnest(:keys::text[], :rates::float8[], :bursts::float8[], :returned::float8[], :least::float8[], :most::float8[])
    AS asked (key, rate, burst, returned, least, most)`;
/** Locked in the order of their keys: the join would lock them as they lie on disk, and two nodes might wait for each other. */
const TAKE = `
  WITH locked AS MATERIALIZED (SELECT key FROM budget WHERE key = ANY (:keys::text[]) ORDER BY key FOR UPDATE)
  UPDATE budget SET tokens = (${LEVEL}) - (${GRANTED}), granted = ${GRANTED}, filled_at = ${FILLED_AT}, full_at = ${FULL_AT}
    FROM locked JOIN ${ASKED} ON asked.key = locked.key WHERE budget.key = locked.key
  RETURNING budget.key, granted, tokens`;
const MAKE = `
  INSERT INTO budget (key, tokens, filled_at, full_at, granted)
  SELECT key, burst, :now::bigint, :now::bigint, 0 FROM unnest(:keys::text[], :bursts::float8[]) AS new (key, burst)
  ON CONFLICT DO NOTHING`;
const FORGET = `
  DELETE FROM budget WHERE key = ANY (ARRAY(
    SELECT key FROM budget WHERE full_at < $1 LIMIT ${FORGET_CHUNK} FOR UPDATE SKIP LOCKED))`;
const OLD_NEWS = `DELETE FROM node_news WHERE told_at < clock_timestamp() - interval '${NEWS_MS} milliseconds'`;

/** After a loss nobody has a share until those that were given before have ended. */
const NOTE_LOSS = `
  INSERT INTO carrier_shares_kept
  SELECT clock_timestamp() + $1 * interval '1 millisecond' WHERE NOT EXISTS (SELECT FROM carrier_shares_kept)`;
const ARE_OLD_SHARES_USED =
  'SELECT EXISTS (SELECT FROM carrier_shares_kept WHERE since > clock_timestamp()) AS used';

const TAKE_DUTY = `
  INSERT INTO duty (name, node) VALUES (:duty, :node)
  ON CONFLICT (name) DO UPDATE SET node = excluded.node
   WHERE duty.node = excluded.node
      OR NOT EXISTS (SELECT FROM node WHERE node.id = duty.node AND alive_until > clock_timestamp())`;

/** News hold numbers. They last for seconds, so a change of the data key need not find them. */
const NEWS_COLUMN = 'node_news.news';

export function postgresCluster(db: Database, vault: Vault | undefined): ClusterStore {
  return {
    async lease(asks, now) {
      const granted = new Map<string, Row>();
      for (let start = 0; start < asks.length; start += MOST_ASKS) {
        const chunk = asks.slice(start, start + MOST_ASKS).sort(byKey);
        for (const row of await take(chunk, now)) granted.set(String(row.key), row);
      }
      return asks.map(({ key }) => {
        const row = granted.get(key);
        return { granted: Number(row?.granted ?? 0), left: Number(row?.tokens ?? 0) };
      });
    },
    async sweep(now) {
      await db.query(FORGET, [now]);
      await db.query(OLD_NEWS);
    },
    shareRates(node, ttlMs, wishes) {
      return db.retrying(() =>
        db.transaction(async tx => {
          await Promise.all([
            tx.query(endsWhenIdle(IDLE_MS)),
            tx.query(`SELECT pg_advisory_xact_lock(${SHARE_LOCK})`),
          ]);
          await tx.query(NOTE_LOSS, [ttlMs]);
          const [old] = await tx.query(ARE_OLD_SHARES_USED);
          if (old?.used === true) return new Map(wishes.map(({ carrier }) => [carrier, 0]));
          const rows = await tx.query(
            `SELECT carrier, wanted, share FROM carrier_share
              WHERE carrier = ANY (:carriers::text[]) AND node <> :node AND lasts_until > clock_timestamp()
                AND EXISTS (SELECT FROM node AS living WHERE living.id = node AND alive_until > clock_timestamp())`,
            { carriers: wishes.map(({ carrier }) => carrier), node },
          );
          const shares = wishes.map(({ carrier, rate, wanted }) => {
            const others = rows.filter(row => row.carrier === carrier);
            return rateShare(
              rate,
              wanted,
              others.map(row => ({ wanted: Number(row.wanted), share: Number(row.share) })),
            );
          });
          await tx.query(
            'DELETE FROM carrier_share WHERE lasts_until < clock_timestamp() OR (node = $1 AND NOT carrier = ANY ($2::text[]))',
            [node, wishes.map(({ carrier }) => carrier)],
          );
          await tx.query(
            `INSERT INTO carrier_share (carrier, node, wanted, share, lasts_until)
             SELECT carrier, :node, wanted, share, clock_timestamp() + :ttlMs * interval '1 millisecond'
               FROM unnest(:carriers::text[], :wanted::float8[], :shares::float8[]) AS wish (carrier, wanted, share)
             ON CONFLICT (carrier, node) DO UPDATE
                SET wanted = excluded.wanted, share = excluded.share, lasts_until = excluded.lasts_until`,
            {
              node,
              ttlMs,
              carriers: wishes.map(({ carrier }) => carrier),
              wanted: wishes.map(({ wanted }) => wanted),
              shares,
            },
          );
          return new Map(wishes.map(({ carrier }, index) => [carrier, shares[index] ?? 0]));
        }),
      );
    },
    async takeDuty(duty, node) {
      return (await db.query(TAKE_DUTY, { duty, node })).count === 1;
    },
    async leaveDuty(duty, node) {
      await db.query('DELETE FROM duty WHERE name = $1 AND node = $2', [duty, node]);
    },
    async tellNews(node, news) {
      if (news === undefined) {
        await db.query('DELETE FROM node_news WHERE node = $1', [node]);
        return;
      }
      await db.query(
        `INSERT INTO node_news (node, news, told_at) VALUES (:node, :news, clock_timestamp())
         ON CONFLICT (node) DO UPDATE SET news = excluded.news, told_at = excluded.told_at`,
        { node, news: vault ? vault.seal(news, NEWS_COLUMN, [node]) : news },
      );
    },
    async newsOfOthers(node) {
      const rows = await db.query(
        `SELECT node, news FROM node_news
          WHERE node <> $1 AND told_at > clock_timestamp() - interval '${NEWS_MS} milliseconds' ORDER BY node`,
        [node],
      );
      return rows.flatMap(row => {
        const news = opened(row);
        return news === undefined ? [] : [{ node: String(row.node), news }];
      });
    },
  };

  /** Undefined where this node cannot read them: it was not given the key of the other. */
  function opened({ node, news: stored }: Row): string | undefined {
    try {
      const news = vault ? vault.open(String(stored), NEWS_COLUMN, [String(node)]) : String(stored);
      return looksSealed(news) ? undefined : news;
    } catch {
      return undefined;
    }
  }

  /** Rows that are missing are made full, and asked again: seldom, and at most once unless they are forgotten in between. */
  async function take(asks: readonly BudgetAsk[], now: number): Promise<readonly Row[]> {
    const patience = { withinMs: db.timeoutMs * LOOK_UP_SHARE };
    const ask = (some: readonly BudgetAsk[]) =>
      db.retrying(() =>
        db.query(
          TAKE,
          {
            now,
            keys: some.map(({ key }) => key),
            rates: some.map(({ ratePerSecond }) => ratePerSecond),
            bursts: some.map(({ burst }) => burst),
            returned: some.map(({ returned }) => returned),
            least: some.map(({ least }) => least),
            most: some.map(({ most }) => most),
          },
          patience,
        ),
      );
    const rows = await ask(asks);
    const known = new Set(rows.map(row => row.key));
    const missing = asks.filter(({ key }) => !known.has(key));
    if (missing.length === 0) return rows;
    await db.query(
      MAKE,
      { now, keys: missing.map(({ key }) => key), bursts: missing.map(({ burst }) => burst) },
      patience,
    );
    return [...rows, ...(await ask(missing))];
  }
}

/** Two nodes that make the same budgets do so in the same order. */
function byKey(a: BudgetAsk, b: BudgetAsk): number {
  return a.key < b.key ? -1 : 1;
}
