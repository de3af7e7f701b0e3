/**
 * Backups of an embedded store: a directory with the database, the bytes of files, the key of webhook secrets, and
 * `backup.json`, which is written last and says what must be there.
 *
 * The database is copied first: what a file of it names is copied afterwards, and bytes never change. A directory gets its name
 * when it is complete.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config/config.ts';
import { type Author, createAudit, type RecordChange } from '../operate/audit.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { readVersion } from '../platform/version.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import type { Blobs } from '../store/blobs.ts';
import { fileSystemBlobs } from '../store/file-system/blobs.ts';
import { contentsIn, doubtWaiting, readSnapshot, takeSnapshot } from '../store/sqlite/snapshot.ts';
import { DATABASE_FILE } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { openStore } from './open-store.ts';
import { commandAuthor } from './system-user.ts';
import { openBlobs, openPlace, placeOf } from './uploaded-files.ts';
import { KEY_FILE } from './webhook-calls.ts';

export interface Backup {
  readonly format: 1;
  readonly version: string;
  /** Everything that was acknowledged before is in it. */
  readonly beganAt: string;
  readonly messages: number;
  readonly open: number;
  readonly files: number;
  readonly fileBytes: number;
  /** Hashes of files whose bytes were not there. */
  readonly missingFiles: readonly string[];
  /** SHA-256 of the database. */
  readonly database: string;
}

export interface Restored {
  readonly backup: Backup;
  /** Messages that waited to be sent and may have been since; 0 if nothing was sent. */
  readonly doubted: number;
}

/** The backup cannot be made, used, or put there. */
export class BackupProblem extends Error {
  override name = 'BackupProblem';
}

const MANIFEST = 'backup.json';
const BIGGEST_MANIFEST = 1_000_000;
/** An upload has its row before its bytes. */
const TRIES = 20;
const PAUSE_MS = 250;

export async function makeBackup(config: Config, target: string, author = commandAuthor()): Promise<Backup> {
  assertEmbedded(config);
  const clock = systemClock;
  const store = await openStore(config, { clock, exclusive: false, mustExist: true });
  try {
    return await inNewDirectory(target, async (partial, place) => {
      await recordIn(config, store, author)('store.backup', place);
      const beganAt = clock.now();
      const database = join(partial, DATABASE_FILE);
      takeSnapshot(join(config.dataDir, DATABASE_FILE), database);
      const facts = readSnapshot(database);
      const files = await copyContents(config, store, partial, contentsIn(database, beganAt));
      const key = join(config.dataDir, KEY_FILE);
      if (existsSync(key)) await copyDurably(key, join(partial, KEY_FILE));
      await sync(database);
      const backup: Backup = {
        format: 1,
        version: readVersion(),
        beganAt: new Date(beganAt).toISOString(),
        ...facts,
        ...files,
        database: await hashOfFile(database),
      };
      await writeFile(join(partial, MANIFEST), `${JSON.stringify(backup, undefined, 2)}\n`, { flush: true });
      return backup;
    });
  } finally {
    await store.close();
  }
}

/** Puts a backup that comes as a tar into a new directory. */
export async function receiveBackup(content: AsyncIterable<Uint8Array>, target: string): Promise<Backup> {
  return inNewDirectory(target, async partial => {
    const { extract } = await import('tar');
    // Nothing leaves the directory, and nothing but files and directories is made.
    const filter = (_path: string, entry: object) =>
      'type' in entry && (entry.type === 'File' || entry.type === 'Directory');
    await pipeline(Readable.from(buffersOf(content)), extract({ cwd: partial, strict: true, filter }));
    const backup = await readManifest(partial);
    await assertDatabase(partial, backup);
    await sync(join(partial, DATABASE_FILE));
    return backup;
  });
}

/** What reads a tar knows no other bytes. */
async function* buffersOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of content) {
    yield Buffer.from(buffer, byteOffset, byteLength);
  }
}

