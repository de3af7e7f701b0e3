/**
 * The connections of a server that closes. Node waits for each that it does not count as idle, and from then on no longer looks for
 * requests that are late: a connection that never sent anything, sends a byte a second, or does not read its answer would be waited
 * for without end.
 *
 * An idle connection is closed at once, one that waits for its peer after some seconds, one whose request is being worked on
 * after its answer. When the time of the stop is over, all are.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const LOOK_MS = 50;
/** For the rest of a request. */
const INCOMPLETE_MS = 2_000;
/** For a peer that reads nothing of its answer. */
const UNREAD_MS = 5_000;

export interface OpenConnection {
  readonly socket: Socket;
  /** No answer is owed: it is idle, or its request has not arrived, or its answer is written. */
  readonly isWaiting: boolean;
}

export interface EndingServer {
  readonly server: Server;
  readonly connections: () => Iterable<OpenConnection>;
  /** Closes those that are between two requests. */
  readonly closeIdle: () => void;
}

/** Call it when the server closes. It looks at the connections until the server has closed. */
export function endConnections({ server, connections, closeIdle }: EndingServer, withinMs: number): void {
  const startedAt = performance.now();
  const stuck = new Map<Socket, { readonly progress: string; readonly since: number }>();
  const looking = setInterval(look, LOOK_MS);
  server.once('close', () => clearInterval(looking));
  look();

  function look(): void {
    closeIdle();
    const now = performance.now();
    for (const { socket, isWaiting } of connections()) {
      if (now - startedAt >= withinMs || hasWaitedTooLong(socket, isWaiting, now)) socket.destroy();
    }
  }

  function hasWaitedTooLong(socket: Socket, isWaiting: boolean, now: number): boolean {
    const { bytesWritten, writableLength } = socket;
    if (!isWaiting && writableLength === 0) {
      stuck.delete(socket);
      return false;
    }
    // Bytes that arrive do not count: a peer may send one a second for ever.
    const progress = `${bytesWritten} ${writableLength}`;
    const before = stuck.get(socket);
    if (before?.progress !== progress) {
      stuck.set(socket, { progress, since: now });
      return false;
    }
    return now - before.since >= (writableLength > 0 ? UNREAD_MS : INCOMPLETE_MS);
  }
}
