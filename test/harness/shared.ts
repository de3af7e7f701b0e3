/** What all test files of a run share; `node --test --test-global-setup` runs it before the first and after the last. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareBrowser } from '../console/browser/chromium.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

let postgres: TestPostgres | undefined;
let closeBrowser: (() => Promise<void>) | undefined;

export async function globalSetup(): Promise<void> {
  // Where Node keeps compiled code by its own default. Each file is a process, and would compile the whole gateway.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
  // The behaviour tests that run a second time on PostgreSQL open no windows.
  if (process.env.BONGSU_TEST_ENGINE === undefined) closeBrowser = await shareBrowser();
  postgres = await startPostgres();
  await postgres.share();
}

export async function globalTeardown(): Promise<void> {
  await closeBrowser?.();
  await postgres?.stop();
}
