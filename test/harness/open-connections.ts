/** The connections that servers of this process have taken in, by the channel on which Node tells of them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface OpenConnections {
  /** Since the beginning. */
  readonly taken: number;
  /** That are not closed. */
  readonly open: number;
  /** What was read of those that are not closed. */
  readonly bytesRead: number;
}

export function watchConnections(t: TestContext): OpenConnections {
  const open = new Set<Socket>();
  let taken = 0;
  const note = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    taken++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  subscribe('net.server.socket', note);
  t.after(() => unsubscribe('net.server.socket', note));
  return {
    get taken() {
      return taken;
    },
    get open() {
      return open.size;
    },
    get bytesRead() {
      return [...open].reduce((sum, socket) => sum + socket.bytesRead, 0);
    },
  };
}
