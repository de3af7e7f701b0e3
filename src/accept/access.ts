/** Who is calling: tokens for credentials, accounts for tokens. */
import type { Account } from '../domain/account/account.ts';
import { type AddressRange, isWithin, parseAddressRange } from '../domain/account/addresses.ts';
import { type AccountId, BASE32, parseAccountId, timeOfPrefix, timePrefix } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { Limiter } from '../platform/limiter.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Soon } from '../platform/soon.ts';
import type { Rate } from '../platform/token-bucket.ts';
import type { Store, TokenRow } from '../store/store.ts';
import { createReadToken } from './given-token.ts';
import type { CheckPassword } from './password-check.ts';

export interface IssuedToken {
  readonly schema: 'Bearer';
  readonly token: string;
  readonly expiresAt: number;
}

export interface TokenClient {
  readonly address: string;
  /** False when the client has gone. */
  isWanted(): boolean;
}

export interface Access {
  issueToken(id: string, password: string, client: TokenClient): Promise<IssuedToken | Problem>;
  /** The account behind an `Authorization` header, if it may be used from the address. */
  authenticate(authorization: string | undefined, address: string): Soon<Account | Problem>;
  /** Whose token the header holds, if this process has seen the token before; not whether it is still valid. */
  recognise(authorization: string | undefined): AccountId | undefined;
}

const SECRET_LENGTH = 32;
const REMEMBERED_TOKENS = 50_000;
/** Where there are other nodes. */
const REMEMBERED_MS = 60_000;
/** Few enough that deleting them does not hold up other calls. */
const MOST_ROOM_AT_ONCE = 100;

