/** Programs of Debian that tests use as peers. Absent, they are a reason to skip, unless the test run needs them. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const DIRECTORIES = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/usr/lib/kannel/test'];

/**
 * The path of a program, or undefined after the test was skipped. With BONGSU_TEST_REQUIRE_PEERS=1 a program that is not
 * there is a failure.
 */
export function requireProgram(t: TestContext, name: string, debianPackage: string): string | undefined {
  const found = DIRECTORIES.map(directory => join(directory, name)).find(isExecutable);
  if (found) return found;
  const message = `${name} is not installed (Debian package ${debianPackage})`;
  if (process.env.BONGSU_TEST_REQUIRE_PEERS === '1') throw new Error(message);
  t.skip(message);
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
