/** What is kept for the webhook of an account: its secrets, whether it is switched off, and whether it keeps failing. */
import type { AccountId } from '../../domain/ids.ts';
import type { WebhookStore } from '../port/webhook-store.ts';
import { openCircuitOf, webhookOffOf, webhookSecretOf } from '../records/webhook-columns.ts';
import { lock, sql, type Tables, type Values } from './tables.ts';

type Settings = Pick<
  WebhookStore,
  | 'switchOff'
  | 'switchOn'
  | 'findOff'
  | 'setCircuit'
  | 'circuits'
  | 'countFailing'
  | 'forgetCircuits'
  | 'secrets'
  | 'addSecret'
>;

/** Whether the node of a circuit lives: PostgreSQL asks the table of nodes, SQLite has them in memory. */
export interface LivingNodes {
  readonly condition: string;
  readonly values: () => Values;
}

const SWITCH_OFF = `
  INSERT INTO webhook_off (account, url, reason, at) VALUES (:account, :url, :reason, :at)
  ON CONFLICT (account) DO UPDATE SET url = excluded.url, reason = excluded.reason, at = excluded.at`;
const SWITCH_ON = 'DELETE FROM webhook_off WHERE account = :account';
const FIND_OFF = 'SELECT * FROM webhook_off WHERE account = :account';

const PUT_CIRCUIT = `
  INSERT INTO webhook_circuit (account, node, opened_at, at, probe_at, failures, error)
  VALUES (:account, :node, :openedAt, :at, :probeAt, :failures, :error)
  ON CONFLICT (account, node) DO UPDATE
     SET opened_at = excluded.opened_at, at = excluded.at, probe_at = excluded.probe_at,
         failures = excluded.failures, error = excluded.error`;
const REMOVE_CIRCUIT = 'DELETE FROM webhook_circuit WHERE account = :account AND node = :node';

const SECRETS = 'SELECT * FROM webhook_secret WHERE account = :account ORDER BY created_at DESC, id DESC';
const LOCK_ACCOUNT = 'SELECT 1 FROM account WHERE id = :account FOR UPDATE';
const REMOVE_SECRETS_BEFORE = 'DELETE FROM webhook_secret WHERE account = :account AND id <> :newest';
const EXPIRE_SECRETS = 'UPDATE webhook_secret SET expires_at = :previousUntil WHERE account = :account';
const ADD_SECRET = `
  INSERT INTO webhook_secret (account, id, sealed, created_at) VALUES (:account, :id, :sealed, :createdAt)`;

const turnOf = (account: AccountId): string => `webhook ${account}`;

export function webhookSettingTable(tables: Tables, { condition, values }: LivingNodes): Settings {
  const circuits = `SELECT * FROM webhook_circuit WHERE account = :account AND ${condition} ORDER BY probe_at`;
  const forgetCircuits = `DELETE FROM webhook_circuit WHERE node = :node OR NOT ${condition}`;
  const countFailing = `
    SELECT count(*) AS failing
      FROM (SELECT account FROM webhook_circuit WHERE ${condition} UNION SELECT account FROM webhook_off) AS halted
     WHERE EXISTS (SELECT 1 FROM webhook_delivery AS d WHERE d.account = halted.account AND d.state = 'pending')`;
  return {
    async switchOff(account, off) {
      await tables.write(account, turnOf(account), () => sql(SWITCH_OFF, { account, ...off }));
    },
    async switchOn(account) {
      await tables.write(account, turnOf(account), () => sql(SWITCH_ON, { account }));
    },
    async findOff(account) {
      const [row] = await tables.read(account, FIND_OFF, { account });
      return row && webhookOffOf(row);
    },
    // Nodes and operators speak of it, accounts do not: it is not open to them.
    async setCircuit(account, node, circuit) {
      await tables.write(undefined, undefined, () =>
        circuit === undefined
          ? sql(REMOVE_CIRCUIT, { account, node })
          : sql(PUT_CIRCUIT, { account, node, ...circuit }),
      );
    },
    async circuits(account) {
      return (await tables.read(undefined, circuits, { account, ...values() })).map(openCircuitOf);
    },
    async countFailing() {
      const [row] = await tables.read(undefined, countFailing, values());
      return Number(row?.failing);
    },
    async forgetCircuits(node) {
      await tables.write(undefined, undefined, () => sql(forgetCircuits, { node, ...values() }));
    },
    async secrets(account) {
      return (await tables.read(account, SECRETS, { account })).map(webhookSecretOf);
    },
    addSecret: (account, { id, sealed, createdAt }, { previousUntil, onlyFirst }) =>
      tables.write(undefined, turnOf(account), function* () {
        // Two nodes may make the first secret at the same time: the row of the account lets one in after the other.
        yield* lock(LOCK_ACCOUNT, { account });
        const [newest] = (yield* sql(SECRETS, { account })).map(webhookSecretOf);
        if (newest && onlyFirst) return false;
        if (newest) {
          yield* sql(REMOVE_SECRETS_BEFORE, { account, newest: newest.id });
          yield* sql(EXPIRE_SECRETS, { account, previousUntil });
        }
        yield* sql(ADD_SECRET, { account, id, sealed, createdAt });
        return true;
      }),
  };
}
