import type { LiveStep } from '../../domain/delivery/settlement.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { formatHistory } from '../history.ts';
import { ASIDE_CHANGES, BULK, CLAIMED, PUT_OFF, READY, SET_ASIDE, SINGLE } from '../phase.ts';
import type { ClaimOrder, QueueStore, SetAside } from '../port/queue-store.ts';
import { MESSAGE_VIEW } from '../records/message-columns.ts';
import type { Records } from '../records/records.ts';
import { setAsideOf } from '../records/set-aside-columns.ts';
import { asideEntryOf } from '../unreadable.ts';
import { awaitedReader } from './awaited.ts';
import type { Database, Row } from './database.ts';
import type { JobCounts } from './job-counts.ts';
import { LIVE_STEP, type LiveSteps } from './live-steps.ts';
import { overdueReader, stepKeyOf } from './overdue.ts';
import { parkedReaderOf } from './parked.ts';
import { queueHeads } from './queue-heads.ts';
import type { SettleInTransaction } from './settle.ts';

/**
 * Flows are read as text, and the largest are a thousand times as long as most: a claim ends early, after so many
 * characters, rather than hold up everybody else. Accounts share them.
 */
const MOST_READ_LENGTH = 256 * 1024;

export function sqliteQueue(
  db: Database,
  records: Records,
  steps: LiveSteps,
  counts: JobCounts,
  settle: SettleInTransaction,
  now: () => number,
): QueueStore {
  const { setAsideReason, setAsideEvent, unreadable } = records;
  const heads = queueHeads(db);
  const readyOf = 'carrier = ? AND account = ? AND rank = ?';
  // Found in the index alone.
  const selectReady = db.prepare(
    `SELECT msg_key FROM job WHERE phase = ${READY} AND ${readyOf} ORDER BY due_at LIMIT ?`,
  );
  const selectMovable = db.prepare(
    `SELECT msg_key FROM job WHERE phase = ${READY} AND ${readyOf} AND repeat_until IS NULL
      ORDER BY due_at LIMIT ?`,
  );
  const selectStep = db.prepare(`${LIVE_STEP} WHERE job.msg_key = ?`);
  const claimJob = db.prepare(
    `UPDATE job SET phase = ${CLAIMED}, state = 'submitting', attempt = ?, owner = ?, claim = ?, claimed_at = ?
      WHERE msg_key = ?`,
  );
  const hasDue = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM job WHERE phase = ${PUT_OFF} AND due_at <= ?) AS found`,
  );
  const selectDue = db.prepare(
    `SELECT msg_key FROM job WHERE phase = ${PUT_OFF} AND due_at <= ? ORDER BY due_at LIMIT ?`,
  );
  const selectPutOffAfter = db.prepare(
    `SELECT msg_key FROM job WHERE phase = ${PUT_OFF} AND claimed_at > ? ORDER BY due_at LIMIT ?`,
  );
  const leaveAside = db.prepare(`UPDATE job SET ${ASIDE_CHANGES} WHERE msg_key = ?`);
  const countReady = db.prepare(
    `SELECT count(*) AS steps FROM (SELECT 1 FROM job WHERE phase = ${READY} AND carrier = ? LIMIT ?)`,
  );
  const makeReady = db.prepare(`UPDATE job SET phase = ${READY} WHERE msg_key = ?`);
  const selectHeld = db.prepare(
    `SELECT msg_key, step, attempt, claim FROM job WHERE phase = ${CLAIMED} AND owner = ?
     UNION ALL
     SELECT msg_key, step, attempt, claim FROM job
      WHERE state = 'unknown' AND claim IN (SELECT value FROM json_each(?))
      LIMIT ?`,
  );
  const readOverdue = overdueReader(db, heads);
  const parkedReader = parkedReaderOf(db, records);
  const selectDoubtful = db.prepare(`${LIVE_STEP} WHERE job.state = 'unknown' ORDER BY job.msg_key LIMIT ?`);
  const appendHistory = db.prepare('UPDATE message SET history = history || ? WHERE msg_key = ?');
  const insertSetAside = db.prepare(
    'INSERT INTO set_aside (id, at, reason, event, stored_row) VALUES (?, ?, ?, ?, ?)',
  );
  const lastAside = db.prepare('SELECT coalesce(max(id), 0) AS id FROM set_aside');
  const hasSetAside = db.prepare('SELECT 1 FROM set_aside WHERE stored_row = ?');
  const selectSetAside = db.prepare('SELECT * FROM set_aside ORDER BY id DESC LIMIT ?');
  const selectRecipients = db.prepare(
    'SELECT * FROM carrier_ref WHERE carrier = ? AND ref = ? ORDER BY id DESC LIMIT 1000',
  );
  // CROSS JOIN keeps the order: the planner would walk all messages, to find the few that are on their way.
  const selectPeek = db.prepare(
    `SELECT ${MESSAGE_VIEW}
       FROM (SELECT * FROM job ORDER BY msg_key LIMIT ?) AS job
      CROSS JOIN message ON message.msg_key = job.msg_key
      CROSS JOIN request ON request.request_id = substr(job.msg_key, 1, 29)
      ORDER BY job.msg_key`,
  );

  function claim(order: ClaimOrder): LiveStep[] {
    const claimed: LiveStep[] = [];
    const mostLength = MOST_READ_LENGTH / order.shares.length;
    for (const { account, limit } of order.shares) {
      let left = limit;
      let length = 0;
      for (const rank of [SINGLE, BULK]) {
        const rows = (order.onlyMovable ? selectMovable : selectReady).all(
          order.carrier,
          account,
          rank,
          left,
        );
        for (const { msg_key } of rows as Row[]) {
          if (length >= mostLength) break;
          const inHand = steps.inHand(msg_key as MsgKey);
          const row = inHand ? undefined : (selectStep.get(msg_key ?? null) as Row | undefined);
          if (row) length += String(row.flow).length;
          const live = inHand ?? readStep(msg_key as MsgKey, row);
          if (live) claimed.push(claimStep(live, order));
          left--;
        }
      }
    }
    counts.move(claimed.length, READY, CLAIMED);
    return claimed;
  }

  function readStep(msgKey: MsgKey, row: Row | undefined): LiveStep | undefined {
    const [live] = unreadable.each('message', [row ?? { msg_key: msgKey }], each => {
      if (!row) throw new Error('it has a job and no contents');
      return records.liveStepOf(each);
    });
    if (live) return live;
    leaveAside.run(msgKey);
    counts.move(1, READY, SET_ASIDE);
    return undefined;
  }

  function claimStep(live: LiveStep, { owner, claim: id, now }: ClaimOrder): LiveStep {
    const attempt = live.attempt + 1;
    claimJob.run(attempt, owner, id, now, live.msgKey);
    const claimed: LiveStep = { ...live, state: 'submitting', attempt, claim: id };
    steps.keep(claimed);
    return claimed;
  }

  /** Must be called inside a transaction. */
  function keepAside({ at, reason, event }: SetAside, storedRow: string | null): void {
    const id = Number((lastAside.get() as Row).id) + 1;
    insertSetAside.run(
      id,
      at,
      setAsideReason.write(reason, { id }),
      setAsideEvent.write(event, { id }),
      storedRow,
    );
  }

  function release(rows: readonly Row[]): number {
    for (const { msg_key } of rows) makeReady.run(msg_key ?? null);
    counts.move(rows.length, PUT_OFF, READY);
    return rows.length;
  }

  unreadable.keepBy(async row => {
    const { reason, event, name } = asideEntryOf(row);
    await db.write(() => {
      if (hasSetAside.get(name) !== undefined) return;
      keepAside({ at: now(), reason, event }, name);
    });
  });

  return {
    claim: order => db.write(() => claim(order), rowsOf(order)),
    settle: (events, decide) => db.write(() => settle(events, decide), events.length),
    readyAccounts: async query => heads.readyAccounts(query),
    carriers: async () => heads.carriers(),
    overdue: async (at, limit) => readOverdue(at, limit),
    awaited: awaitedReader(db),
    async release({ now, putOffAfter, limit }) {
      // Called several times a second, mostly with nothing due: a look costs less than a transaction.
      if (putOffAfter !== undefined)
        return db.write(() => release(selectPutOffAfter.all(putOffAfter, limit) as Row[]));
      if ((hasDue.get(now) as Row).found !== 1) return 0;
      return db.write(() => release(selectDue.all(now, limit) as Row[]));
    },
    async held(owner, claims, limit) {
      return (selectHeld.all(owner, JSON.stringify(claims), limit) as Row[]).map(row => ({
        ...stepKeyOf(row),
        claim: row.claim === null ? undefined : String(row.claim),
      }));
    },
    ...parkedReader,
    async doubtful(limit) {
      return unreadable.each('message', selectDoubtful.all(limit) as Row[], row => ({
        ...records.liveStepOf(row),
        claimedAt: Number(row.claimed_at),
      }));
    },
    async note(msgKey, entry) {
      await db.write(() => appendHistory.run(formatHistory([entry]), msgKey));
    },
    async setAside({ at, reason, event }) {
      await db.write(() => keepAside({ at, reason, event }, null));
    },
    async listSetAside(limit) {
      return (selectSetAside.all(limit) as Row[]).map(row => setAsideOf(row, records));
    },
    async knownRefs(carrier, refs) {
      const known = new Map<string, string[]>();
      for (const ref of new Set(refs)) {
        const rows = selectRecipients.all(carrier, ref) as Row[];
        if (rows.length > 0)
          known.set(
            ref,
            rows.map(row =>
              unreadable.value('carrier_ref', row, () => records.carrierRef.to.read(row.recipient, row), ''),
            ),
          );
      }
      return known;
    },
    async countReady(carrier, most) {
      return Number((countReady.get(carrier, most) as Row).steps);
    },
    async depth() {
      const oldest = new Map<string, number>();
      for (const { carrier, dueAt } of heads.all()) {
        oldest.set(carrier, Math.min(dueAt, oldest.get(carrier) ?? dueAt));
      }
      const oldestReadyAt = oldest.size > 0 ? Math.min(...oldest.values()) : undefined;
      return { ...counts.read(), oldestReadyAt, heads: oldest };
    },
    async peek(limit) {
      return unreadable.each('message', selectPeek.all(limit) as Row[], records.messageViewOf);
    },
  };
}

function rowsOf({ shares }: ClaimOrder): number {
  return shares.reduce((sum, { limit }) => sum + limit, 0);
}
