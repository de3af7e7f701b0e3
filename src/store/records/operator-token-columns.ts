import type { OperatorToken } from '../../domain/operator/operator-token.ts';
import { bigint, type ColumnsOf, integer, optional, readerOf, text } from './columns.ts';

/** Of the table `operator_token`. */
export const OPERATOR_TOKEN_COLUMNS: ColumnsOf<OperatorToken> = {
  id: text('id'),
  name: text('name'),
  role: text('role'),
  hash: text('hash'),
  createdAt: bigint('created_at'),
  createdBy: text('created_by'),
  expiresAt: bigint('expires_at'),
  revokedAt: optional(bigint('revoked_at')),
  lastUsedAt: optional(bigint('last_used_at')),
  lifetimeDays: optional(integer('lifetime_days')),
};

export const operatorTokenOf = readerOf(OPERATOR_TOKEN_COLUMNS);
