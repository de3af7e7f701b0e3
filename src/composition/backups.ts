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
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
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
import { contentsIn, readSnapshot, takeSnapshot } from '../store/sqlite/snapshot.ts';
import { DATABASE_FILE } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { openStore } from './open-store.ts';
import { commandAuthor } from './system-user.ts';
import { openBlobs } from './uploaded-files.ts';
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

/** The reader of tar files takes Buffers only. */
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

export async function assertDatabase(directory: string, backup: Backup): Promise<void> {
  const database = join(directory, DATABASE_FILE);
  if ((await hashOfFile(database)) === backup.database) return;
  throw new BackupProblem(`${database} is not what ${MANIFEST} says: the backup is damaged`);
}

function assertEmbedded({ secrets }: Config): void {
  if (!secrets.databaseUrl) return;
  throw new BackupProblem(
    'this store is PostgreSQL: back it up with pg_dump, or with pgBackRest or pg_basebackup and archived WAL for point-in-time recovery; see docs/backup.md',
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

/** How many bytes; undefined if they are not there. */
export async function copyBlob(from: Blobs, to: Blobs, contentHash: string): Promise<number | undefined> {
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

export async function readManifest(source: string): Promise<Backup> {
  const path = join(source, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupProblem(`${source} is not a complete backup: ${error.message}`);
  });
  try {
    const manifest = JSON.parse(text.slice(0, BIGGEST_MANIFEST)) as Backup;
    if (manifest.format === 1 && Date.parse(manifest.beganAt) > 0) return manifest;
  } catch {
    // Said below.
  }
  throw new BackupProblem(`${path} does not describe a backup that this version can read`);
}

export function recordIn(config: Config, store: Store, author: Author): RecordChange {
  const formatTime = zonedTimeFormatter(config.timeZone);
  return createAudit({ store, clock: systemClock, formatTime }).recordBy(author);
}

export async function copyDurably(from: string, to: string): Promise<void> {
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
export async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
