/**
 * Who may call back. Every check that is configured must pass; an address that we signed for one attempt is proof
 * enough by itself where no other is configured.
 */
import { BlockList, isIP } from 'node:net';
import type { CarrierCallback } from '../../domain/delivery/carrier-callback.ts';
import { hmacSha256, isSameSecret } from '../../platform/hashing.ts';
import { isSignedBy } from '../../platform/standard-webhooks.ts';
import type { CallbackOptions } from './options.ts';

/** Shorter ones can be guessed, and longer ones are not worth hashing. */
const SHORTEST_SECRET = 16;
const LONGEST_TOKEN = 1000;

export interface CallbackAccess {
  /** Calls are signed. A signature covers the id and the body only, so nothing else of a call is read. */
  readonly isSigned: boolean;
  isAllowed(callback: CarrierCallback, nowMs: number): boolean;
  /** The address at which the provider reports on this attempt. */
  urlFor(attemptId: string): string | undefined;
}

export function compileCallbackAccess(
  name: string,
  options: CallbackOptions,
  publicUrl: string | undefined,
  path: string,
  problems: string[],
): CallbackAccess {
  const { hmac, token, addresses, urlSecret } = options;
  const base = options.publicUrl ?? publicUrl;
  const allowed = addresses && compileAddresses(addresses, `${path}.addresses`, problems);
  if (!hmac && !token && !addresses && urlSecret === undefined) {
    problems.push(`${path}: expected at least one of hmac, token, addresses and urlSecret`);
  }
  if (token && (token.header === undefined) === (token.query === undefined)) {
    problems.push(`${path}.token: expected one of header and query`);
  }
  // Where only known addresses may call, nobody else can guess.
  if (!addresses && [token?.value, ...(hmac?.secrets ?? [])].some(isShort)) {
    problems.push(
      `${path}: without addresses, tokens and secrets need at least ${SHORTEST_SECRET} characters`,
    );
  }
  const isChecked = hmac !== undefined || token !== undefined || addresses !== undefined;

  return {
    isSigned: hmac !== undefined,
    isAllowed(callback, nowMs) {
      const { headers, query, body, address, attemptId } = callback;
      if (allowed && !isWithin(allowed, address)) return false;
      if (hmac && !isSignedBy(hmac.secrets, headers, body, nowMs)) return false;
      if (token) {
        const given = token.header ? headers[token.header.toLowerCase()] : query.get(token.query ?? '');
        if (!given || given.length > LONGEST_TOKEN || !isSameSecret(given, token.value)) return false;
      }
      return attemptId === undefined ? isChecked : isSignedFor(attemptId, callback.token ?? '');
    },
    urlFor(attemptId) {
      if (base === undefined || urlSecret === undefined) return undefined;
      const root = `${base.replace(/\/+$/, '')}/carriers/${name}/receipts`;
      return `${root}/${attemptId}/${signatureOf(urlSecret, attemptId)}`;
    },
  };

  function isSignedFor(attemptId: string, given: string): boolean {
    if (given.length > LONGEST_TOKEN) return false;
    return urlSecret !== undefined && isSameSecret(given, signatureOf(urlSecret, attemptId));
  }

  /** The name of the carrier is in it: two carriers may have the same secret. */
  function signatureOf(secret: string, attemptId: string): string {
    return hmacSha256(Buffer.from(secret), `${name}/${attemptId}`).toString('base64url');
  }
}

function isShort(secret: string | undefined): boolean {
  return secret !== undefined && secret.length < SHORTEST_SECRET;
}

function compileAddresses(ranges: readonly string[], path: string, problems: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits, ...rest] = range.split('/');
    const family = isIP(address);
    const longest = family === 6 ? 128 : 32;
    const length = bits === undefined ? longest : Number(bits);
    const isRange =
      family !== 0 && rest.length === 0 && Number.isInteger(length) && length >= 0 && length <= longest;
    if (isRange) list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
    else problems.push(`${path}: expected addresses or ranges such as 192.0.2.0/24`);
  }
  return list;
}

function isWithin(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
