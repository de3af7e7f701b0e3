/** The bearer token in an `Authorization` header. */
import { sha256 } from '../platform/hashing.ts';

export interface GivenToken {
  readonly authorization: string;
  readonly token: string;
  /** One for each token, however its header is spelled. */
  readonly hash: string;
}

const LONGEST_TOKEN = 256;

/** Remembers the last header: it is read several times for each request, and the same one comes again and again. */
export function createReadToken(): (authorization: string | undefined) => GivenToken | undefined {
  let last: GivenToken | undefined;
  return (authorization = '') => {
    if (last?.authorization === authorization) return last;
    const token = /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
    if (token === undefined || token.length > LONGEST_TOKEN) return undefined;
    last = { authorization, token, hash: sha256(token) };
    return last;
  };
}
