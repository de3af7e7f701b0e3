/**
 * Authentication of operators: by the admin token, by the token of a named operator, or by a session that was opened with
 * one of them.
 *
 * A session is a random id in a cookie; the store keeps its hash, so every node knows it. It is valid as long as the
 * token that opened it: each call looks both up, so a token that is revoked is out with the next call, on every node. A
 * one-time code, printed in the terminal that started the sandbox, can be used once in place of the admin token. The code of
 * a link (`bongsu console-link`) signs in once too, on any node, as whoever made it; until then it is a row among the sessions,
 * which can be ended like one. The code
 * of an invitation is used once too: it gives a named operator his token, which only he sees. While the store is away, only
 * the admin token of the configuration is known to be right, and each node counts guesses by itself. What
 * must never happen: the token of an account is accepted here, or secrets can be guessed without limit.
 */
import type { KnownAddresses } from '../accept/known-addresses.ts';
import { BASE32 } from '../domain/ids.ts';
import {
  ADMIN_NAME,
  isInvitation,
  isOperatorToken,
  OPERATOR_TOKEN_LENGTH,
  OPERATOR_TOKEN_PREFIX,
  type OperatorToken,
  stateOf,
} from '../domain/operator/operator-token.ts';
import type { Role } from '../domain/operator/role.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import { addressBlock } from '../platform/address-block.ts';
import type { Clock } from '../platform/clock.ts';
import { isSameSecret, sha256 } from '../platform/hashing.ts';
import type { Limiter, Over } from '../platform/limiter.ts';
import type { Randomness } from '../platform/randomness.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import type { Rate } from '../platform/token-bucket.ts';
import type { SessionRow, Store } from '../store/store.ts';
import { StoreFault } from '../store/store-fault.ts';

/** Whose call it is. */
export interface Operator {
  /** Of a named operator; undefined for the admin token. */
  readonly id: string | undefined;
  readonly name: string;
  readonly role: Role;
  /** How he was authenticated. */
  readonly by: 'token' | 'session';
  /** Names his session; undefined if he used a token. */
  readonly sessionId: string | undefined;
}

/** Where a session is opened from. */
export interface Visitor {
  readonly address: string;
  /** What the browser calls itself. */
  readonly agent: string | undefined;
}

export interface Session {
  readonly id: string;
  readonly expiresAt: number;
  readonly operator: Operator;
}

export interface OperatorAccess {
  /** By the Authorization header of a request, or else by the id in its session cookie. */
  authenticate(
    credentials: { readonly authorization?: string | undefined; readonly session?: string | undefined },
    address: string,
  ): Promise<Operator | Problem>;
  signIn(
    credentials: { readonly token: string } | { readonly code: string },
    visitor: Visitor,
  ): Promise<Session | Problem>;
  signOut(session: string): Promise<void>;
  /** Accepts an invitation: the answer is the only place where the token can be read. */
  join(code: string, visitor: Visitor): Promise<Joined | Problem>;
  /** Newest first, those whose token is still valid: of everybody for an admin, otherwise his own. */
  sessions(operator: Operator): Promise<SessionView[]>;
  /** Ends one of these, on every node. */
  endSession(id: string, operator: Operator): Promise<SessionView | Problem>;
  /** A code that signs in once, at any node, as the operator himself. */
  issueLink(operator: Operator, visitor: Visitor): Promise<IssuedLink | Problem>;
  /** A code that signs in once; it replaces an earlier one. */
  issueCode(): { readonly code: string; readonly expiresAt: number };
}

export interface IssuedLink {
  readonly code: string;
  readonly expiresAt: number;
}

export interface Joined {
  readonly session: Session;
  readonly token: string;
  readonly tokenExpiresAt: number;
}

export interface SessionView {
  readonly id: string;
  /** Of the operator; "admin" for the admin token. */
  readonly name: string;
  readonly operatorId: string | undefined;
  readonly role: Role;
  readonly address: string | undefined;
  readonly agent: string | undefined;
  readonly openedAt: number | undefined;
  readonly usedAt: number | undefined;
  readonly expiresAt: number;
  /** Whether it is the one that asks. */
  readonly isOwn: boolean;
}

