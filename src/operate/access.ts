/**
 * Authentication of the operator: by the admin token, or by a session that was opened with it.
 *
 * A session is a random id in a cookie; the store keeps its hash, so every node knows it. It is valid as long as the
 * admin token does not change. A one-time code, printed in the terminal that started the sandbox, can be used once in
 * place of the token. What must never happen: the token of an account is accepted here, or secrets can be guessed
 * without limit.
 */
import type { KnownAddresses } from '../accept/known-addresses.ts';
import { BASE32 } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import { addressBlock } from '../platform/address-block.ts';
import type { Clock } from '../platform/clock.ts';
import { isSameSecret, sha256 } from '../platform/hashing.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Rate } from '../platform/token-bucket.ts';
import type { Store } from '../store/store.ts';

/** How the operator was authenticated. */
export type OperatorProof = 'token' | 'session';

export interface Session {
  readonly id: string;
  readonly expiresAt: number;
}

export interface OperatorAccess {
  /** By the Authorization header of a request, or else by the id in its session cookie. */
  authenticate(
    credentials: { readonly authorization?: string | undefined; readonly session?: string | undefined },
    address: string,
  ): Promise<OperatorProof | Problem>;
  signIn(
    credentials: { readonly token: string } | { readonly code: string },
    address: string,
  ): Promise<Session | Problem>;
  signOut(session: string): Promise<void>;
  /** A code that signs in once; it replaces an earlier one. */
  issueCode(): string;
}

/** The name under which the hash of a generated admin token is stored. */
export const ADMIN_TOKEN_HASH = 'adminTokenHash';

/** Failed attempts that are allowed to an address. Normal use makes none. */
const FAILED_ATTEMPTS: Rate = { ratePerSecond: 0.5, burst: 30 };
const SESSION_MS = 12 * 3_600_000;
const CODE_MS = 10 * 60_000;
const SECRET_LENGTH = 32;
const LONGEST_SECRET = 256;

export function createOperatorAccess(deps: {
  readonly store: Pick<Store, 'accounts' | 'sessions'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly limiter: RateLimiter;
  readonly events: Pick<Events, 'operatorRefused'>;
  readonly addresses: KnownAddresses;
  readonly adminToken: string | undefined;
}): OperatorAccess {
  const { store, clock, random, limiter, events, addresses } = deps;
  let oneTime: { readonly hash: string; readonly expiresAt: number } | undefined;

  return {
    async authenticate({ authorization, session }, address) {
      if (authorization !== undefined) {
        const token = /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
        return limited(address, async () => ((await isAdminToken(token)) ? 'token' : undefined));
      }
      // Not limited: nobody guesses one of 2^160 ids, and a page whose session has expired keeps asking.
      return session !== undefined && (await isSession(session)) ? 'session' : new Problem('A002');
    },
    async signIn(credentials, address) {
      return limited(address, async () => {
        const isRight =
          'token' in credentials ? await isAdminToken(credentials.token) : takeCode(credentials.code);
        return isRight ? openSession(deps) : undefined;
      });
    },
    async signOut(session) {
      await store.sessions.remove(sha256(session));
    },
    issueCode() {
      const code = random.characters(SECRET_LENGTH, BASE32);
      oneTime = { hash: sha256(code), expiresAt: clock.monotonic() + CODE_MS };
      return code;
    },
  };

  /**
   * Checks a secret, unless this address has failed too often. A place is taken before anything is awaited, so that
   * attempts in parallel count; an address from which the operator has come before is never made to wait for others.
   */
  async function limited<T>(address: string, check: () => Promise<T | undefined>): Promise<T | Problem> {
    const block = addressBlock(address);
    const key = `guess operator ${block}`;
    const isOver = limiter.take(key, FAILED_ATTEMPTS) !== undefined;
    if (isOver && !(await isOwnAddress(block))) return tooMany();
    const found = await check();
    if (found === undefined) {
      events.operatorRefused(address);
      return isOver ? tooMany() : new Problem('A002');
    }
    if (!isOver) limiter.giveBack(key);
    const secretHash = await expectedHash(deps);
    if (secretHash !== undefined) await addresses.remember({ id: '', secretHash }, block);
    return found;
  }

  async function isOwnAddress(block: string): Promise<boolean> {
    const secretHash = await expectedHash(deps);
    return secretHash !== undefined && addresses.isKnown({ id: '', secretHash }, block);
  }

  async function isAdminToken(token: string | undefined): Promise<boolean> {
    if (token === undefined || token.length > LONGEST_SECRET) return false;
    const hash = await expectedHash(deps);
    return hash !== undefined && isSameSecret(sha256(token), hash);
  }

  async function isSession(id: string): Promise<boolean> {
    const row = id.length > LONGEST_SECRET ? undefined : await store.sessions.find(sha256(id));
    if (!row || row.expiresAt <= clock.now()) return false;
    const hash = await expectedHash(deps);
    return hash !== undefined && row.authority === sha256(hash);
  }

  function takeCode(code: string): boolean {
    const isRight =
      oneTime !== undefined &&
      clock.monotonic() < oneTime.expiresAt &&
      isSameSecret(sha256(code), oneTime.hash);
    if (isRight) oneTime = undefined;
    return isRight;
  }
}

function tooMany(): Problem {
  return new Problem('A020', 'Too many failed attempts: wait before trying again', { retryAfterSeconds: 5 });
}

interface Authority {
  readonly store: Pick<Store, 'accounts' | 'sessions'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly adminToken: string | undefined;
}

/**
 * Opens a session for an authenticated operator, or for a command with access to the store; undefined if there is no
 * admin token.
 */
export async function openSession(authority: Authority): Promise<Session | undefined> {
  const { store, clock, random } = authority;
  const hash = await expectedHash(authority);
  if (hash === undefined) return undefined;
  const session = { id: random.characters(SECRET_LENGTH, BASE32), expiresAt: clock.now() + SESSION_MS };
  await store.sessions.add({
    hash: sha256(session.id),
    authority: sha256(hash),
    expiresAt: session.expiresAt,
  });
  return session;
}

/** The hash of the admin token; undefined if none is set, and so nobody can be the operator. */
async function expectedHash({ adminToken, store }: Authority): Promise<string | undefined> {
  return adminToken ? sha256(adminToken) : store.accounts.recall(ADMIN_TOKEN_HASH);
}
