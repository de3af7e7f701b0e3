/** What all test files of a run share; `node --test --test-global-setup` runs it before the first and after the last. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharePostgres, startPostgres, type TestPostgres } from './postgres.ts';

let postgres: TestPostgres | undefined;

export async function globalSetup(): Promise<void> {
  // Where Node keeps compiled code by its own default. Each file is a process, and would compile the whole gateway.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
  postgres = await startPostgres();
  await sharePostgres(postgres);
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}
