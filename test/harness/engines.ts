/** The engines of the store, for tests that hold on both. */
import { after } from 'node:test';
import { startPostgres, type TestPostgres } from './postgres.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

/** Settings for a gateway on an engine. One PostgreSQL serves all tests of a file, and stops with the last. */
export function engineSettings(): (engine: Engine) => Promise<Readonly<Record<string, string>>> {
  let postgres: Promise<TestPostgres> | undefined;
  after(async () => (await postgres)?.stop());
  return async engine => {
    if (engine === 'sqlite') return {};
    postgres ??= startPostgres();
    return { BONGSU_DATABASE_URL: await (await postgres).createDatabase() };
  };
}
