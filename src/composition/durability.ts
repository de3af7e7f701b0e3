/** What a gateway does about a database that may lose what it acknowledged. */
import type { Config } from '../config/config.ts';
import type { Durability } from '../store/store.ts';

/** In production such a server is not used, unless the operator says that it is meant. */
export function isDurabilityRequired({
  mode,
  databaseDurability,
}: Pick<Config, 'databaseDurability' | 'mode'>): boolean {
  return mode === 'production' && databaseDurability === 'required';
}

/** Throws where the gateway must not start. */
export function assertDurability(
  config: Pick<Config, 'databaseDurability' | 'mode'>,
  { risks, settings }: Durability,
): void {
  // A sandbox too: the gateway itself turns it on, so somebody has turned it off for these very sessions.
  const isTurnedOff = settings.synchronous_commit === 'off' && config.databaseDurability === 'required';
  if (risks.length === 0 || !(isTurnedOff || isDurabilityRequired(config))) return;
  const lines = risks.map(
    ({ setting, value, risk, advice }) => `  ${setting} is ${value || 'empty'}: ${risk}\n    ${advice}`,
  );
  throw new Error(
    `the database may lose messages that were accepted:\n${lines.join('\n')}\n  To accept this, set BONGSU_DATABASE_DURABILITY=relaxed`,
  );
}
