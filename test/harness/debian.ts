/**
 * Programs of the system that tests use as independent peers. Where one is not installed its tests are skipped and say
 * so; with BONGSU_TEST_REQUIRE_PEERS=1 they run nevertheless, and fail.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What cannot be tested here is a failure. */
export const MUST_HAVE_PEERS = process.env.BONGSU_TEST_REQUIRE_PEERS === '1';

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

/** For the `skip` of a test: false, or why it is skipped. A module of Perl is named as Perl does, such as `Net::SMPP`. */
export function unlessInstalled(...names: string[]): string | false {
  const missing = names.filter(name => !(name.includes('::') ? isPerlModule(name) : pathOf(name)));
  return skipReason(missing.length > 0 ? `${missing.join(', ')} is not installed` : undefined);
}

/** For what is missing otherwise: `undefined` where it is there. */
export function skipReason(missing: string | undefined): string | false {
  return missing === undefined || MUST_HAVE_PEERS ? false : missing;
}

function isPerlModule(name: string): boolean {
  return spawnSync('perl', [`-M${name}`, '-e', '1']).status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
