/**
 * The form in which version 0.2 encrypted values: AES-256-CTR, then HMAC-SHA-256 over ciphertext and position, bound to the column
 * and not to the row. It is read until `bongsu data-key reseal` has replaced it, and written only while a node of version 0.2 may
 * have to read it; see vault.ts.
 *
 *     ~1 <key id, 3 bytes, and salt, 9 bytes> <block, 6 bytes, ciphertext, and tag, 12 bytes>
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const ALGORITHM = 'aes-256-ctr';
const KEY_BYTES = 32;
const SALT_BYTES = 9;
const BLOCK_BYTES = 16;
const POSITION_BYTES = 6;
const TAG_BYTES = 12;
export const CTR_MARK = '~1';
/** Characters of mark, key id and salt. */
const HEADER_LENGTH = 18;
/** Of text in a value beside the text itself: position and tag. */
export const CTR_LENGTHS = { header: HEADER_LENGTH, extra: POSITION_BYTES + TAG_BYTES };
/** Salts whose keys are kept; each start of a process has one. */
const MOST_SALTS = 1_000;

export interface CtrForm {
  seal(text: string, column: string): string;
  open(stored: string, key: Buffer, column: string): string;
}

/** `sealing`: the key that new values are encrypted with. */
export function createCtrForm(
  sealing: { readonly idBytes: Buffer; readonly bytes: Buffer } | undefined,
): CtrForm {
  const derived = new Map<string, KeyObject>();
  const header =
    sealing && CTR_MARK + Buffer.concat([sealing.idBytes, randomBytes(SALT_BYTES)]).toString('base64url');
  let nextBlock = 0;

  function derive(key: Buffer, salt: string, purpose: string): KeyObject {
    const name = `${salt} ${purpose}`;
    const known = derived.get(name);
    if (known) return known;
    if (derived.size >= MOST_SALTS) derived.clear();
    const bytes = Buffer.from(hkdfSync('sha256', key, salt, `bongsu ${purpose}`, KEY_BYTES));
    // A key as bytes makes a cipher three times as slow.
    const made = createSecretKey(bytes);
    derived.set(name, made);
    return made;
  }

  const tagOf = (key: Buffer, salt: string, column: string, bytes: Buffer): Buffer =>
    createHmac('sha256', derive(key, salt, `tag ${column}`))
      .update(bytes)
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    seal(text, column) {
      if (!sealing || header === undefined) throw new Error('there is no key to encrypt with');
      const content = Buffer.from(text);
      const position = Buffer.alloc(POSITION_BYTES);
      position.writeUIntBE(nextBlock, 0, POSITION_BYTES);
      nextBlock += Math.max(1, Math.ceil(content.length / BLOCK_BYTES));
      const cipher = createCipheriv(ALGORITHM, derive(sealing.bytes, header, 'stream'), counterOf(position));
      const bytes = Buffer.concat([position, cipher.update(content)]);
      return (
        header + Buffer.concat([bytes, tagOf(sealing.bytes, header, column, bytes)]).toString('base64url')
      );
    },
    open(stored, key, column) {
      const salt = stored.slice(0, HEADER_LENGTH);
      const all = Buffer.from(stored.slice(HEADER_LENGTH), 'base64url');
      const bytes = all.subarray(0, -TAG_BYTES);
      const isWhole = all.length >= POSITION_BYTES + TAG_BYTES && salt + all.toString('base64url') === stored;
      if (!isWhole || !timingSafeEqual(tagOf(key, salt, column, bytes), all.subarray(-TAG_BYTES)))
        throw new Error(`a sealed value of ${column} was changed after it was stored, or belongs elsewhere`);
      const counter = counterOf(bytes.subarray(0, POSITION_BYTES));
      const decipher = createDecipheriv(ALGORITHM, derive(key, salt, 'stream'), counter);
      return decipher.update(bytes.subarray(POSITION_BYTES), undefined, 'utf8');
    },
  };
}

function counterOf(position: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(BLOCK_BYTES - POSITION_BYTES), position]);
}
