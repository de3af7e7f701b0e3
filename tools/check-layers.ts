/** Fails on an import against the layers. Cycles are Biome's business (noImportCycles). */
import { globSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { type Import, layerProblem } from './layers.ts';

const IMPORT =
  /^(?:import|export)\b[^'"=;]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

function importsOf(path: string): Import[] {
  const source = readFileSync(`src/${path}`, 'utf8');
  return [...source.matchAll(IMPORT)].map(match => {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    const isPackage = !target.startsWith('.');
    const to = isPackage ? target : posix.normalize(posix.join(posix.dirname(path), target));
    return { from: path, to, isPackage };
  });
}

const files = globSync(['**/*.ts', '../client/*.ts', '../console/src/**/*.{ts,tsx}'], { cwd: 'src' })
  .map(path => path.split(sep).join('/'))
  .filter(path => !path.endsWith('.test.ts') && !path.includes('/testing/'));
const problems = files.flatMap(importsOf).map(layerProblem).filter(Boolean);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`layers: ${files.length} files, every import allowed\n`);
}
