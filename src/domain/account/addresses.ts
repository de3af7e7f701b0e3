/**
 * Addresses from which an account may be used: single ones and blocks in CIDR notation, of IPv4 and IPv6. An IPv4 address
 * that is written as IPv6 (`::ffff:192.0.2.1`) counts as IPv4, so `::/0` is every IPv6 address and no other.
 */

export const MOST_ADDRESSES = 100;

interface Address {
  /** 32 for IPv4, 128 for IPv6. */
  readonly bits: number;
  readonly value: bigint;
}

/** All addresses with the same leading bits. */
export interface AddressRange {
  readonly bits: number;
  /** How many bits at the end are free. */
  readonly free: bigint;
  /** The leading bits. */
  readonly network: bigint;
}

/** A range, or why the text is none, as the end of a sentence that begins with it. */
export function parseAddressRange(text: string): AddressRange | string {
  const [address = '', prefix, ...more] = text.split('/');
  const written = parseAddress(address);
  if (!written || more.length > 0 || address.includes('%')) return 'is not an IPv4 or IPv6 address or block';
  const { bits, value } = written;
  const embedded = bits === 32 && address.includes(':') ? 96 : 0;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) - embedded : -1;
  if (length < 0 || length > bits) return `has a prefix that is not from ${embedded} to ${embedded + bits}`;
  const free = BigInt(bits - length);
  const network = value >> free;
  // Whoever writes one may mean the address or the block: guessing would allow too much or too little.
  if (network << free !== value) return `has bits after its prefix of ${embedded + length}`;
  return { bits, free, network };
}

export function isWithin(ranges: readonly AddressRange[], text: string): boolean {
  const address = parseAddress(text);
  return (
    address !== undefined &&
    ranges.some(({ bits, free, network }) => bits === address.bits && address.value >> free === network)
  );
}

function parseAddress(text: string): Address | undefined {
  const [bare = ''] = text.slice(0, 100).split('%');
  const short = parseIpv4(bare);
  if (short !== undefined) return { bits: 32, value: BigInt(short) };
  const value = parseIpv6(bare);
  if (value === undefined) return undefined;
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

function parseIpv4(text: string): number | undefined {
  const numbers = text.split('.');
  if (numbers.length !== 4) return undefined;
  let value = 0;
  for (const number of numbers) {
    // Not 010, which some programs read as eight.
    if (!/^(0|[1-9]\d{0,2})$/.test(number) || Number(number) > 255) return undefined;
    value = value * 256 + Number(number);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  const [head = '', tail, ...more] = text.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  if (!before || !after || more.length > 0) return undefined;
  const zeros = 8 - before.length - after.length;
  if (tail === undefined ? zeros !== 0 : zeros < 1) return undefined;
  const groups = [...before, ...Array<number>(zeros).fill(0), ...after];
  return BigInt(`0x${groups.map(group => group.toString(16).padStart(4, '0')).join('')}`);
}

function groupsOf(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    // The last two groups may be written as an IPv4 address.
    const short = isLast && part.includes('.') ? parseIpv4(part) : undefined;
    if (short !== undefined) groups.push(Math.floor(short / 65_536), short % 65_536);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}
