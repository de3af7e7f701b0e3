/**
 * Keeping secrets that must be read again: sealed with AES-256-GCM before they are stored.
 *
 * A sealed text opens only under the same key and the same context, so a row copied to another account stays shut.
 * What must never happen: a secret, or the key, in a log line or an error text.
 */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1.';

export interface Sealer {
  seal(text: string, context: string): string;
  /** Undefined when it was sealed with another key or in another context. */
  open(sealed: string, context: string): string | undefined;
}

export function createSealer(keyBytes: Buffer): Sealer {
  const key = createSecretKey(keyBytes);
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      if (!sealed.startsWith(VERSION)) return undefined;
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return Buffer.concat(text).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** A key as people write it: 32 bytes in hexadecimal or base64. */
export function parseSealingKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}

/** The key in this file, which is made with a new one if it is not there. Only its owner may read it. */
export function sealingKeyOfFile(path: string): Buffer {
  return readKey(path) ?? createKey(path);
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = parseSealingKey(text);
  if (!key) throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes`);
  return key;
}

/** Written to a draft and linked into place: a second process finds a whole key, and uses it. */
function createKey(path: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${key.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
    return key;
  } catch (error) {
    const existing = readKey(path);
    if (!existing) throw error;
    return existing;
  } finally {
    rmSync(draft, { force: true });
  }
}
