/** Fast hashes: for secrets that are random already, and for comparing. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** For tokens: random enough that a fast hash hides them. */
export function sha256(text: string | Buffer): string {
  return hash('sha256', text, 'base64url');
}

export function hmacSha256(key: Buffer, text: string | Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Compares in constant time, so that the time does not show where two secrets differ. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashBytes(a), hashBytes(b));
}

function hashBytes(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