/** The name under which the hash of a generated admin token is stored. */
export const ADMIN_TOKEN_HASH = 'adminTokenHash';

const NOT_KNOWN_NOW =
  'The store does not answer, so only the admin token of the configuration is accepted: it reads /admin/v1/health and /admin/v1/doctor';
/** Failed attempts that are allowed to an address. Normal use makes none. */
const FAILED_ATTEMPTS: Rate = { ratePerSecond: 0.5, burst: 30 };
const SESSION_MS = 12 * 3_600_000;
/** Somewhat longer than the gateway keeps one stream of live events open. */
const COMMAND_SESSION_MS = 20 * 60_000;
const CODE_MS = 10 * 60_000;
/** Stands where sessions tell the browser. */
const UNUSED_LINK = 'a link that was not opened yet';
const SECRET_LENGTH = 32;
const LONGEST_SECRET = 256;
const LONGEST_AGENT = 200;
/** Characters of a session's hash that name it: enough to tell sessions apart, and of no use to anybody else. */
const SESSION_ID_LENGTH = 16;
/** Of one operator; the oldest end beyond that. */
const MOST_SESSIONS = 100;
const MOST_LISTED = 500;
const DAY_MS = 86_400_000;
/** How exactly it is known when a token was last used. */
const USED_MS = 60_000;

/** What an operator has shown to be right: a secret with this hash. */
interface Proof {
  /** Undefined for the admin token. */
  readonly token: OperatorToken | undefined;
  readonly secretHash: string;
}

