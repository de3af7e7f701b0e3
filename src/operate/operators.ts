/**
 * Named operators: each has a token of his own, with a role, that expires and can be revoked. A token is shown once; the
 * store keeps its hash. Whoever has the admin token is an admin without being one of them.
 */
import { BASE32 } from '../domain/ids.ts';
import {
  MOST_OPERATOR_TOKENS,
  OPERATOR_TOKEN_LENGTH,
  OPERATOR_TOKEN_PREFIX,
  type OperatorToken,
  stateOf,
} from '../domain/operator/operator-token.ts';
import type { Role } from '../domain/operator/role.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';

export interface NewOperator {
  readonly name: string;
  readonly role: Role;
  readonly lifetimeDays: number;
}

export type OperatorView = ReturnType<typeof viewOf>;

export interface Operators {
  /** By name; those whose token has ended too. */
  list(): Promise<OperatorView[]>;
  /** The answer is the only place where the token can be read. */
  add(
    operator: NewOperator,
    createdBy: string,
  ): Promise<(OperatorView & { readonly token: string }) | Problem>;
  /** Ends the token and every session that was opened with it, on every node. */
  revoke(id: string): Promise<OperatorView | Problem>;
}

const ID_LENGTH = 12;
const DAY_MS = 86_400_000;

export function createOperators(deps: {
  readonly store: Pick<Store, 'operatorTokens'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
}): Operators {
  const { clock, random, formatTime } = deps;
  const { operatorTokens } = deps.store;
  const view = (token: OperatorToken) => viewOf(token, clock.now(), formatTime);

  return {
    async list() {
      return (await operatorTokens.list()).map(view);
    },
    async add({ name, role, lifetimeDays }, createdBy) {
      const secret = `${OPERATOR_TOKEN_PREFIX}${random.characters(OPERATOR_TOKEN_LENGTH, BASE32)}`;
      const createdAt = clock.now();
      const token: OperatorToken = {
        id: random.characters(ID_LENGTH, BASE32),
        name,
        role,
        hash: sha256(secret),
        createdAt,
        createdBy,
        expiresAt: createdAt + lifetimeDays * DAY_MS,
        revokedAt: undefined,
        lastUsedAt: undefined,
      };
      const result = await operatorTokens.add(token, MOST_OPERATOR_TOKENS);
      if (result === 'taken') return new Problem('A300', `There is an operator "${name}" already`);
      if (result === 'full') {
        return new Problem('A300', `There are ${MOST_OPERATOR_TOKENS} operators already: revoke one`);
      }
      return { ...view(token), token: secret };
    },
    async revoke(id) {
      const isRevoked = await operatorTokens.revoke(id, clock.now());
      const token = isRevoked ? await operatorTokens.find(id) : undefined;
      return token ? view(token) : new Problem('A300', 'There is no such operator', { status: 404 });
    },
  };
}

function viewOf(token: OperatorToken, now: number, formatTime: FormatTime) {
  const { id, name, role, createdBy } = token;
  const time = (at: number | undefined) => (at === undefined ? null : formatTime(at));
  return {
    id,
    name,
    role,
    state: stateOf(token, now),
    createdAt: formatTime(token.createdAt),
    createdBy,
    expiresAt: formatTime(token.expiresAt),
    revokedAt: time(token.revokedAt),
    lastUsedAt: time(token.lastUsedAt),
  };
}
