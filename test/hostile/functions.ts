/**
 * The functions of the folders below that take a text or a value from outside. One of a single text is called with each hostile
 * text as it is; what others need stands in `CALLS`. What never sees a stranger's text stands in `NOT_FED`, with the reason.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../src');
const FILES = [
  'domain/**/*.ts',
  'platform/*.ts',
  'carriers/**/*.ts',
  'http/*.ts',
  'http/operator/list-query.ts',
];

export interface OutsideFunction {
  /** File and name. */
  readonly name: string;
  readonly file: string;
  readonly exportName: string;
  /** A single parameter that is a text or anything at all. */
  readonly isOfOneText: boolean;
}

const DECLARED = /^export function\*? (\w+)(?:<[^(]*>)?\(([^{]*?)\)(?::|\s\{)/gms;
const FROM_OUTSIDE = /\b(string|unknown|Uint8Array|Buffer|Step|Flow|Words)\b/;
const ONE_TEXT = /^\s*\w+: (string|unknown|string \| undefined)\s*(,\s*\w+(: \w+)? = [^,]+)?,?\s*$/;

export function outsideFunctions(): OutsideFunction[] {
  const files = globSync(FILES, { cwd: ROOT }).filter(file => !file.endsWith('.test.ts'));
  return files.sort().flatMap(file => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return [...source.matchAll(DECLARED)]
      .filter(([, , parameters = '']) => FROM_OUTSIDE.test(parameters))
      .map(([, exportName = '', parameters = '']) => ({
        name: `${file} ${exportName}`,
        file: join(ROOT, file),
        exportName,
        isOfOneText: ONE_TEXT.test(parameters),
      }));
  });
}
