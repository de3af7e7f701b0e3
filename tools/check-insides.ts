/** Fails on uses of what Node and the libraries do not document, and on exceptions that are no longer needed. */
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { ALLOWED, insidesIn } from './insides.ts';

const files = globSync('**/*.ts', { cwd: 'src' })
  .map(path => path.split(sep).join('/'))
  .filter(path => !path.endsWith('.test.ts'));
const needed = new Set<string>();
const problems: string[] = [];
for (const file of files) {
  for (const { what, line } of insidesIn(readFileSync(`src/${file}`, 'utf8'))) {
    if (Object.hasOwn(ALLOWED, file)) needed.add(file);
    else problems.push(`src/${file}:${line}: ${what}`);
  }
}
for (const file in ALLOWED)
  if (!needed.has(file)) problems.push(`${file} needs no exception in tools/insides.ts`);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`insides: ${files.length} files use what is documented, but ${needed.size}\n`);
}