export function createOperatorAccess(deps: {
  readonly store: Pick<Store, 'accounts' | 'operatorTokens' | 'sessions'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly limiter: Limiter;
  readonly events: Pick<Events, 'operatorRefused' | 'failed'>;
  readonly addresses: KnownAddresses;
  readonly adminToken: string | undefined;
}): OperatorAccess {
  const { store, clock, random, limiter, events, addresses } = deps;
  let oneTime: { readonly hash: string; readonly expiresAt: number } | undefined;
  const ownLimiter = new RateLimiter(clock);

  return {
    async authenticate({ authorization, session }, address) {
      try {
        if (authorization !== undefined) {
          const token = /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
          const proof = await limited(address, token, () => proofOf(token));
          return proof instanceof Problem ? proof : await seen(operatorOf(proof.token), proof.token);
        }
        // Not limited: nobody guesses one of 2^160 ids, and a page whose session has expired keeps asking.
        return (session !== undefined && (await ownerOf(session))) || new Problem('A002');
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
        events.failed('authenticate operator', error);
        return new Problem('A920', NOT_KNOWN_NOW, { retryAfterSeconds: 1 });
      }
    },
    async signIn(credentials, visitor) {
      const token = 'token' in credentials ? credentials.token : undefined;
      const proof = await limited(visitor.address, token, () =>
        'token' in credentials ? proofOf(credentials.token) : takeCode(credentials.code),
      );
      return proof instanceof Problem ? proof : openSessionBy(deps, proof, visitor);
    },
    async join(code, visitor) {
      const secret = `${OPERATOR_TOKEN_PREFIX}${random.characters(OPERATOR_TOKEN_LENGTH, BASE32)}`;
      const proof = await limited(visitor.address, undefined, () => acceptedWith(code, sha256(secret)));
      if (proof instanceof Problem) return proof;
      const session = await openSessionBy(deps, proof, visitor);
      return { session, token: secret, tokenExpiresAt: proof.token?.expiresAt ?? session.expiresAt };
    },
    async sessions(operator) {
      const rows = await store.sessions.list({
        now: clock.now(),
        limit: MOST_LISTED,
        ...(operator.role !== 'admin' && { operatorId: operator.id ?? '' }),
      });
      const tokens = new Map((await store.operatorTokens.list()).map(token => [token.id, token]));
      const adminHash = await expectedHash(deps);
      return rows.flatMap(row => {
        const token = row.operatorId === undefined ? undefined : tokens.get(row.operatorId);
        return isOpen(row, token, adminHash) ? viewOf(row, token, operator) : [];
      });
    },
    async endSession(id, operator) {
      const isId = /^[\w-]+$/.test(id) && id.length === SESSION_ID_LENGTH;
      const row = isId ? await store.sessions.findByPrefix(id) : undefined;
      const operatorId = row?.operatorId;
      const token = operatorId === undefined ? undefined : await store.operatorTokens.find(operatorId);
      const mayEnd = operator.role === 'admin' || operatorId === operator.id;
      if (!row || !mayEnd || !isOpen(row, token, await expectedHash(deps))) {
        return new Problem('A300', 'There is no such session', { status: 404 });
      }
      await store.sessions.remove(row.hash);
      return viewOf(row, token, operator);
    },
    async signOut(session) {
      await closeSession({ store }, session);
    },
    async issueLink(operator, visitor) {
      // Otherwise a session that was stolen could make itself new ones for ever.
      if (operator.by === 'session') {
        return new Problem('A300', 'A sign-in link needs a token; a session cannot create one', {
          status: 403,
        });
      }
      const proof = await ownProof(operator.id);
      return proof ? openLinkBy(deps, proof, visitor) : new Problem('A002');
    },
    issueCode() {
      const code = random.characters(SECRET_LENGTH, BASE32);
      oneTime = { hash: sha256(code), expiresAt: clock.monotonic() + CODE_MS };
      return { code, expiresAt: clock.now() + CODE_MS };
    },
  };

  /**
   * Checks a secret, unless this address has failed too often. A place is taken before anything is awaited, so that
   * attempts in parallel count; an address from which this operator has come before is never made to wait for others.
   */
  async function limited(
    address: string,
    token: string | undefined,
    check: () => Promise<Proof | undefined>,
  ): Promise<Proof | Problem> {
    const block = addressBlock(address);
    const key = `guess operator ${block}`;
    const taken = await takeAttempt(key);
    const isOver = taken.over !== undefined;
    if (isOver && !(await isOwnAddress(token, block))) return tooMany();
    const proof = await check().catch((error: unknown) => {
      // Nothing was learned about the secret.
      if (error instanceof StoreFault && !isOver) taken.from.giveBack(key);
      throw error;
    });
    if (proof === undefined) {
      events.operatorRefused(address);
      return isOver ? tooMany() : new Problem('A002');
    }
    if (!isOver) taken.from.giveBack(key);
    await addresses.remember(ownerWith(proof.secretHash), block);
    return proof;
  }

  /** Where the limit of all nodes cannot be asked, that of this node counts. */
  async function takeAttempt(
    key: string,
  ): Promise<{ readonly over: Over | undefined; readonly from: Limiter }> {
    try {
      return { over: await limiter.take(key, FAILED_ATTEMPTS), from: limiter };
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      return { over: await ownLimiter.take(key, FAILED_ATTEMPTS), from: ownLimiter };
    }
  }

  /** Of the operator whose token has this form: the answer is the same for all guesses at the admin token. */
  async function isOwnAddress(token: string | undefined, block: string): Promise<boolean> {
    const isNamed = token !== undefined && isOperatorToken(token);
    const secretHash = isNamed ? sha256(token) : await expectedHash(deps);
    return secretHash !== undefined && addresses.isKnown(ownerWith(secretHash), block);
  }

  async function proofOf(token: string | undefined): Promise<Proof | undefined> {
    if (token === undefined || token.length > LONGEST_SECRET) return undefined;
    const secretHash = sha256(token);
    const expected = await expectedHash(deps);
    if (expected !== undefined && isSameSecret(secretHash, expected)) return { token: undefined, secretHash };
    if (!isOperatorToken(token)) return undefined;
    const named = await store.operatorTokens.findByHash(secretHash);
    return named && isActive(named) ? { token: named, secretHash } : undefined;
  }

  async function ownerOf(sessionId: string): Promise<Operator | undefined> {
    if (sessionId.length > LONGEST_SECRET) return undefined;
    const session = await store.sessions.find(sha256(sessionId));
    if (!session || session.expiresAt <= clock.now()) return undefined;
    const { operatorId } = session;
    const token = operatorId === undefined ? undefined : await store.operatorTokens.find(operatorId);
    if (!isOpen(session, token, operatorId === undefined ? await expectedHash(deps) : undefined))
      return undefined;
    return seen(operatorOf(token, session), token, session);
  }

  /** Whether the token that opened a session is still valid. */
  function isOpen(
    { operatorId, authority }: SessionRow,
    token: OperatorToken | undefined,
    adminHash: string | undefined,
  ): boolean {
    const hash = operatorId === undefined ? adminHash : token && isActive(token) ? token.hash : undefined;
    return hash !== undefined && authority === sha256(hash);
  }

  async function acceptedWith(code: string, hash: string): Promise<Proof | undefined> {
    if (!isInvitation(code)) return undefined;
    const invitationHash = sha256(code);
    const now = clock.now();
    const days = (await store.operatorTokens.findByHash(invitationHash))?.lifetimeDays;
    if (days === undefined) return undefined;
    const expiresAt = now + days * DAY_MS;
    const token = await store.operatorTokens.accept(invitationHash, { hash, expiresAt }, now);
    return token && { token, secretHash: hash };
  }

  function isActive(token: OperatorToken): boolean {
    return stateOf(token, clock.now()) === 'active';
  }

  /** Notes when an operator was last here, about to the minute: he is who he is, also where that cannot be written. */
  async function seen(
    operator: Operator,
    token: OperatorToken | undefined,
    session?: SessionRow,
  ): Promise<Operator> {
    const now = clock.now();
    const isNoted = (last: number | undefined) => now - (last ?? 0) < USED_MS;
    try {
      if (token && !isNoted(token.lastUsedAt)) await store.operatorTokens.used(token.id, now);
      if (session && !isNoted(session.usedAt)) await store.sessions.used(session.hash, now);
    } catch (error) {
      events.failed('note that an operator was here', error);
    }
    return operator;
  }

  async function takeCode(code: string): Promise<Proof | undefined> {
    const isRight =
      oneTime !== undefined &&
      clock.monotonic() < oneTime.expiresAt &&
      isSameSecret(sha256(code), oneTime.hash);
    if (!isRight) return takeLink(code);
    oneTime = undefined;
    return adminProof(deps);
  }

  async function takeLink(code: string): Promise<Proof | undefined> {
    if (code.length > LONGEST_SECRET) return undefined;
    const row = await store.sessions.find(linkHash(code));
    if (!row || row.expiresAt <= clock.now()) return undefined;
    const proof = await ownProof(row.operatorId);
    // Whoever made it may have lost his token since.
    if (!proof || row.authority !== sha256(proof.secretHash)) return undefined;
    return (await store.sessions.remove(row.hash)) ? proof : undefined;
  }

  /** As if the token of this operator had been shown; undefined if it has ended. */
  async function ownProof(operatorId: string | undefined): Promise<Proof | undefined> {
    if (operatorId === undefined) return adminProof(deps);
    const token = await store.operatorTokens.find(operatorId);
    return token && isActive(token) ? { token, secretHash: token.hash } : undefined;
  }
}