export function createAccess(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly limiter: Limiter;
  readonly events: Events;
  readonly checkPassword: CheckPassword;
  readonly tokenLifetimeMs: number;
  readonly tokenRate: Rate;
  /** Tokens that an account may have at the same time, unless its settings say otherwise. */
  readonly tokensPerAccount: number;
  /** Nodes that issue tokens of the same accounts. */
  readonly nodes: () => number;
}): Access {
  const {
    store,
    clock,
    random,
    limiter,
    events,
    checkPassword,
    tokenLifetimeMs,
    tokenRate,
    tokensPerAccount,
    nodes,
  } = deps;
  /** Rows by the hash of their token: keys are short, and one token has one key however its header is spelled. */
  const remembered = new Map<string, { readonly row: TokenRow; readonly readAt: number }>();
  const read = createReadToken();
  /** Per account: how many tokens can still be issued before the oldest have to go, and by which limit. */
  const room = new Map<AccountId, { readonly limit: number; readonly left: number }>();
  /** By the list as it came with its account: a change brings another one. */
  const ranges = new WeakMap<readonly string[], readonly AddressRange[]>();

  return { issueToken, authenticate, recognise };

  async function issueToken(
    id: string,
    password: string,
    client: TokenClient,
  ): Promise<IssuedToken | Problem> {
    const accountId = parseAccountId(id);
    const account = accountId && (await store.accounts.find(accountId));
    // Before anything is computed, so that it does not depend on the password. Guesses from elsewhere cost nothing.
    const elsewhere = account && addressProblem(account, client.address);
    if (elsewhere) {
      events.tokenRefused(client.address, elsewhere.code);
      return elsewhere;
    }
    const check = await checkPassword({ account, id, password, ...client });
    if (check instanceof Problem) {
      events.tokenRefused(client.address, check.code);
      return check;
    }
    if (check.blocked) return new Problem('A110');
    const flood = await limiter.take(`token ${check.id}`, tokenRate);
    if (flood) return new Problem('A020', 'Too many token requests: reuse a token while it is valid', flood);

    const now = clock.now();
    const token = timePrefix(now) + random.characters(SECRET_LENGTH, BASE32);
    const expiresAt = now + tokenLifetimeMs;
    // The epoch of the account as its password was checked: if the password has changed since, the token is not valid.
    await store.tokens.add({ hash: sha256(token), account: check.id, expiresAt, epoch: check.tokenEpoch });
    await endOldest(check);
    events.tokenIssued(check.id);
    return { schema: 'Bearer', token, expiresAt };
  }

  /**
   * Now and then, because the store has to walk over all tokens of the account to find the oldest. After a token was added:
   * of several that are added at once, the last to come here sees them all.
   */
  async function endOldest({ id, settings }: Account): Promise<void> {
    const limit = settings.tokenLimit ?? tokensPerAccount;
    const known = room.get(id);
    const left = known?.limit === limit ? known.left : 0;
    const atOnce = Math.min(MOST_ROOM_AT_ONCE, Math.ceil(limit / 10));
    // The room that is made is for all nodes: each uses its part before it makes more.
    const part = Math.max(1, Math.floor(atOnce / nodes()));
    room.set(id, { limit, left: (left > 0 ? left : part) - 1 });
    if (left > 0) return;
    const ended = await store.tokens.trim(id, limit - atOnce + 1, 2 * MOST_ROOM_AT_ONCE);
    for (const hash of ended) remembered.delete(hash);
  }

  function authenticate(authorization: string | undefined, address: string): Soon<Account | Problem> {
    const row = findToken(authorization);
    return row instanceof Promise ? row.then(found => holderOf(found, address)) : holderOf(row, address);
  }

  function holderOf(row: TokenRow | Problem, address: string): Soon<Account | Problem> {
    if (row instanceof Problem) return row;
    if (clock.now() >= row.expiresAt) return new Problem('A001');
    const account = store.accounts.find(row.account);
    return account instanceof Promise
      ? account.then(found => admitted(found, row, address))
      : admitted(account, row, address);
  }

  function admitted(account: Account | undefined, row: TokenRow, address: string): Account | Problem {
    if (account === undefined) return new Problem('A002');
    if (account.blocked) return new Problem('A110');
    // Our choice: a token that was revoked is as one that never was.
    if (row.epoch !== account.tokenEpoch) return new Problem('A002');
    return addressProblem(account, address) ?? account;
  }

  function addressProblem({ settings }: Account, address: string): Problem | undefined {
    const { addresses } = settings;
    if (addresses.length === 0) return undefined;
    let allowed = ranges.get(addresses);
    if (!allowed) {
      // They were checked when they were set. What cannot be read allows nothing.
      allowed = addresses.map(parseAddressRange).filter(range => typeof range === 'object');
      ranges.set(addresses, allowed);
    }
    return isWithin(allowed, address)
      ? undefined
      : new Problem('A111', `The account cannot be used from ${address.slice(0, 64)}`);
  }

  function recognise(authorization: string | undefined): AccountId | undefined {
    const given = read(authorization);
    return given && remembered.get(given.hash)?.row.account;
  }

  function findToken(authorization: string | undefined): Soon<TokenRow | Problem> {
    const given = read(authorization);
    if (given === undefined) return new Problem('A002');
    const { token, hash } = given;
    const known = remembered.get(hash);
    const now = clock.monotonic();
    // Another node may have ended it, because the account had too many.
    if (known && (now - known.readAt < REMEMBERED_MS || nodes() === 1)) return known.row;
    return readToken(token, hash, now);
  }

  async function readToken(token: string, hash: string, now: number): Promise<TokenRow | Problem> {
    const row = await store.tokens.find(hash);
    if (row === undefined) {
      remembered.delete(hash);
      return new Problem(isPastLifetime(token) ? 'A001' : 'A002');
    }
    remember(row, now);
    return row;
  }

  function remember(row: TokenRow, readAt: number): void {
    remembered.delete(row.hash);
    const oldest = remembered.size >= REMEMBERED_TOKENS ? remembered.keys().next() : undefined;
    if (oldest && !oldest.done) remembered.delete(oldest.value);
    remembered.set(row.hash, { row, readAt });
  }

  /** A token holds the time of its issue, so an expired one is still answered as expired after its row was deleted. */
  function isPastLifetime(token: string): boolean {
    const issuedAt = token.length === 10 + SECRET_LENGTH ? timeOfPrefix(token) : undefined;
    return issuedAt !== undefined && issuedAt + tokenLifetimeMs <= clock.now();
  }
}
