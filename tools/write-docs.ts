/**
 * `npm run docs`: writes the parts of the documentation that come from tables in the code, between markers such as
 * `<!-- generated: settings -->` and `<!-- end -->`, and the API document with its ready collection. With `--check` it
 * only tells whether they are current.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { GENERATED_PATHS, render } from './generated-docs.ts';

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const path of GENERATED_PATHS) {
  const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const wanted = render(path, current);
  if (current === wanted) continue;
  stale.push(path);
  if (!isCheck) writeFileSync(path, wanted);
}
if (isCheck && stale.length > 0) {
  process.stderr.write(`not current: ${stale.join(', ')}; run "npm run docs"\n`);
  process.exitCode = 1;
}
