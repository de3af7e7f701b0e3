/**
 * Programs of the system that tests use as independent peers. Where one is not installed its tests are skipped and say
 * so; with BONGSU_TEST_REQUIRE_PEERS=1 they run nevertheless, and fail.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is, also among those for administrators. */
export function pathOf(program: string): string | undefined {
  const directories = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/usr/lib/kannel/test',
  ];
  return directories.map(directory => join(directory, program)).find(isExecutable);
}

/** For the `skip` of a test: false, or why it is skipped. */
export function unlessInstalled(...programs: string[]): string | false {
  const missing = programs.filter(program => pathOf(program) === undefined);
  return skipReason(missing.length > 0 ? `${missing.join(', ')} is not installed` : undefined);
}

/** The same for a module of Perl. */
export function unlessPerlModule(module: string): string | false {
  const isThere = spawnSync('perl', [`-M${module}`, '-e', '1']).status === 0;
  return skipReason(isThere ? undefined : `the Perl module ${module} is not installed`);
}

function skipReason(missing: string | undefined): string | false {
  if (missing === undefined || process.env.BONGSU_TEST_REQUIRE_PEERS === '1') return false;
  return missing;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
