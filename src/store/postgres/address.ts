/** From the address of the database to what the driver needs. */
import type { ClientConfig } from 'pg';

/** Members of the query that the driver reads itself. Every other is a run-time setting of PostgreSQL. */
const DRIVER_PARAMETERS =
  /^(host|port|user|password|dbname|database|client_encoding|sslmode|sslnegotiation|sslcert|sslkey|sslrootcert|sslcrl|sslpassword|ssl|uselibpqcompat|channel_binding|target_session_attrs|connect_timeout)$/;

export interface SessionConfig {
  /** For a server that we talk to ourselves: the settings are in its `options`. */
  readonly direct: ClientConfig;
  /** For a pooler, which refuses `options` or ignores them: a transaction begins with the settings. */
  readonly pooled: ClientConfig;
  readonly settings: readonly (readonly [name: string, value: string])[];
}

/**
 * `settings` hold for every session, unless the address says otherwise. `sslmode` means what it means to psql: "require"
 * encrypts, and "verify-full" asks who is there.
 */
export function sessionConfigOf(
  url: string,
  given: Readonly<Record<string, string | number>>,
): SessionConfig {
  const address = URL.parse(url);
  // The text is not shown: there is a password in it.
  if (!address) throw new Error('the address of the database is not a URL');
  const settings = Object.entries(given).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of [...address.searchParams]) {
    if (DRIVER_PARAMETERS.test(name)) continue;
    address.searchParams.delete(name);
    // Later ones win.
    if (name === 'options') settings.push(...settingsIn(value));
    else if (name !== 'application_name') settings.push([name, value]);
  }
  if (address.searchParams.has('sslmode')) address.searchParams.set('uselibpqcompat', 'true');
  const pooled = { connectionString: address.href };
  const options = settings.map(([name, value]) => optionOf(name, value)).join(' ');
  return { direct: { ...pooled, options }, pooled, settings };
}

/** `-c name=value`, as psql takes them. */
function settingsIn(options: string): [string, string][] {
  const found = [...options.matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])*)/g)];
  return found.map(([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]);
}

function optionOf(name: string, value: string): string {
  return `-c ${name}=${value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ')}`;
}
