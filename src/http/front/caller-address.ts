/** The address of the caller: the connection's, or the one that trusted proxies report. The framework does the same. */
import type { Socket } from 'node:net';
import type { IsProxy } from '../../platform/trusted-proxies.ts';

/** `forwarded` is the header `X-Forwarded-For`. */
export function callerAddress(
  socket: Socket,
  forwarded: string | readonly string[] | undefined,
  isProxy: IsProxy,
): string {
  let address = socket.remoteAddress ?? '';
  if (typeof forwarded !== 'string') return address;
  const before = forwarded
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '');
  // The last was added by the proxy that is nearest to us.
  for (let hop = 0; isProxy(address, hop); hop++) {
    const next = before.pop();
    if (next === undefined) return address;
    address = next;
  }
  return address;
}
