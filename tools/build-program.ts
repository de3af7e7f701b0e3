/**
 * Builds dist/: the program as a few files of JavaScript, one for each thread and what it loads later, with the packages that every
 * start needs. Node takes a third of a millisecond to find, read and link a module, and there are a thousand. The console and the
 * migrations stay where they are: what the program reads while it runs is found from the root of the checkout, or of the package.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtName, isUpToDate, SOURCES_OF_BUILT, stateOfSources } from '../bin/runtime.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const OUT = join(ROOT, 'dist');
/** The commands, and the threads that they start. */
const ENTRIES = [
  'main',
  'cli/main',
  'http/front/http-thread',
  'composition/maintenance-thread',
  'store/sqlite/checkpoint-thread',
];
/** Packages that are loaded when they are needed, or never. Others are loaded at every start, and made of hundreds of files. */
const LOADED_LATER = [
  '@fastify/ajv-compiler',
  '@fastify/busboy',
  '@fastify/fast-json-stringify-compiler',
  'aws4fetch',
  'commander',
  'pg',
  'tar',
  'undici',
  'yaml',
];
const OWN_ADDRESS = /new URL\('(\.[^']*)', import\.meta\.url\)/g;

const bundler = isUpToDate() ? undefined : await import('rolldown').catch(() => undefined);
if (bundler) await build(bundler);
else if (!isUpToDate())
  process.stdout.write('program: not built, because the development packages are not installed\n');

async function build({ rolldown }: typeof import('rolldown')): Promise<void> {
  const state = stateOfSources();
  const fresh = `${OUT}.${process.pid}`;
  for (const name of ENTRIES) {
    const bundle = await rolldown({
      cwd: ROOT,
      input: { [builtName(name)]: `src/${name}.ts` },
      platform: 'node',
      external: LOADED_LATER,
      plugins: [
        { name: 'own-addresses', transform: { filter: { code: OWN_ADDRESS }, handler: addressesFromDist } },
      ],
    });
    await bundle.write({ dir: fresh, format: 'esm' });
    await bundle.close();
  }
  writeFileSync(join(fresh, SOURCES_OF_BUILT), state);
  takeThePlaceOf(OUT, fresh);
}

/** A program that starts meanwhile finds the old one, the new one, or none and then runs the sources. */
function takeThePlaceOf(place: string, fresh: string): void {
  const old = `${fresh}.old`;
  mkdirSync(place, { recursive: true });
  renameSync(place, old);
  renameSync(fresh, place);
  rmSync(old, { recursive: true });
}

/** A module that names a file from its own address names another one when it is in dist/. */
function addressesFromDist(code: string, module: string): string {
  return code.replace(OWN_ADDRESS, (_whole, path: string) => {
    const file = relative(ROOT, resolve(dirname(module), path));
    const folder = path.endsWith('/') ? '/' : '';
    return `new URL('${file.endsWith('.ts') ? builtThread(file) : `../${file}${folder}`}', import.meta.url)`;
  });
}

function builtThread(file: string): string {
  const entry = ENTRIES.find(name => file === `src/${name}.ts`);
  if (entry === undefined) throw new Error(`${file} is named by its address: add it to the entries`);
  return `./${builtName(entry)}.js`;
}
