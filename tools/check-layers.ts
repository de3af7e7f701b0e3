/** Fails on an import against the layers, and on circles of imports, even where they are only of types. */
import { globSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { circlesOf } from './circles.ts';
import { type Import, layerProblem } from './layers.ts';

const IMPORT =
  /^(?:import|export)\b[^'"=;]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** Paths are below src/: from outside of it one comes back. */
const HERE = '/src';

function importsOf(path: string): Import[] {
  const source = readFileSync(`src/${path}`, 'utf8');
  return [...source.matchAll(IMPORT)].map(match => {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    const isPackage = !target.startsWith('.');
    const to = isPackage ? target : posix.relative(HERE, posix.join(HERE, posix.dirname(path), target));
    return { from: path, to, isPackage };
  });
}

const files = globSync(['**/*.ts', '../client/*.ts', '../console/src/**/*.{ts,tsx}'], { cwd: 'src' })
  .map(path => path.split(sep).join('/'))
  .filter(path => !path.endsWith('.test.ts') && !path.includes('/testing/'));
const imports = new Map(files.map(path => [path, importsOf(path)]));
const targets = new Map([...imports].map(([path, list]) => [path, list.map(({ to }) => to)]));
const problems = [
  ...[...imports.values()].flat().map(layerProblem).filter(Boolean),
  ...circlesOf(targets).map(circle => `a circle of imports: ${circle.toSorted().join(', ')}`),
];

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`layers: ${files.length} files, every import allowed, no circles\n`);
}
