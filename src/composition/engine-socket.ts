/**
 * The socket on which threads that speak HTTP reach the engine, in a directory that only this user may enter.
 *
 * With SQLite the data directory is this process's alone, so whatever is at its place there was left behind. Otherwise, and where
 * the system takes no socket there (a path of more than a hundred bytes, a mounted directory of another system), it is a
 * directory of its own in the temporary folder, which other users write into as well: only what is ours is removed there.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { BACKLOG } from '../http/front/front-server.ts';
import type { Logger } from '../platform/logger.ts';

const LEFT_BEHIND = /^bongsu-engine-(\d+)-\w+$/;
/** In the data directory. Only the socket in it is ours to remove. */
const DIRECTORY = 'engine-socket';
const SOCKET = 'engine';
const OF_THREADS = /^http-\d+$/;

export interface EngineSocket {
  readonly path: string;
  /** Where the private server of an HTTP thread listens. */
  pathOfThread(name: string): string;
  /** Removes it with its directory. */
  remove(): void;
}

/** Where it is, if the data directory takes one. */
export function engineSocketIn(dataDir: string): string {
  return join(resolve(dataDir, DIRECTORY), SOCKET);
}

/** `ownDirectory`: where no other process writes, if there is such a place. */
export async function listenOnEngineSocket(
  http: Pick<FastifyInstance, 'listen'>,
  ownDirectory: string | undefined,
  log: Pick<Logger, 'debug' | 'warn'>,
): Promise<EngineSocket> {
  if (ownDirectory !== undefined) {
    const directory = resolve(ownDirectory, DIRECTORY);
    try {
      mkdirSync(directory, { recursive: true });
      chmodSync(directory, 0o700);
      removeSockets(directory);
      return await listenIn(http, directory);
    } catch (error) {
      log.debug({ event: 'noSocketInDataDirectory', err: error });
    }
  }
  removeLeftBehind(log);
  return listenIn(http, mkdtempSync(join(tmpdir(), `bongsu-engine-${process.pid}-`)));
}

async function listenIn(http: Pick<FastifyInstance, 'listen'>, directory: string): Promise<EngineSocket> {
  const path = join(directory, SOCKET);
  const remove = () => {
    removeSockets(directory);
    // Unless somebody has put something beside it.
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  };
  try {
    await http.listen({ path, backlog: BACKLOG });
  } catch (error) {
    remove();
    throw error;
  }
  return { path, pathOfThread: name => join(directory, name), remove };
}

function removeSockets(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name === SOCKET || OF_THREADS.test(name)) rmSync(join(directory, name), { force: true });
  }
}

/** Names hold the number of their process, so that what killed processes left is found. */
function removeLeftBehind(log: Pick<Logger, 'warn'>): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = LEFT_BEHIND.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const directory = join(tmpdir(), name);
    try {
      if (lstatSync(directory).uid === process.getuid?.())
        rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      log.warn({ event: 'leftoverNotRemoved', directory, err: error });
    }
  }
}

/** A process of this number that is not this one. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is another user's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
