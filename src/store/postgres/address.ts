/** From the address of the database to what the driver needs. */
import type { ClientConfig } from 'pg';

/** Members of the query that the driver reads itself. Every other is a run-time setting of PostgreSQL. */
const DRIVER_PARAMETERS =
  /^(host|port|user|password|dbname|database|client_encoding|sslmode|sslnegotiation|sslcert|sslkey|sslrootcert|sslcrl|sslpassword|ssl|uselibpqcompat|channel_binding|target_session_attrs|connect_timeout)$/;

/**
 * `settings` hold for every session, unless the address says otherwise. `sslmode` means what it means to psql: "require"
 * encrypts, and "verify-full" asks who is there.
 */
export function clientConfigOf(
  url: string,
  settings: Readonly<Record<string, string | number>>,
): ClientConfig {
  const address = URL.parse(url);
  // The text is not shown: there is a password in it.
  if (!address) throw new Error('the address of the database is not a URL');
  const options = Object.entries(settings).map(([name, value]) => optionOf(name, String(value)));
  for (const [name, value] of [...address.searchParams]) {
    if (DRIVER_PARAMETERS.test(name)) continue;
    address.searchParams.delete(name);
    // Later ones win.
    if (name === 'options') options.push(value);
    else if (name !== 'application_name') options.push(optionOf(name, value));
  }
  if (address.searchParams.has('sslmode')) address.searchParams.set('uselibpqcompat', 'true');
  return { connectionString: address.href, options: options.join(' ') };
}

function optionOf(name: string, value: string): string {
  return `-c ${name}=${value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ')}`;
}
