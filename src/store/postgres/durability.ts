/**
 * Whether this server keeps what it has acknowledged: after a crash (fsync, full_page_writes, synchronous_commit), and
 * after a standby has taken over (commits wait for one).
 *
 * Without the rights of pg_read_all_stats a login sees that something streams, but not what: a base backup looks like a
 * standby. It then counts the slots of standbys, which everybody sees.
 */
import type { Durability, DurabilityRisk } from '../port/durability.ts';
import type { Queryable, Row } from './database.ts';

const FACTS = `
  SELECT current_setting('fsync') AS fsync,
         current_setting('full_page_writes') AS full_page_writes,
         current_setting('synchronous_commit') AS synchronous_commit,
         current_setting('synchronous_standby_names') AS synchronous_standby_names,
         pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees_standbys,
         (SELECT count(*) FROM pg_stat_replication
           WHERE state = 'streaming' AND application_name !~ '^(pg_basebackup|pg_receivewal|barman)') AS streaming,
         (SELECT count(*) FROM pg_replication_slots
           WHERE slot_type = 'physical' AND active AND NOT temporary) AS slots`;

const SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names'] as const;
/** A commit that waits for nobody's disk but the server's own. */
const WAITS_FOR_NO_STANDBY = ['off', 'local'];

export async function postgresDurability(db: Queryable): Promise<Durability> {
  const [row] = await db.query(FACTS);
  if (!row) throw new Error('PostgreSQL did not answer with its settings');
  return durabilityOf(row);
}

export function durabilityOf(row: Row): Durability {
  const seesStandbys = row.sees_standbys === true;
  const streaming = Number(seesStandbys ? row.streaming : row.slots);
  return {
    settings: Object.fromEntries(SETTINGS.map(name => [name, String(row[name])])),
    standbys: seesStandbys ? streaming : undefined,
    risks: [...crashRisks(row), ...standbyRisks(row, streaming, seesStandbys)],
  };
}

function crashRisks(row: Row): DurabilityRisk[] {
  const risks: DurabilityRisk[] = [];
  if (row.fsync !== 'on') {
    risks.push({
      setting: 'fsync',
      value: String(row.fsync),
      risk: 'If the machine of PostgreSQL crashes, accepted messages may be lost and the database may be damaged.',
      advice: 'On the server: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();',
    });
  }
  if (row.full_page_writes !== 'on') {
    risks.push({
      setting: 'full_page_writes',
      value: String(row.full_page_writes),
      risk: 'If the machine of PostgreSQL crashes, pages may be damaged and accepted messages may be lost.',
      advice: 'On the server: ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf();',
    });
  }
  if (row.synchronous_commit === 'off') {
    risks.push({
      setting: 'synchronous_commit',
      value: 'off',
      risk: 'If PostgreSQL crashes, the messages that were accepted last are lost.',
      advice: 'Remove synchronous_commit from BONGSU_DATABASE_URL, the role and the database.',
    });
  }
  return risks;
}

function standbyRisks(row: Row, standbys: number, seesStandbys: boolean): DurabilityRisk[] {
  if (standbys === 0) return [];
  if (row.synchronous_standby_names === '') {
    return [
      {
        setting: 'synchronous_standby_names',
        value: '',
        risk: 'Commits do not wait for any standby: accepted messages may be lost in a failover.',
        advice: seesStandbys
          ? "Set synchronous_standby_names, for example to 'ANY 1 (*)', or synchronous_mode in Patroni."
          : "Set synchronous_standby_names, for example to 'ANY 1 (*)', or synchronous_mode in Patroni. If the replication slots do not belong to standbys: GRANT pg_read_all_stats to the role of the gateway, which sees only the slots now.",
      },
    ];
  }
  if (!WAITS_FOR_NO_STANDBY.includes(String(row.synchronous_commit))) return [];
  return [
    {
      setting: 'synchronous_commit',
      value: String(row.synchronous_commit),
      risk: 'Commits do not wait for any standby: accepted messages may be lost in a failover.',
      advice: 'Remove synchronous_commit from BONGSU_DATABASE_URL, the role and the database.',
    },
  ];
}
