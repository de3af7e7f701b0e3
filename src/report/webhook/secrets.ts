/**
 * The secrets that sign an account's webhooks. The newest signs; the one before it stays valid for a day after a
 * rotation, and every call is signed with both, so that a receiver can change over whenever it likes.
 *
 * What must never happen: a secret in the clear anywhere but in the answer to the rotation that made it.
 */
import { type AccountId, BASE32, timePrefix } from '../../domain/ids.ts';
import { OVERLAP_HOURS } from '../../domain/reports/webhook.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Store } from '../../store/store.ts';

export interface WebhookSecrets {
  /** Those valid now, newest first. An account without one gets its first. */
  active(account: AccountId): Promise<readonly string[] | Problem>;
  /** Why there can be no secrets at all. */
  keyProblem(): Problem | undefined;
  /** Creates a new one and returns it; it cannot be read again. */
  rotate(account: AccountId): Promise<string | Problem>;
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const HEX = '0123456789abcdef';
const ID_RANDOM = 6;
const OVERLAP_MS = OVERLAP_HOURS * 3_600_000;

const NO_KEY = new Problem(
  'A300',
  'BONGSU_SECRET_KEY is not set: with PostgreSQL, webhooks need it, with the same value on every node',
);
const WRONG_KEY = new Problem(
  'A300',
  'The secret of this webhook was encrypted with another BONGSU_SECRET_KEY: set that key again, or rotate the secret',
);

export function createWebhookSecrets(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  /** Called when it is needed: a gateway without webhooks creates no key. */
  readonly sealer: () => Sealer | undefined;
}): WebhookSecrets {
  const { store, clock, random, sealer } = deps;

  return {
    async active(account) {
      const sealing = sealer();
      if (!sealing) return NO_KEY;
      let rows = await store.webhooks.secrets(account);
      if (rows.length === 0) {
        await add(account, sealing, true);
        rows = await store.webhooks.secrets(account);
      }
      const valid = rows.filter(({ expiresAt }) => expiresAt === undefined || clock.now() < expiresAt);
      const [newest, ...older] = valid.map(({ id, sealed }) => sealing.open(sealed, contextOf(account, id)));
      // An older secret that another key sealed is left out: the rotation has replaced it.
      return newest === undefined ? WRONG_KEY : [newest, ...older.filter(secret => secret !== undefined)];
    },
    keyProblem: () => (sealer() ? undefined : NO_KEY),
    async rotate(account) {
      const sealing = sealer();
      return sealing ? add(account, sealing, false) : NO_KEY;
    },
  };

  async function add(account: AccountId, sealing: Sealer, onlyFirst: boolean): Promise<string> {
    // Later than the one before it, also in the same millisecond: their order decides which of them expire.
    const [newest] = await store.webhooks.secrets(account);
    const now = clock.now();
    const createdAt = Math.max(now, (newest?.createdAt ?? 0) + 1);
    const id = timePrefix(createdAt) + random.characters(ID_RANDOM, BASE32);
    const bytes = Buffer.from(random.characters(2 * SECRET_BYTES, HEX), 'hex');
    const secret = SECRET_PREFIX + bytes.toString('base64');
    const row = { id, sealed: sealing.seal(secret, contextOf(account, id)), createdAt };
    await store.webhooks.addSecret(account, row, { previousUntil: now + OVERLAP_MS, onlyFirst });
    return secret;
  }
}

function contextOf(account: AccountId, id: string): string {
  return `webhook ${account} ${id}`;
}
