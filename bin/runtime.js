/*
 * What the starters share: where the program is, and which Node it needs.
 * Written for Node 12 and later, like bongsu.js: an old Node has to be able to say that it is old.
 */

/* biome-ignore-start lint/style/useNodejsImportProtocol: Node before 12.20 does not know "node:". */
import { existsSync, readdirSync, readFileSync, statSync } from 'fs';
import { fileURLToPath } from 'url';

/* biome-ignore-end lint/style/useNodejsImportProtocol: see above. */

/** The oldest Node that a package was tried on; a checkout brings its own. */
export const OLDEST_NODE = '24.20.0';

/** In dist/: what the sources were when it was built. */
export const SOURCES_OF_BUILT = 'sources.txt';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * The file to run. A package has only what was built of the sources. A checkout has both, and runs what was built as long as
 * its sources are the same: it starts in half the time. Sources that somebody changes run as they are.
 */
export function entryOf(name) {
  const source = `${root}src/${name}.ts`;
  const built = `${root}dist/${builtName(name)}.js`;
  return existsSync(built) && (!existsSync(source) || isUpToDate()) ? built : source;
}

/**
 * Of a file of src/, in dist/, where no folders are.
 * @param {string} name
 */
export function builtName(name) {
  return name.replace(/\//g, '-');
}

/** Whether dist/ was built of what is there now. */
export function isUpToDate() {
  try {
    return readFileSync(`${root}dist/${SOURCES_OF_BUILT}`, 'utf8') === stateOfSources();
  } catch (_error) {
    // It was not built, or is being built right now.
    return false;
  }
}

/**
 * Each file that the program may be made of, with its size and the time of its last change.
 * @returns {string}
 */
export function stateOfSources() {
  const lines = [];
  const add = path => {
    const { size, mtimeMs } = statSync(root + path);
    lines.push(`${path} ${size} ${mtimeMs}`);
  };
  // Packages, of which some are built in: npm writes this with every change to them. And how it is built.
  for (const path of ['node_modules/.package-lock.json', 'tools/build-program.ts']) {
    if (existsSync(root + path)) add(path);
  }
  const folders = ['src', 'client'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(root + folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (!path.endsWith('.test.ts')) add(path);
    }
  }
  return lines.sort().join('\n');
}

/** Compiled code of the start before, beside the code it belongs to, and as hard for others to write. */
export function compileCache() {
  return fileURLToPath(new URL('../node_modules/.cache/bongsu', import.meta.url));
}

/** Whether this Node can run the program. */
export function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
