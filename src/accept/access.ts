/** Who is calling: tokens for credentials, accounts for tokens. */
import { randomBytes } from 'node:crypto';
import type { Account } from '../domain/account/account.ts';
import { BASE32, parseAccountId, timeOfPrefix, timePrefix } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { hmacSha256, sha256 } from '../platform/hashing.ts';
import { hashOfNoPassword, verifyPassword } from '../platform/password.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Rate } from '../platform/token-bucket.ts';
import type { Store, TokenRow } from '../store/store.ts';

export interface IssuedToken {
  readonly schema: 'Bearer';
  readonly token: string;
  readonly expiresAt: number;
}

export interface Access {
  issueToken(id: string, password: string, address: string): Promise<IssuedToken | Problem>;
  /** The account behind an `Authorization` header. */
  authenticate(authorization: string | undefined): Promise<Account | Problem>;
}

/** Against guessing: how many failures one address may make, and how many an account may have from all addresses. */
const GUESSES_PER_ADDRESS: Rate = { ratePerSecond: 1, burst: 50 };
const GUESSES_PER_ACCOUNT: Rate = { ratePerSecond: 0.2, burst: 20 };

const SECRET_LENGTH = 32;
const LONGEST_TOKEN = 256;
const REMEMBERED_TOKENS = 50_000;

export function createAccess(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly limiter: RateLimiter;
  readonly events: Events;
  readonly tokenLifetimeMs: number;
  readonly tokenRate: Rate;
}): Access {
  const { store, clock, random, limiter, events, tokenLifetimeMs, tokenRate } = deps;
  const fastCheckKey = randomBytes(32);
  /** Per account: the stored hash that was verified, and a keyed digest of the password that it verified. */
  const verified = new Map<string, { readonly passwordHash: string; readonly digest: Buffer }>();
  /** Rows by the hash of their token: keys are short, and one token has one key however its header is spelled. */
  const remembered = new Map<string, TokenRow>();
  const hashOfUnknownAccount = hashOfNoPassword();

  return { issueToken, authenticate };

  async function issueToken(id: string, password: string, address: string): Promise<IssuedToken | Problem> {
    const accountId = parseAccountId(id);
    const account = accountId && (await store.accounts.find(accountId));
    const check = await checkPassword(account, id, password, address);
    if (check instanceof Problem) {
      events.tokenRefused(address, check.code);
      return check;
    }
    if (check.blocked) return new Problem('A110');
    const flood = limiter.take(`token ${check.id}`, tokenRate);
    if (flood) return new Problem('A020', 'Too many token requests: reuse a token while it is valid', flood);

    const now = clock.now();
    const token = timePrefix(now) + random.characters(SECRET_LENGTH, BASE32);
    const row = { hash: sha256(token), account: check.id, expiresAt: now + tokenLifetimeMs };
    await store.tokens.add(row);
    events.tokenIssued(check.id);
    return { schema: 'Bearer', token, expiresAt: row.expiresAt };
  }

  /**
   * The slow hash runs once for each account and process; after that a keyed digest decides, so that clients which
   * ask for a token before every call cost little, and guessing is limited where it is expensive.
   */
  async function checkPassword(
    account: Account | undefined,
    id: string,
    password: string,
    address: string,
  ): Promise<Account | Problem> {
    const digest = hmacSha256(fastCheckKey, `${id}\n${password}`);
    const known = account && verified.get(account.id);
    if (account && known?.passwordHash === account.passwordHash && known.digest.equals(digest))
      return account;

    if (
      limiter.isExhausted(`guess address ${address}`, GUESSES_PER_ADDRESS) ||
      limiter.isExhausted(`guess account ${id}`, GUESSES_PER_ACCOUNT)
    ) {
      return new Problem('A020', 'Too many failed token requests: wait before trying again', {
        retryAfterSeconds: 5,
      });
    }
    // An unknown account costs the same time as a wrong password, and so cannot be distinguished from it.
    const isRight = await verifyPassword(password, account?.passwordHash ?? hashOfUnknownAccount);
    if (account && isRight) {
      verified.set(account.id, { passwordHash: account.passwordHash, digest });
      return account;
    }
    limiter.take(`guess address ${address}`, GUESSES_PER_ADDRESS);
    limiter.take(`guess account ${id}`, GUESSES_PER_ACCOUNT);
    return new Problem('A100');
  }

  async function authenticate(authorization: string | undefined): Promise<Account | Problem> {
    const row = await findToken(authorization);
    if (row instanceof Problem) return row;
    if (clock.now() >= row.expiresAt) return new Problem('A001');
    const account = await store.accounts.find(row.account);
    if (account === undefined) return new Problem('A002');
    return account.blocked ? new Problem('A110') : account;
  }

  async function findToken(authorization = ''): Promise<TokenRow | Problem> {
    const token = /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
    if (token === undefined || token.length > LONGEST_TOKEN) return new Problem('A002');
    const hash = sha256(token);
    const row = remembered.get(hash) ?? (await store.tokens.find(hash));
    if (row === undefined) return new Problem(isPastLifetime(token) ? 'A001' : 'A002');
    if (!remembered.has(hash)) remember(row);
    return row;
  }

  function remember(row: TokenRow): void {
    const oldest = remembered.size >= REMEMBERED_TOKENS ? remembered.keys().next() : undefined;
    if (oldest && !oldest.done) remembered.delete(oldest.value);
    remembered.set(row.hash, row);
  }

  /** A token holds the time of its issue, so an expired one is still answered as expired after its row was deleted. */
  function isPastLifetime(token: string): boolean {
    const issuedAt = token.length === 10 + SECRET_LENGTH ? timeOfPrefix(token) : undefined;
    return issuedAt !== undefined && issuedAt + tokenLifetimeMs <= clock.now();
  }
}
