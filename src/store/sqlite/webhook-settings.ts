/** What is kept for the webhook of an account: its secrets, whether it is switched off, and whether it keeps failing. */

import type { WebhookStore } from '../port/webhook-store.ts';
import { openCircuitOf, webhookOffOf, webhookSecretOf } from '../rows.ts';
import type { Database, Row } from './database.ts';
import type { Living } from './living.ts';

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

export function sqliteWebhookSettings(db: Database, living: Living): Settings {
  const putOff = db.prepare(
    'INSERT OR REPLACE INTO webhook_off (account, url, reason, at) VALUES (?, ?, ?, ?)',
  );
  const removeOff = db.prepare('DELETE FROM webhook_off WHERE account = ?');
  const selectOff = db.prepare('SELECT * FROM webhook_off WHERE account = ?');
  const putCircuit = db.prepare(
    `INSERT OR REPLACE INTO webhook_circuit (account, node, opened_at, at, probe_at, failures, error)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const removeCircuit = db.prepare('DELETE FROM webhook_circuit WHERE account = ? AND node = ?');
  const selectCircuits = db.prepare('SELECT * FROM webhook_circuit WHERE account = ? ORDER BY probe_at');
  const removeCircuits = db.prepare(
    'DELETE FROM webhook_circuit WHERE node = ?1 OR node NOT IN (SELECT value FROM json_each(?2))',
  );
  const countFailing = db.prepare(
    `SELECT count(*) AS failing
       FROM (SELECT account FROM webhook_circuit WHERE node IN (SELECT value FROM json_each(?))
              UNION SELECT account FROM webhook_off) AS halted
      WHERE EXISTS (SELECT 1 FROM webhook_delivery AS d WHERE d.account = halted.account AND d.state = 'pending')`,
  );
  const selectSecrets = db.prepare(
    'SELECT * FROM webhook_secret WHERE account = ? ORDER BY created_at DESC, id DESC',
  );
  const insertSecret = db.prepare(
    'INSERT INTO webhook_secret (account, id, sealed, created_at) VALUES (?, ?, ?, ?)',
  );
  const expire = db.prepare('UPDATE webhook_secret SET expires_at = ? WHERE account = ? AND id = ?');
  const remove = db.prepare('DELETE FROM webhook_secret WHERE account = ? AND id = ?');

  return {
    async switchOff(account, { url, reason, at }) {
      await db.write(() => putOff.run(account, url, reason, at));
    },
    async switchOn(account) {
      await db.write(() => removeOff.run(account));
    },
    async findOff(account) {
      const row = selectOff.get(account) as Row | undefined;
      return row && webhookOffOf(row);
    },
    async setCircuit(account, node, circuit) {
      await db.write(() => {
        if (circuit === undefined) return removeCircuit.run(account, node);
        const { openedAt, at, probeAt, failures, error } = circuit;
        return putCircuit.run(account, node, openedAt, at, probeAt, failures, error);
      });
    },
    async circuits(account) {
      return (selectCircuits.all(account) as Row[]).map(openCircuitOf);
    },
    async countFailing() {
      return Number((countFailing.get(JSON.stringify(living.names())) as Row).failing);
    },
    async forgetCircuits(node) {
      await db.write(() => removeCircuits.run(node, JSON.stringify(living.names())));
    },
    async secrets(account) {
      return (selectSecrets.all(account) as Row[]).map(webhookSecretOf);
    },
    addSecret: (account, { id, sealed, createdAt }, { previousUntil, onlyFirst }) =>
      db.write(() => {
        const [newest, ...older] = (selectSecrets.all(account) as Row[]).map(webhookSecretOf);
        if (newest && onlyFirst) return false;
        if (newest) expire.run(previousUntil, account, newest.id);
        for (const secret of older) remove.run(account, secret.id);
        insertSecret.run(account, id, sealed, createdAt);
        return true;
      }),
  };
}
