import { readFileSync } from 'node:fs';

/** The version of bongsu, from its package. */
export function readVersion(): string {
  const source = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(source) as { version: string };
  return version;
}
