/** Passwords: a slow, salted hash on disk. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

/** What a hash costs whoever computes it: N and r multiply time and memory, p only time. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

// About 60 ms and 32 MB on the machine of the README.
const COST: PasswordCost = { N: 2 ** 15, r: 8, p: 1 };
const MOST_MEMORY_BYTES = 64 * 1024 * 1024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export async function hashPassword(password: string, cost: PasswordCost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return stored(cost, salt, await derive(password, salt, KEY_BYTES, { ...cost, maxmem: MOST_MEMORY_BYTES }));
}

/** A hash that no password verifies, although trying takes as long as with any other. */
export function hashOfNoPassword(): string {
  return stored(COST, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = stored.split('$');
  if (scheme !== 'scrypt' || !salt || !key) return false;
  const expected = Buffer.from(key, 'base64');
  const cost = { N: Number(n), r: Number(r), p: Number(p), maxmem: MOST_MEMORY_BYTES };
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost);
  return timingSafeEqual(actual, expected);
}

function stored({ N, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$');
}
