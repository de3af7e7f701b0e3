/**
 * Named operators: each has a token of his own, with a role, that expires and can be revoked. A token is shown once; the
 * store keeps its hash. Whoever is invited gets a link instead, and with it a token that nobody else has seen. Whoever has the admin token is an admin without being one of them.
 */
import { BASE32 } from '../domain/ids.ts';
import {
  DEFAULT_LIFETIME_DAYS,
  INVITATION_HOURS,
  INVITATION_PREFIX,
  MOST_OPERATOR_TOKENS,
  OPERATOR_TOKEN_LENGTH,
  OPERATOR_TOKEN_PREFIX,
  type OperatorToken,
  stateOf,
} from '../domain/operator/operator-token.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { operators as declared, OperatorView } from '../operations/operators.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import type { Handlers } from './perform.ts';

export type Operators = ReturnType<typeof createOperators>;

const ID_LENGTH = 12;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function createOperators(deps: {
  readonly store: Pick<Store, 'operatorTokens'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
}) {
  const { clock, random, formatTime } = deps;
  const { operatorTokens } = deps.store;
  const view = (token: OperatorToken) => viewOf(token, clock.now(), formatTime);

  return {
    async 'GET /operators'() {
      return { operators: (await operatorTokens.list()).map(view) };
    },
    async 'POST /operators'({ lifetimeDays = DEFAULT_LIFETIME_DAYS, ...operator }, { by }) {
      const token = secretWith(OPERATOR_TOKEN_PREFIX);
      const added = await insert({ ...operator, lifetimeDays: undefined }, token, lifetimeDays * DAY_MS, by);
      return added instanceof Problem ? added : { ...view(added), token };
    },
    async 'POST /invitations'({ lifetimeDays = DEFAULT_LIFETIME_DAYS, ...operator }, { by, gatewayUrl }) {
      const code = secretWith(INVITATION_PREFIX);
      const invited = await insert({ ...operator, lifetimeDays }, code, INVITATION_HOURS * HOUR_MS, by);
      if (invited instanceof Problem) return invited;
      // After the #: no browser sends it, so it is in the log of no proxy.
      return { ...view(invited), code, link: `${gatewayUrl}/console/#invite=${code}` };
    },
    async 'PATCH /operators/{operatorId}'({ operatorId: id, role }, { operatorId: own }) {
      if (id === own) return new Problem('A300', 'You cannot change your own role: ask another admin');
      const isSet = await operatorTokens.setRole(id, role);
      const token = isSet ? await operatorTokens.find(id) : undefined;
      return token ? view(token) : noSuchOperator();
    },
    async 'DELETE /operators/{operatorId}'({ operatorId: id }) {
      const isRevoked = await operatorTokens.revoke(id, clock.now());
      const token = isRevoked ? await operatorTokens.find(id) : undefined;
      return token ? view(token) : noSuchOperator();
    },
  } satisfies Handlers<OperationsOf<typeof declared>>;

  function secretWith(prefix: string): string {
    return `${prefix}${random.characters(OPERATOR_TOKEN_LENGTH, BASE32)}`;
  }

  async function insert(
    { name, role, lifetimeDays }: Pick<OperatorToken, 'name' | 'role' | 'lifetimeDays'>,
    secret: string,
    lifetimeMs: number,
    createdBy: string,
  ): Promise<OperatorToken | Problem> {
    const createdAt = clock.now();
    const token: OperatorToken = {
      id: random.characters(ID_LENGTH, BASE32),
      name,
      role,
      hash: sha256(secret),
      createdAt,
      createdBy,
      expiresAt: createdAt + lifetimeMs,
      revokedAt: undefined,
      lastUsedAt: undefined,
      lifetimeDays,
    };
    const result = await operatorTokens.add(token, MOST_OPERATOR_TOKENS);
    if (result === 'taken') return new Problem('A300', `There is an operator "${name}" already`);
    if (result === 'full') {
      return new Problem('A300', `There can be at most ${MOST_OPERATOR_TOKENS} operators: revoke one`);
    }
    return token;
  }
}

function noSuchOperator(): Problem {
  return new Problem('A300', 'There is no such operator', { status: 404 });
}

function viewOf(token: OperatorToken, now: number, formatTime: FormatTime): OperatorView {
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
