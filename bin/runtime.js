/*
 * What the starters share: where the program is, and which Node it needs.
 * Written for Node 12 and later, like bongsu.js: an old Node has to be able to say that it is old.
 */

/* biome-ignore-start lint/style/useNodejsImportProtocol: Node before 12.20 does not know "node:". */
import { existsSync } from 'fs';
import { fileURLToPath } from 'url';

/* biome-ignore-end lint/style/useNodejsImportProtocol: see above. */

/** The oldest Node that a package was tried on; a checkout brings its own. */
export const OLDEST_NODE = '24.20.0';

/**
 * A checkout runs its TypeScript as it is. A package has JavaScript made from it, because Node strips no types under
 * node_modules. A checkout may have both for a moment, while it is packed.
 */
export function entryOf(name) {
  const source = new URL(`../src/${name}.ts`, import.meta.url);
  const built = new URL(`../dist/src/${name}.js`, import.meta.url);
  return fileURLToPath(existsSync(source) || !existsSync(built) ? source : built);
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
