/** Which peers are proxies of ours, whose word on the address of the caller is taken. */
import { BlockList, isIP } from 'node:net';

/** Whether `address` is a proxy, `hop` connections before this server; the peer of the connection itself is 0. */
export type IsProxy = (address: string, hop: number) => boolean;

export interface ProxySettings {
  /** How many there are, at most; 0 means that only their addresses are known. */
  readonly hops: number;
  /** Their addresses and networks. Without them any private address is taken for one where `hops` is not 0. */
  readonly networks: readonly string[] | undefined;
}

/** Between a thread that speaks HTTP and the engine: the thread has found out who the caller is. */
export const BEHIND_OWN_THREAD: IsProxy = (_address, hop) => hop === 0;

/** Addresses of this machine and of networks that the Internet does not reach. */
const PRIVATE = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
];

export function createIsProxy({ hops, networks }: ProxySettings): IsProxy {
  if (hops === 0 && !networks) return () => false;
  const most = hops === 0 ? Number.POSITIVE_INFINITY : hops;
  if (networks) {
    const list = blockListOf(networks);
    return (address, hop) => hop < most && holds(list, address);
  }
  const list = blockListOf(PRIVATE);
  // The nearest one vouches for those before it.
  return (address, hop) => hop < most && (hop > 0 || holds(list, address));
}

/** Whether it is an address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  return list;
}

function holds(list: BlockList, address: string): boolean {
  // The zone of a link-local address.
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}
