/**
 * Whether Node reads a socket, decided from one moment to the next. `pause()` and `resume()` do the same in the next turn, for
 * the price of reading a packet.
 */
import type { Socket } from 'node:net';

/** What Node reads and writes a socket by. It has no public name, so nothing else may depend on it. */
interface Handle {
  readonly readStart?: () => number;
  readonly readStop?: () => number;
}

type Held = Socket & { readonly _handle?: Handle | null };

/** Whether it could be told to. */
export function stopReading({ _handle }: Held): boolean {
  if (typeof _handle?.readStop !== 'function') return false;
  _handle.readStop();
  return true;
}

/** After `stopReading`. Node does not stand bytes that come for a socket whose stream is destroyed. */
export function startReading({ _handle, destroyed }: Held): void {
  if (!destroyed) _handle?.readStart?.();
}