function tooMany(): Problem {
  return new Problem('A020', 'Too many failed attempts: wait before trying again', { retryAfterSeconds: 5 });
}

function ownerWith(secretHash: string): { readonly id: ''; readonly secretHash: string } {
  return { id: '', secretHash };
}

function operatorOf(token: OperatorToken | undefined, session?: Pick<SessionRow, 'hash'>): Operator {
  const proof = { by: session ? 'session' : 'token', sessionId: session && sessionIdOf(session) } as const;
  return token
    ? { id: token.id, name: token.name, role: token.role, ...proof }
    : { id: undefined, name: ADMIN_NAME, role: 'admin', ...proof };
}

function sessionIdOf({ hash }: Pick<SessionRow, 'hash'>): string {
  return hash.slice(0, SESSION_ID_LENGTH);
}

function viewOf(row: SessionRow, token: OperatorToken | undefined, reader: Operator): SessionView {
  const { id: operatorId, name, role } = operatorOf(token);
  const { address, agent, openedAt, usedAt, expiresAt } = row;
  const id = sessionIdOf(row);
  return {
    ...{ id, name, operatorId, role, address, agent, openedAt, usedAt, expiresAt },
    isOwn: id === reader.sessionId,
  };
}

interface Authority {
  readonly store: Pick<Store, 'accounts' | 'sessions'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly adminToken: string | undefined;
}

