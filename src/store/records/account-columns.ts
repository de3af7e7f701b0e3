import { type Account, completeSettings } from '../../domain/account/account.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { AccountUsage } from '../port/account-store.ts';
import type { AnyRow } from './columns.ts';

export function accountOf(row: AnyRow): Account {
  return {
    id: row.id as AccountId,
    passwordHash: String(row.password_hash),
    // SQLite has no booleans.
    blocked: row.blocked === true || row.blocked === 1,
    tokenEpoch: Number(row.token_epoch),
    createdAt: Number(row.created_at),
    settings: completeSettings(JSON.parse(String(row.settings))),
  };
}

/** An account that never had anything has no row of its own. */
export function usageOf(row: AnyRow): AccountUsage {
  return {
    forms: Number(row.forms ?? 0),
    reservations: Number(row.reservations ?? 0),
    reservationRecipients: Number(row.recipients ?? 0),
    reservationBytes: Number(row.bytes ?? 0),
    files: Number(row.files ?? 0),
    fileBytes: Number(row.file_bytes ?? 0),
    tokens: Number(row.tokens ?? 0),
  };
}
