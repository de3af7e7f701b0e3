/** The address of the caller: the connection's, or the one that so many trusted proxies report. The framework does the same. */
import type { Socket } from 'node:net';

/** `forwarded` is the header `X-Forwarded-For`. */
export function callerAddress(
  socket: Socket,
  forwarded: string | readonly string[] | undefined,
  proxyHops: number,
): string {
  const own = socket.remoteAddress ?? '';
  if (proxyHops === 0) return own;
  if (typeof forwarded !== 'string') return own;
  const hops = forwarded
    .split(',')
    .map(address => address.trim())
    .filter(address => address !== '');
  // The last was added by the proxy that is nearest to us.
  return hops.at(-Math.min(proxyHops, hops.length)) ?? own;
}
