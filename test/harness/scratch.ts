import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_IN_MEMORY_BYTES = 2 ** 31;

/**
 * In memory a new PostgreSQL database takes a seventh of the CPU time; tests of what a crash leaves need a disk. What ends tests
 * early gives them a directory of its own, and empties it.
 */
const PLACES = {
  memory: process.env.BONGSU_TEST_SCRATCH ?? (hasRoomInMemory() ? MEMORY : tmpdir()),
  disk: tmpdir(),
};

const directories: string[] = [];

/**
 * An empty directory, in memory if the system has room there, gone when the process ends. Not after the test: `after` runs in
 * the order of registration, so a directory would go before the gateway that writes into it is closed.
 */
export function scratchDirectory(place: keyof typeof PLACES = 'memory'): string {
  if (directories.length === 0) process.once('exit', removeAll);
  const directory = mkdtempSync(join(PLACES[place], 'bongsu-test-'));
  directories.push(directory);
  return directory;
}

/** A bongsu.yaml with this text, in a directory of its own; returns its path. */
export function configFile(text: string): string {
  const path = join(scratchDirectory(), 'bongsu.yaml');
  writeFileSync(path, text);
  return path;
}

function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_IN_MEMORY_BYTES;
}

function removeAll(): void {
  // A process that was told to end may still write.
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