/** A directory that has its name only once it is complete. */
async function inNewDirectory(
  target: string,
  fill: (partial: string, place: string) => Promise<Backup>,
): Promise<Backup> {
  const place = resolve(target);
  const partial = `${place}.partial`;
  if (existsSync(place)) throw new BackupProblem(`${place} exists: a backup needs a new directory`);
  await mkdir(partial, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new BackupProblem(`${partial} exists: another backup is being made, or was interrupted; delete it`);
  });
  try {
    const backup = await fill(partial, place);
    await sync(partial);
    await rename(partial, place);
    await sync(dirname(place));
    return backup;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function assertDatabase(directory: string, backup: Backup): Promise<void> {
  const database = join(directory, DATABASE_FILE);
  if ((await hashOfFile(database)) === backup.database) return;
  throw new BackupProblem(`${database} is not what ${MANIFEST} says: the backup is damaged`);
}

/** `isNothingSent`: the gateway has not run since the backup began, so what waited in it can be sent. */
export async function restoreBackup(config: Config, from: string, isNothingSent: boolean): Promise<Restored> {
  assertEmbedded(config);
  const source = resolve(from);
  const backup = await readManifest(source);
  const database = join(source, DATABASE_FILE);
  await assertDatabase(source, backup);
  const target = join(resolve(config.dataDir), DATABASE_FILE);
  if (existsSync(target)) {
    throw new BackupProblem(`${target} exists: restore into an empty data directory (BONGSU_DATA_DIR)`);
  }
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const partial = `${target}.restoring`;
  try {
    await copyFile(database, partial);
    readSnapshot(partial);
    const doubted = isNothingSent ? 0 : doubtWaiting(partial, Date.parse(backup.beganAt));
    await restoreContents(config, source);
    await restoreKey(config, source);
    await sync(partial);
    // Unlike a rename it replaces nothing, should a gateway have been started here meanwhile.
    await link(partial, target);
    await rm(partial);
    await sync(dirname(target));
    const store = await openStore(config, { clock: systemClock, exclusive: false, mustExist: true });
    try {
      await recordIn(config, store, commandAuthor())('store.restore', source, backup.beganAt, doubted);
    } finally {
      await store.close();
    }
    return { backup, doubted };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function assertEmbedded({ secrets }: Config): void {
  if (!secrets.databaseUrl) return;
  throw new BackupProblem(
    'this store is PostgreSQL, which has its own tools: pg_dump for a copy, pgBackRest or pg_basebackup with archived WAL for every moment; see docs/backup.md',
  );
}

async function copyContents(
  config: Config,
  store: Store,
  partial: string,
  contents: Iterable<string>,
): Promise<Pick<Backup, 'files' | 'fileBytes' | 'missingFiles'>> {
  const source = await openBlobs(config, store);
  const target = fileSystemBlobs(partial);
  let [files, fileBytes] = [0, 0];
  const missingFiles: string[] = [];
  try {
    for (const contentHash of contents) {
      const bytes = await copyWhenThere(contentHash);
      if (bytes === undefined) continue;
      if (bytes === 'missing') missingFiles.push(contentHash);
      else {
        files++;
        fileBytes += bytes;
      }
    }
  } finally {
    await source.close();
  }
  return { files, fileBytes, missingFiles };

  /** Undefined if the file has been deleted since. */
  async function copyWhenThere(contentHash: string): Promise<number | 'missing' | undefined> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const bytes = await copyBlob(source.blobs, target, contentHash);
      if (bytes !== undefined) return bytes;
      if (!(await store.files.isNamed(contentHash))) return undefined;
      await sleep(systemClock, PAUSE_MS);
    }
    return 'missing';
  }
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

/** How many bytes; undefined if they are not there. */
async function copyBlob(from: Blobs, to: Blobs, contentHash: string): Promise<number | undefined> {
  const content = await from.open(contentHash);
  if (!content) return undefined;
  const draft = await to.begin();
  try {
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.length;
      await draft.write(chunk);
    }
    if ((await draft.seal()) !== contentHash) {
      throw new BackupProblem(`the bytes of file ${contentHash} are damaged`);
    }
    await draft.place();
    return bytes;
  } finally {
    await draft.discard();
  }
}

/** Without it the signing secrets of webhooks could not be read. */
async function restoreKey({ dataDir, secrets }: Config, source: string): Promise<void> {
  const [kept, place] = [join(source, KEY_FILE), join(dataDir, KEY_FILE)];
  if (secrets.secretKey || !existsSync(kept)) return;
  if (existsSync(place)) {
    if ((await readFile(place)).equals(await readFile(kept))) return;
    throw new BackupProblem(`${place} is another key than that of the backup: move it away`);
  }
  await copyDurably(kept, place);
}

async function readManifest(source: string): Promise<Backup> {
  const path = join(source, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupProblem(`${source} is no complete backup: ${error.message}`);
  });
  try {
    const manifest = JSON.parse(text.slice(0, BIGGEST_MANIFEST)) as Backup;
    if (manifest.format === 1 && Date.parse(manifest.beganAt) > 0) return manifest;
  } catch {
    // Said below.
  }
  throw new BackupProblem(`${path} is not of a backup that this version can read`);
}

function recordIn(config: Config, store: Store, author: Author): RecordChange {
  const formatTime = zonedTimeFormatter(config.timeZone);
  return createAudit({ store, clock: systemClock, formatTime }).recordBy(author);
}

async function copyDurably(from: string, to: string): Promise<void> {
  await writeFile(to, await readFile(from), { mode: 0o600, flag: 'wx', flush: true });
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const stream = createReadStream(path);
  stream.on('data', chunk => hash.update(chunk));
  await once(stream, 'end');
  return hash.digest('hex');
}

/** A file, or a directory. */
async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
