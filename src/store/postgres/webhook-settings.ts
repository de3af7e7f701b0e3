/** What is kept for the webhook of an account: its secrets, and whether it is switched off. */

import type { WebhookStore } from '../port/webhook-store.ts';
import { webhookOffOf, webhookSecretOf } from '../rows.ts';
import type { Database } from './database.ts';

const SECRETS = 'SELECT * FROM webhook_secret WHERE account = $1 ORDER BY created_at DESC, id DESC';

export function postgresWebhookSettings(
  db: Database,
): Pick<WebhookStore, 'switchOff' | 'switchOn' | 'findOff' | 'secrets' | 'addSecret'> {
  return {
    async switchOff(account, { url, reason, at }) {
      await db.as(account).query(
        `INSERT INTO webhook_off (account, url, reason, at) VALUES (:account, :url, :reason, :at)
         ON CONFLICT (account) DO UPDATE SET url = excluded.url, reason = excluded.reason, at = excluded.at`,
        { account, url, reason, at },
      );
    },
    async switchOn(account) {
      await db.as(account).query('DELETE FROM webhook_off WHERE account = $1', [account]);
    },
    async findOff(account) {
      const [row] = await db.as(account).query('SELECT * FROM webhook_off WHERE account = $1', [account]);
      return row && webhookOffOf(row);
    },
    async secrets(account) {
      return (await db.as(account).query(SECRETS, [account])).map(webhookSecretOf);
    },
    addSecret: (account, { id, sealed, createdAt }, { previousUntil, onlyFirst }) =>
      db.transaction(async tx => {
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
