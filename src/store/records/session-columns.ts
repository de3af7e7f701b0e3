import type { SessionRow } from '../port/operator-store.ts';
import { bigint, type ColumnsOf, optional, readerOf, text } from './columns.ts';

/** Of the table `session`. */
export const SESSION_COLUMNS: ColumnsOf<SessionRow> = {
  hash: text('hash'),
  authority: text('authority'),
  operatorId: optional(text('operator_id')),
  openedAt: optional(bigint('opened_at')),
  usedAt: optional(bigint('used_at')),
  expiresAt: bigint('expires_at'),
  address: optional(text('address')),
  agent: optional(text('agent')),
};

export const sessionOf = readerOf(SESSION_COLUMNS);

/** After everything that begins with a text of base64url. */
export const LAST_SUFFIX = '~';