/**
 * Opens a session for a command with access to the store; undefined if there is no admin token. The command closes it; one that
 * was killed leaves it for minutes, not for the hours of a console.
 */
export async function openSession(authority: Authority, visitor: Visitor): Promise<Session | undefined> {
  const proof = await adminProof(authority);
  return proof && openSessionBy(authority, proof, visitor, COMMAND_SESSION_MS);
}

export async function closeSession({ store }: Pick<Authority, 'store'>, id: string): Promise<void> {
  await store.sessions.remove(sha256(id));
}

/** The same, of a link to the console. */
export async function openLink(authority: Authority, visitor: Visitor): Promise<IssuedLink | undefined> {
  const proof = await adminProof(authority);
  return proof && openLinkBy(authority, proof, visitor);
}

async function openLinkBy(authority: Authority, proof: Proof, { address }: Visitor): Promise<IssuedLink> {
  const code = authority.random.characters(SECRET_LENGTH, BASE32);
  const visitor = { address, agent: UNUSED_LINK };
  const { expiresAt } = await addSession(authority, proof, visitor, {
    hash: linkHash(code),
    lifetimeMs: CODE_MS,
  });
  return { code, expiresAt };
}

/** Never that of a session's id: no cookie holds a line break, so a code is of no use as one. */
function linkHash(code: string): string {
  return sha256(`link\n${code}`);
}

async function openSessionBy(
  authority: Authority,
  proof: Proof,
  visitor: Visitor,
  lifetimeMs = SESSION_MS,
): Promise<Session> {
  const id = authority.random.characters(SECRET_LENGTH, BASE32);
  const session = await addSession(authority, proof, visitor, { hash: sha256(id), lifetimeMs });
  return { id, expiresAt: session.expiresAt, operator: operatorOf(proof.token, session) };
}

async function addSession(
  { store, clock }: Authority,
  { token, secretHash }: Proof,
  { address, agent }: Visitor,
  { hash, lifetimeMs }: { readonly hash: string; readonly lifetimeMs: number },
): Promise<SessionRow> {
  const openedAt = clock.now();
  const expiresAt = Math.min(openedAt + lifetimeMs, token?.expiresAt ?? Number.POSITIVE_INFINITY);
  const session: SessionRow = {
    hash,
    authority: sha256(secretHash),
    operatorId: token?.id,
    openedAt,
    usedAt: openedAt,
    expiresAt,
    address,
    // A header is what anybody sends.
    agent: agent?.replaceAll(/[^\x20-\x7e]/g, '').slice(0, LONGEST_AGENT),
  };
  await store.sessions.add(session, MOST_SESSIONS);
  return session;
}

async function adminProof(authority: Authority): Promise<Proof | undefined> {
  const secretHash = await expectedHash(authority);
  return secretHash === undefined ? undefined : { token: undefined, secretHash };
}

/** The hash of the admin token; undefined if none is set: then there are only named operators. */
async function expectedHash({
  adminToken,
  store,
}: Pick<Authority, 'adminToken' | 'store'>): Promise<string | undefined> {
  return adminToken ? sha256(adminToken) : store.accounts.recall(ADMIN_TOKEN_HASH);
}
