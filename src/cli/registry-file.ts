/**
 * A file of registry entries: a list of `{kind, …fields}`, as `registry list --json` writes it, or the same in YAML.
 */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { RegistryEntry } from '../domain/registry/registry.ts';
import { parseRegistryEntries } from '../domain/registry/registry-list.ts';
import { Failure, WrongUsage } from './failure.ts';

const MOST_SHOWN = 50;

/** All entries of the file; if any is wrong, a failure that lists every problem. */
export function readRegistryFile(file: string): readonly RegistryEntry[] {
  const { entries, problems } = parseRegistryEntries(readItems(file), entry => entry);
  if (problems.length === 0) return entries;
  const shown = problems
    .slice(0, MOST_SHOWN)
    .map(({ entry, problem }) => `entry ${entry}: ${problem.result}`);
  if (shown.length < problems.length) shown.push(`and ${problems.length - shown.length} more`);
  throw new Failure(`${file}: nothing was registered${shown.map(problem => `\n  ${problem}`).join('')}`);
}

function readItems(file: string): readonly unknown[] {
  const source = read(file);
  // YAML without numbers: 0212345678 and +1 stay as they are written.
  const document = file.endsWith('.json') ? undefined : parseDocument(source, { schema: 'failsafe' });
  const [error] = document?.errors ?? [];
  if (error) throw new Failure(`${file}: not valid YAML: ${error.message.split('\n', 1)[0]}`);
  const items: unknown = document ? document.toJS() : parseJson(source, file);
  if (!Array.isArray(items)) throw new Failure(`${file}: expected a list of entries`);
  return items;
}

function parseJson(source: string, file: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new Failure(`${file}: not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new WrongUsage(`cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
