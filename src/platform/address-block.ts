/**
 * Whom an address stands for. One IPv6 subscriber has a whole /64, so whatever is counted by address is counted for
 * its block; an IPv4 address is a block of its own, also where it is written as IPv6.
 */
import { isIPv6 } from 'node:net';

export function addressBlock(address: string): string {
  const [bare = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap(group =>
    // The last two groups may be written as an IPv4 address; they are never in the block.
    group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)],
  );
}
