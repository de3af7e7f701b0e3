/**
 * Builds what `npm pack` packs, into dist/: JavaScript made from src/ and client/, the migrations, and the console. Its folders
 * are those of the checkout, so that the program finds its files in the same places. Types were checked by `npm run check`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OUT = 'dist';
/** Modules that are named by a URL, such as those of threads. tsc rewrites only imports. */
const NAMED_BY_URL = /new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

rmSync(OUT, { recursive: true, force: true });
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.package.json'], { stdio: 'inherit' });

for (const path of globSync(`${OUT}/**/*.js`)) {
  const text = readFileSync(path, 'utf8');
  const rewritten = text.replace(NAMED_BY_URL, "new URL('$1.js', import.meta.url)");
  if (/['"`]\.[^'"`\n]*\.ts['"`]/.test(rewritten)) throw new Error(`${path} names a file of TypeScript`);
  if (rewritten !== text) writeFileSync(path, rewritten);
}
for (const path of globSync('src/**/*.sql')) copy(path);
if (!existsSync('console/dist/index.html'))
  throw new Error('the console is not built: npm run build:console');
copy('console/dist');
const { name, version, type } = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync(join(OUT, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);

function copy(path: string): void {
  mkdirSync(dirname(join(OUT, path)), { recursive: true });
  cpSync(path, join(OUT, path), { recursive: true });
}
