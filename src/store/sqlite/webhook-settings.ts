/** What is kept for the webhook of an account: its secrets, and whether it is switched off. */

import type { WebhookStore } from '../port/webhook-store.ts';
import { webhookOffOf, webhookSecretOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

export function sqliteWebhookSettings(
  db: Database,
): Pick<WebhookStore, 'switchOff' | 'switchOn' | 'findOff' | 'secrets' | 'addSecret'> {
  const putOff = db.prepare(
    'INSERT OR REPLACE INTO webhook_off (account, url, reason, at) VALUES (?, ?, ?, ?)',
  );
  const removeOff = db.prepare('DELETE FROM webhook_off WHERE account = ?');
  const selectOff = db.prepare('SELECT * FROM webhook_off WHERE account = ?');
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
