/**
 * The engines of the store. BONGSU_TEST_ENGINE is the switch: every gateway that a test opens without choosing an engine has
 * this one.
 */
import { after, type TestContext } from 'node:test';
import { migratedDirectory } from './migrated-sqlite.ts';
import { sharedPostgres, type TestPostgres } from './postgres.ts';
import type { Env } from './process.ts';
import { scratchDirectory } from './scratch.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

const SWITCH = process.env.BONGSU_TEST_ENGINE || 'sqlite';

const ON_POSTGRES = {
  // Nodes share what is sealed, and so the key.
  BONGSU_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  // It is measured in real time, and a busy machine is not what these tests are about.
  BONGSU_STORE_TIMEOUT: '60s',
  // The server of the tests does not wait for its disk.
  BONGSU_DATABASE_DURABILITY: 'relaxed',
};

let postgres: Promise<TestPostgres> | undefined;
after(async () => (await postgres)?.stop());

/**
 * Settings for a gateway with an empty store, which is gone after the test. Another gateway with the same settings finds what
 * the first one kept.
 */
export async function freshStore(t: TestContext, engine = chosenEngine()): Promise<Env> {
  if (engine === 'sqlite') return { BONGSU_DATA_DIR: await migratedDirectory(), BONGSU_DATABASE_URL: '' };
  postgres ??= sharedPostgres();
  const url = await (await postgres).databaseFor(t);
  return { BONGSU_DATA_DIR: scratchDirectory(), ...ON_POSTGRES, BONGSU_DATABASE_URL: url };
}

function chosenEngine(): Engine {
  const engine = ENGINES.find(name => name === SWITCH);
  if (!engine) throw new Error(`BONGSU_TEST_ENGINE is ${SWITCH}: it must be one of ${ENGINES.join(', ')}`);
  return engine;
}
