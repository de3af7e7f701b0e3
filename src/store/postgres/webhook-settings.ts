/** What is kept for the webhook of an account: its secrets, whether it is switched off, and whether it keeps failing. */

import type { AccountId } from '../../domain/ids.ts';
import type { WebhookStore } from '../port/webhook-store.ts';
import { openCircuitOf, webhookOffOf, webhookSecretOf } from '../rows.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';

const SECRETS = 'SELECT * FROM webhook_secret WHERE account = $1 ORDER BY created_at DESC, id DESC';

const NODE_LIVES =
  'EXISTS (SELECT FROM node WHERE node.id = webhook_circuit.node AND alive_until > clock_timestamp())';

const COUNT_FAILING = `
  SELECT count(*)::integer AS failing
    FROM (SELECT account FROM webhook_circuit WHERE ${NODE_LIVES} UNION SELECT account FROM webhook_off) AS halted
   WHERE EXISTS (SELECT FROM webhook_delivery AS d WHERE d.account = halted.account AND d.state = 'pending')`;

type Settings = Pick<
  WebhookStore,
  | 'switchOff'
  | 'switchOn'
  | 'findOff'
  | 'setCircuit'
  | 'circuits'
  | 'countFailing'
  | 'forgetCircuits'
  | 'secrets'
  | 'addSecret'
>;

const rowsOf = (account: AccountId): string => `webhook ${account}`;

export function postgresWebhookSettings(db: Database): Settings {
  return {
    async switchOff(account, { url, reason, at }) {
      await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(
          `INSERT INTO webhook_off (account, url, reason, at) VALUES (:account, :url, :reason, :at)
         ON CONFLICT (account) DO UPDATE SET url = excluded.url, reason = excluded.reason, at = excluded.at`,
          { account, url, reason, at },
        ),
      );
    },
    async switchOn(account) {
      await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query('DELETE FROM webhook_off WHERE account = $1', [account]),
      );
    },
    async findOff(account) {
      const [row] = await db.as(account).query('SELECT * FROM webhook_off WHERE account = $1', [account]);
      return row && webhookOffOf(row);
    },
    // Nodes and operators speak of it, accounts do not: it is not open to them.
    async setCircuit(account, node, circuit) {
      if (circuit === undefined) {
        await db.query('DELETE FROM webhook_circuit WHERE account = $1 AND node = $2', [account, node]);
        return;
      }
      await db.query(
        `INSERT INTO webhook_circuit (account, node, opened_at, at, probe_at, failures, error)
         VALUES (:account, :node, :openedAt, :at, :probeAt, :failures, :error)
         ON CONFLICT (account, node) DO UPDATE
            SET opened_at = excluded.opened_at, at = excluded.at, probe_at = excluded.probe_at,
                failures = excluded.failures, error = excluded.error`,
        { account, node, ...circuit },
      );
    },
    async circuits(account) {
      const rows = await db.query(
        `SELECT * FROM webhook_circuit WHERE account = $1 AND ${NODE_LIVES} ORDER BY probe_at`,
        [account],
      );
      return rows.map(openCircuitOf);
    },
    async countFailing() {
      const [row] = await db.query(COUNT_FAILING);
      return Number(row?.failing);
    },
    async forgetCircuits(node) {
      await db.query(`DELETE FROM webhook_circuit WHERE node = $1 OR NOT ${NODE_LIVES}`, [node]);
    },
    async secrets(account) {
      return (await db.as(account).query(SECRETS, [account])).map(webhookSecretOf);
    },
    addSecret: (account, { id, sealed, createdAt }, { previousUntil, onlyFirst }) =>
      lockingBriefly(db, db, rowsOf(account), async tx => {
        // Two nodes may make the first secret at the same time: the row of the account lets one in after the other.
        await tx.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [account]);
        const [newest] = (await tx.query(SECRETS, [account])).map(webhookSecretOf);
        if (newest && onlyFirst) return false;
        if (newest) {
          await tx.query('DELETE FROM webhook_secret WHERE account = $1 AND id <> $2', [account, newest.id]);
          await tx.query('UPDATE webhook_secret SET expires_at = $2 WHERE account = $1', [
            account,
            previousUntil,
          ]);
        }
        await tx.query(
          'INSERT INTO webhook_secret (account, id, sealed, created_at) VALUES (:account, :id, :sealed, :createdAt)',
          { account, id, sealed, createdAt },
        );
        return true;
      }),
  };
}
