/** The token of a named operator: what it looks like, how long it lives, what its owner may be called. */
import type { Role } from './role.ts';

/** Of the code in the link of an invitation: it is no token, and no token is one. */
export const INVITATION_PREFIX = 'bongsu_in_';
/** How long a link of an invitation works. */
export const INVITATION_HOURS = 72;
/** The prefix lets people and secret scanners recognise a token that got where it should not be. */
export const OPERATOR_TOKEN_PREFIX = 'bongsu_op_';
/** Of 32 letters: 160 bits. */
export const OPERATOR_TOKEN_LENGTH = 32;

export const DEFAULT_LIFETIME_DAYS = 90;
export const LONGEST_LIFETIME_DAYS = 366;
/** Tokens that can be used at the same time. */
export const MOST_OPERATOR_TOKENS = 1000;

export const OPERATOR_NAME_FORM =
  '1 to 64 letters, digits, blanks, dots, dashes, underscores or @, and not "admin"';

const LONGEST_NAME = 64;

/** The name that the log gives to whoever has the admin token. */
export const ADMIN_NAME = 'admin';

export interface OperatorToken {
  readonly id: string;
  /** No two tokens that can be used have the same. */
  readonly name: string;
  readonly role: Role;
  /** The token itself is never stored. Of the code of the invitation for whoever is invited. */
  readonly hash: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt: number;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  /** Of whoever is invited and has no token yet: how long it will live. `expiresAt` is the end of the invitation then. */
  readonly lifetimeDays: number | undefined;
}

export const OPERATOR_TOKEN_STATES = ['invited', 'active', 'expired', 'revoked'] as const;
export type OperatorTokenState = (typeof OPERATOR_TOKEN_STATES)[number];

export function stateOf(
  { revokedAt, expiresAt, lifetimeDays }: OperatorToken,
  now: number,
): OperatorTokenState {
  if (revokedAt !== undefined) return 'revoked';
  if (now >= expiresAt) return 'expired';
  return lifetimeDays === undefined ? 'active' : 'invited';
}

/** False for text that cannot be a token, which then need not be looked up. */
export function isOperatorToken(text: string): boolean {
  return /^bongsu_op_[0-9A-Z]{32}$/.test(text);
}

/** False for text that cannot be the code of an invitation. */
export function isInvitation(text: string): boolean {
  return /^bongsu_in_[0-9A-Z]{32}$/.test(text);
}

export function parseOperatorName(value: unknown): string | undefined {
  // One form for letters that look the same; what cannot be seen is not a letter.
  const name =
    typeof value === 'string' && value.length <= LONGEST_NAME * 4 ? value.normalize('NFKC').trim() : '';
  const isName = /^[\p{L}\p{N}._@-][\p{L}\p{M}\p{N}._@ -]{0,63}$/u.test(name);
  return isName && name.toLowerCase() !== ADMIN_NAME ? name : undefined;
}

export function isLifetime(days: unknown): days is number {
  return Number.isInteger(days) && Number(days) >= 1 && Number(days) <= LONGEST_LIFETIME_DAYS;
}
