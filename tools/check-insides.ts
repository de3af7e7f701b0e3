/** Fails on uses of what Node and the libraries do not document. */
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { insidesIn } from './insides.ts';

const files = globSync('**/*.ts', { cwd: 'src' })
  .map(path => path.split(sep).join('/'))
  .filter(path => !path.endsWith('.test.ts'));
const problems = files.flatMap(file =>
  insidesIn(readFileSync(`src/${file}`, 'utf8')).map(({ what, line }) => `src/${file}:${line}: ${what}`),
);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`insides: ${files.length} files use what is documented\n`);
}
