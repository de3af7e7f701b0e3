/** The address of the caller: the connection's, or the one that trusted proxies report. */
import type { IncomingHttpHeaders } from 'node:http';
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
  const before = forwardedAddresses(forwarded);
  // The last was added by the proxy that is nearest to us.
  for (let hop = 0; isProxy(address, hop); hop++) {
    const next = before.pop();
    if (next === undefined) return address;
    address = next;
  }
  return address;
}

/** Some proxies write a port behind the address, and brackets around one of IPv6. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/;

function forwardedAddresses(forwarded: string): string[] {
  return forwarded
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
    .map(each => {
      const [, inBrackets, beforePort] = WITH_PORT.exec(each) ?? [];
      return inBrackets ?? beforePort ?? each;
    });
}

/** The framework reads the header itself, and takes each entry for an address. */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded === 'string') headers['x-forwarded-for'] = forwardedAddresses(forwarded).join(', ');
}
