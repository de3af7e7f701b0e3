/**
 * Restoring: a backup becomes the store of an empty data directory, and what waited in it is held back, because it may have
 * been sent since (port/upkeep-store.ts). A PostgreSQL is put back by its own tools; only the second part is done here.
 *
 * The database is completed in a directory beside its place, and gets its name in one step when everything else is done. So a
 * restore that was interrupted leaves no database, and is simply repeated.
 */
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { fileSystemBlobs } from '../store/file-system/blobs.ts';
import { lockDataDirectory } from '../store/sqlite/lock.ts';
import { countMessages, readSnapshot, type SnapshotFacts } from '../store/sqlite/snapshot.ts';
import { DATABASE_FILE, LOCK_FILE } from '../store/sqlite/sqlite-store.ts';
import type { HeldBack } from '../store/store.ts';
import {
  assertDatabase,
  type Backup,
  BackupProblem,
  copyBlob,
  copyDurably,
  readManifest,
  recordIn,
  sync,
} from './backups.ts';
import { openStore } from './open-store.ts';
import { commandAuthor } from './system-user.ts';
import { openPlace, placeOf } from './uploaded-files.ts';
import { KEY_FILE } from './webhook-calls.ts';

export type { HeldBack };

/** Both numbers are 0 if nothing was sent since the backup. */
export interface Restored extends HeldBack {
  readonly backup: Backup;
}

/** Under it the database is completed. */
const STAGING = 'restoring';
/** What SQLite keeps beside a database: it would write it into another one of the same name. */
const BESIDE = ['-wal', '-shm', '-journal'];
const NOTHING: HeldBack = { doubted: 0, held: 0 };

/** `isNothingSent`: the gateway has not run since the backup began, so what waited in it can be sent. */
export async function restoreBackup(config: Config, from: string, isNothingSent: boolean): Promise<Restored> {
  if (config.secrets.databaseUrl) {
    throw new BackupProblem(
      'this store is PostgreSQL: restore it with its own tools, then run "bongsu restore" without a directory; see docs/backup.md',
    );
  }
  const source = resolve(from);
  const backup = await readManifest(source);
  await assertDatabase(source, backup);
  const dataDir = resolve(config.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // No gateway starts here meanwhile, and no other restore.
  const lock = lockDataDirectory(join(dataDir, LOCK_FILE));
  try {
    const target = join(dataDir, DATABASE_FILE);
    assertPlaceIsFree(target);
    const staging = join(dataDir, STAGING);
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
    try {
      const heldBack = await completeDatabase(config, { source, staging, backup, isNothingSent });
      await restoreContents(config, source);
      await restoreKey(config, source);
      assertPlaceIsFree(target);
      await publish(join(staging, DATABASE_FILE), target, dataDir);
      assertCounts(target, countMessages(target), backup);
      return { backup, ...heldBack };
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
}

/** After a restore of PostgreSQL with its own tools, before the first start. */
export async function holdBackRestored(config: Config): Promise<HeldBack> {
  const store = await openStore(config, { clock: systemClock, exclusive: false, mustExist: true });
  try {
    const [alive] = await store.nodes.list();
    if (alive)
      throw new BackupProblem(`the gateway ${alive.node} runs on this store: stop every gateway first`);
    // When the copy was made is not known.
    const heldBack = await store.upkeep.holdBack({ since: 0, now: systemClock.now() });
    const { doubted, held } = heldBack;
    await recordIn(config, store, commandAuthor())('store.restore', 'postgresql', null, doubted, held);
    return heldBack;
  } finally {
    await store.close();
  }
}

function assertPlaceIsFree(target: string): void {
  if (existsSync(target)) {
    throw new BackupProblem(`${target} exists: restore into an empty data directory (BONGSU_DATA_DIR)`);
  }
  const left = BESIDE.map(suffix => target + suffix).find(file => existsSync(file));
  if (left === undefined) return;
  throw new BackupProblem(
    `${left} exists: it was left by another database, and SQLite would write it into the restored one; move it away, or delete it`,
  );
}

/** Brought up to date, with everything that waits held back, and written down in its audit log. */
async function completeDatabase(
  config: Config,
  order: {
    readonly source: string;
    readonly staging: string;
    readonly backup: Backup;
    readonly isNothingSent: boolean;
  },
): Promise<HeldBack> {
  const { source, staging, backup, isNothingSent } = order;
  const file = join(staging, DATABASE_FILE);
  await copyFile(join(source, DATABASE_FILE), file);
  assertCounts(file, readSnapshot(file), backup);
  const staged = { ...config, dataDir: staging };
  const store = await openStore(staged, { clock: systemClock, exclusive: false, mustExist: true });
  try {
    const { beganAt } = backup;
    const since = Date.parse(beganAt);
    const heldBack = isNothingSent ? NOTHING : await store.upkeep.holdBack({ since, now: systemClock.now() });
    const { doubted, held } = heldBack;
    await recordIn(config, store, commandAuthor())('store.restore', source, beganAt, doubted, held);
    return heldBack;
  } finally {
    await store.close();
  }
}

async function publish(file: string, target: string, directory: string): Promise<void> {
  // Only the file itself is published: nothing of it may still be in a log.
  const log = `${file}-wal`;
  if (existsSync(log)) throw new Error(`${log} was not written back`);
  await sync(file);
  // Unlike a rename it replaces nothing, should a command have made a database here meanwhile.
  await link(file, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new BackupProblem(`${target} was created meanwhile: move it away, and restore again`);
  });
  await sync(directory);
}

function assertCounts(file: string, found: SnapshotFacts, { messages, open }: Backup): void {
  if (found.messages === messages && found.open === open) return;
  throw new BackupProblem(
    `${file} has ${found.messages} messages, ${found.open} of them pending; the backup says ${messages} and ${open}`,
  );
}

async function restoreContents(config: Config, source: string): Promise<void> {
  const here = { blobs: undefined };
  const target = await openPlace(config, placeOf(config, here), here);
  const kept = fileSystemBlobs(source);
  try {
    for await (const contentHash of kept.list()) await copyBlob(kept, target.blobs, contentHash);
  } finally {
    await target.close();
  }
}

/** Without it the signing secrets of webhooks could not be read. */
async function restoreKey({ dataDir, secrets }: Config, source: string): Promise<void> {
  const [kept, place] = [join(source, KEY_FILE), join(dataDir, KEY_FILE)];
  if (secrets.secretKey || !existsSync(kept)) return;
  if (existsSync(place)) {
    if ((await readFile(place)).equals(await readFile(kept))) return;
    throw new BackupProblem(`${place} is not the key in the backup: move it away`);
  }
  await copyDurably(kept, place);
}
