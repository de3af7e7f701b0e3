/**
 * The second wall between accounts. The first is the account in the WHERE of a statement; this one holds where that was
 * forgotten or is wrong.
 *
 * What is done for an account runs under a role of its own, for the length of one transaction: `db.as(account)`. The role
 * owns nothing, may touch the tables below and no others, and the policies of migration 0014 show it the rows of that
 * account only. Partitions cannot be reached by their own names. The gateway's own work (delivering, settling, upkeep,
 * operators) runs as the owner of the tables, whom policies do not hold: it costs nothing there, and a node of an older
 * version, psql and pg_dump work as before.
 *
 * Nothing is kept in the session, so that a pooler may stand in between.
 */
import type { Database } from './database.ts';
import { isSqlState } from './faults.ts';

export type RowSecurity = 'auto' | 'on' | 'off';

/** All that is done for an account, and no more. */
const GRANTS: Readonly<Record<string, string>> = {
  token: 'SELECT, INSERT, UPDATE, DELETE',
  request: 'SELECT, INSERT',
  message: 'SELECT, INSERT',
  job: 'SELECT, INSERT',
  idempotency: 'SELECT, INSERT',
  recent_send: 'SELECT, INSERT, UPDATE, DELETE',
  report: 'SELECT, UPDATE',
  report_queue: 'SELECT, INSERT, UPDATE, DELETE',
  report_batch: 'SELECT, INSERT, DELETE',
  inbound: 'SELECT, UPDATE',
  inbound_batch: 'SELECT, INSERT, DELETE',
  file: 'SELECT, INSERT',
  account_usage: 'SELECT',
  reservation: 'SELECT, INSERT, UPDATE',
  reservation_list: 'SELECT, INSERT, UPDATE, DELETE',
  form: 'SELECT, INSERT, UPDATE, DELETE',
  registry: 'SELECT, INSERT, UPDATE, DELETE',
  template_history: 'SELECT, INSERT, DELETE',
  opt_out: 'SELECT, INSERT, UPDATE',
  opt_out_list: 'SELECT, INSERT',
  webhook_delivery: 'SELECT, INSERT, UPDATE, DELETE',
  webhook_secret: 'SELECT',
  webhook_off: 'SELECT, INSERT, UPDATE, DELETE',
  // Which nodes are alive: a delivery that a living one holds is left alone.
  node: 'SELECT',
};

const SETUP_LOCK = 0x62_6f_6e_69;
const ATTEMPTS = 5;
const LONGEST_NAME = 63;
const SUFFIX = '_account';

const INSUFFICIENT_PRIVILEGE = '42501';
const NO_SUCH_ROLE = '22023';
const NO_SUCH_TABLE = '42P01';
/** Of two that set up the same at the same time, one is told so: already there, written twice, changed meanwhile. */
const RACES = ['42710', '23505', 'XX000'] as const;

const MISSING = `
  SELECT table_name, privileges
    FROM unnest($1::text[], $2::text[]) AS wanted (table_name, privileges)
   WHERE EXISTS (
     SELECT FROM string_to_array(privileges, ', ') AS list, unnest(list) AS privilege
      WHERE NOT has_table_privilege(table_name, privilege))`;

/**
 * Makes the role of accounts ready and uses it from now on. Resolves to why that cannot be, if it cannot; the first wall
 * then stands alone.
 */
export async function raiseWall(db: Database): Promise<string | undefined> {
  const [row] = await db.query('SELECT current_user AS owner');
  const owner = String(row?.owner);
  // Of the login, not of the installation: others on the same server must not be members of it.
  const role = `${owner.slice(0, LONGEST_NAME - SUFFIX.length)}${SUFFIX}`;
  for (let attempt = 1; ; attempt++) {
    try {
      if (!(await isReady(db, role))) {
        await setUp(db, role);
        if (!(await isReady(db, role))) return unreachable(role);
      }
      db.useAccountRole(role);
      return undefined;
    } catch (error) {
      if (isSqlState(error, INSUFFICIENT_PRIVILEGE)) return whyNot(role, owner);
      if (!isSqlState(error, ...RACES) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function isReady(db: Database, role: string): Promise<boolean> {
  try {
    return await db.transaction(async tx => {
      await tx.query(`SET LOCAL ROLE ${quoted(role)}`);
      return (await tx.query(MISSING, [Object.keys(GRANTS), Object.values(GRANTS)])).length === 0;
    });
  } catch (error) {
    // There is none yet, this login is not a member, or the schema is closed to it: `setUp` finds out.
    if (isSqlState(error, NO_SUCH_ROLE, INSUFFICIENT_PRIVILEGE, NO_SUCH_TABLE)) return false;
    throw error;
  }
}

function setUp(db: Database, role: string): Promise<void> {
  return db.transaction(async tx => {
    await tx.query(`SELECT pg_advisory_xact_lock(${SETUP_LOCK})`);
    const [known] = await tx.query(
      `SELECT (SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = $1) AS is_member,
              quote_ident(current_schema()) AS schema, current_user AS owner`,
      [role],
    );
    if (known?.is_member === null) await tx.query(`CREATE ROLE ${quoted(role)} NOLOGIN`);
    await tx.query(`GRANT USAGE ON SCHEMA ${known?.schema} TO ${quoted(role)}`);
    for (const [table, privileges] of Object.entries(GRANTS)) {
      await tx.query(`GRANT ${privileges} ON ${table} TO ${quoted(role)}`);
    }
    if (known?.is_member !== true) await tx.query(`GRANT ${quoted(role)} TO ${quoted(String(known?.owner))}`);
  });
}

function whyNot(role: string, owner: string): string {
  return (
    `${owner} cannot create or use the role ${role}; as a superuser: ` +
    `CREATE ROLE ${quoted(role)} NOLOGIN; GRANT ${quoted(role)} TO ${quoted(owner)};`
  );
}

/** "$user" in the search path is another schema for another role. */
function unreachable(role: string): string {
  return `${role} cannot see the tables: name their schema in the address of the database, as ?search_path=NAME`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
