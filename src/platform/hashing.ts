/** Fast hashes: for secrets that are random already, and for comparing. */
import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';

/** For tokens: random enough that a fast hash hides them. */
export function sha256(text: string | Buffer): string {
  return hash('sha256', text, 'base64url');
}

/** The key as an object: whether bytes are one, Node finds out by two exceptions, which take three times as long as the rest. */
export function hmacSha256(key: Buffer, text: string | Buffer): Buffer {
  return createHmac('sha256', createSecretKey(key)).update(text).digest();
}

/** Compares in constant time, so that the time does not show where two secrets differ. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashBytes(a), hashBytes(b));
}

function hashBytes(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
