/**
 * Sealing values before they are stored, and opening them again: AES-256-GCM under the data keys of this installation.
 *
 *     ~1 <key id, 5 bytes, and salt, 16 bytes> <counter, 4 bytes, tag, 16 bytes, and the sealed text>
 *
 * Both parts are base64url. The first says which key opens the value. A process draws a salt and derives from the key, the
 * salt and the column a key of its own, under which it counts: so no nonce comes twice, and a value that was moved to
 * another column does not open. Before the counter ends a new salt is drawn.
 *
 * The first key seals, all of them open. A value from before the first key is stored as it is, and is read as it is.
 *
 * What must never happen: a nonce that was used before under the same key; a text that is not what was sealed; a key in a
 * log line or an error text.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { parseSealingKey } from './sealing.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 5;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const COUNTER_BYTES = 4;
const TAG_BYTES = 16;
const MARK = '~1';
/** Of base64url: 21 bytes are 28 characters, so what follows begins at a byte. */
const SALT_ENDS = MARK.length + ((KEY_ID_BYTES + SALT_BYTES) * 4) / 3;
const SEALED = /^~1[\w-]{28}[\w-]{27,}$/;
const HASHED = '~h';
const HASH_BYTES = 12;
/** The nonce is the counter, which has 32 bits. */
const MOST_OF_ONE_SALT = 2 ** 32 - 1;
/** Each start of a process has a salt; those of a few days are kept, in every column. */
const MOST_SUBKEYS = 2_000;
/** Values are mostly read soon after they were written, by the process that wrote them. */
const MOST_RECENT = 10_000;
const LONGEST_RECENT = 2_000;

export interface Vault {
  /** The ids of the keys, which are no secret, in their order: the first seals, unless it is `plain`. */
  readonly names: readonly string[];
  /** `column` names what is stored where: it opens there and nowhere else. */
  seal(text: string, column: string): string;
  /** The text that was sealed; a value that is not sealed as it is. Throws UnknownDataKey, or an error if it was changed. */
  open(stored: string, column: string): string;
  /** A hash that only who has the key can make, to find a value again. As it is where nothing is sealed. */
  hash(text: string, column: string): string;
  /** Every way in which `hash` may have stored it: under each of the keys, and as it is. */
  hashes(text: string, column: string): readonly string[];
}

/** The names of the keys; without a vault nothing is sealed. */
export function namesOf(vault: Vault | undefined): readonly string[] {
  return vault?.names ?? [PLAIN];
}

/** A value was sealed with a key that this process was not given. */
export class UnknownDataKey extends Error {
  override name = 'UnknownDataKey';
  readonly id: string;

  constructor(id: string) {
    super(`a stored value is sealed with the data key ${id}, which BONGSU_DATA_KEY does not have`);
    this.id = id;
  }
}

/** The keys in their order. `isSealing`: whether new values are sealed, with the first. */
export interface DataKeys {
  readonly keys: readonly Buffer[];
  readonly isSealing: boolean;
}

/** In the place of the first key: new values are stored as they are. */
export const PLAIN = 'plain';
const MOST_KEYS = 10;

/** Keys as people write them: separated by commas, maybe `plain` in the first place. */
export function parseDataKeys(text: string): DataKeys | undefined {
  const items = text.split(',').map(item => item.trim());
  const isSealing = items[0] !== PLAIN;
  const keys = (isSealing ? items : items.slice(1)).map(parseSealingKey);
  const known = keys.filter(key => key !== undefined);
  const isDistinct = new Set(known.map(dataKeyId)).size === keys.length;
  if (known.length < keys.length || keys.length === 0 || keys.length > MOST_KEYS || !isDistinct)
    return undefined;
  return { keys: known, isSealing };
}

/** The name of a key, by which a sealed value says what opens it. */
function dataKeyId(key: Buffer): string {
  return keyIdBytes(key).toString('hex');
}

function keyIdBytes(key: Buffer): Buffer {
  return createHash('sha256').update('bongsu data key id\n').update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** In SQL of both engines, the bytes of the text in a column, whether it is sealed or not. */
export function textBytesSql(column: string): string {
  const bytes = `octet_length(${column})`;
  const sealedBytes = `(${bytes} - ${SALT_ENDS}) * 3 / 4 - ${COUNTER_BYTES + TAG_BYTES}`;
  return `CASE WHEN substr(${column}, 1, ${MARK.length}) = '${MARK}' THEN ${sealedBytes} ELSE ${bytes} END`;
}

/** How what is sealed with a key begins, and how its hashes do, for statements that look for them. */
export function beginningsOf(id: string): { readonly sealed: string; readonly hashed: string } {
  const text = Buffer.from(id, 'hex').toString('base64url');
  // The last character of the id has bits of the salt in it.
  return { sealed: MARK + text.slice(0, -1), hashed: HASHED + text };
}

/** The same of everything that is sealed or hashed. */
export const BEGINNINGS = { sealed: MARK, hashed: HASHED };

interface RingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

export function createVault({ keys, isSealing }: DataKeys): Vault {
  const ring: readonly RingKey[] = keys.map(bytes => ({ id: dataKeyId(bytes), bytes }));
  const first = isSealing ? ring[0] : undefined;
  const subkeys = new Subkeys(ring);
  const recent = new Recent();
  const hashKeys = new Map<string, readonly HashKey[]>();
  let salt = '';
  let counter = MOST_OF_ONE_SALT;
  const nonce = Buffer.alloc(NONCE_BYTES);

  function hashKeysOf(column: string): readonly HashKey[] {
    let known = hashKeys.get(column);
    if (!known) {
      known = ring.map(({ id, bytes }) => {
        return { begins: beginningsOf(id).hashed, key: derived(bytes, '', `hash ${column}`) };
      });
      hashKeys.set(column, known);
    }
    return known;
  }

  return {
    names: [...(first ? [] : [PLAIN]), ...ring.map(({ id }) => id)],
    seal(text, column) {
      if (!first) return text;
      if (counter === MOST_OF_ONE_SALT) {
        salt = MARK + Buffer.concat([keyIdBytes(first.bytes), randomBytes(SALT_BYTES)]).toString('base64url');
        counter = 0;
      }
      nonce.writeUInt32BE(++counter, NONCE_BYTES - COUNTER_BYTES);
      const cipher = createCipheriv(ALGORITHM, subkeys.of(salt, column), nonce);
      const body = cipher.update(text, 'utf8');
      cipher.final();
      const bytes = Buffer.allocUnsafe(COUNTER_BYTES + TAG_BYTES + body.length);
      bytes.writeUInt32BE(counter);
      bytes.set(cipher.getAuthTag(), COUNTER_BYTES);
      bytes.set(body, COUNTER_BYTES + TAG_BYTES);
      const sealed = salt + bytes.toString('base64url');
      recent.keep(sealed, column, text);
      return sealed;
    },
    open(stored, column) {
      if (!stored.startsWith(MARK)) return stored;
      const known = recent.find(stored, column);
      if (known !== undefined) return known;
      if (!SEALED.test(stored)) return stored;
      const bytes = Buffer.from(stored.slice(SALT_ENDS), 'base64url');
      const iv = Buffer.alloc(NONCE_BYTES);
      bytes.copy(iv, NONCE_BYTES - COUNTER_BYTES, 0, COUNTER_BYTES);
      const subkey = subkeys.of(stored.slice(0, SALT_ENDS), column);
      const decipher = createDecipheriv(ALGORITHM, subkey, iv, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(COUNTER_BYTES, COUNTER_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(COUNTER_BYTES + TAG_BYTES), undefined, 'utf8');
      try {
        decipher.final();
      } catch {
        throw new Error(`a sealed value of ${column} was changed after it was stored, or belongs elsewhere`);
      }
      recent.keep(stored, column, text);
      return text;
    },
    hash(text, column) {
      const [key] = isSealing ? hashKeysOf(column) : [];
      return key ? hashWith(key, text) : text;
    },
    hashes: (text, column) => [...hashKeysOf(column).map(key => hashWith(key, text)), text],
  };
}

interface HashKey {
  readonly begins: string;
  readonly key: KeyObject;
}

function hashWith({ begins, key }: HashKey, text: string): string {
  const digest = createHmac('sha256', key).update(text).digest();
  return begins + digest.subarray(0, HASH_BYTES).toString('base64url');
}

function derived(key: Buffer, salt: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, `bongsu ${purpose}`, KEY_BYTES)));
}

/** The keys that were derived for a salt and a column. */
class Subkeys {
  readonly #ring: readonly RingKey[];
  readonly #columns = new Map<string, Map<string, KeyObject>>();

  constructor(ring: readonly RingKey[]) {
    this.#ring = ring;
  }

  of(salt: string, column: string): KeyObject {
    let known = this.#columns.get(column);
    if (!known) {
      known = new Map();
      this.#columns.set(column, known);
    }
    let subkey = known.get(salt);
    if (!subkey) {
      if (known.size >= MOST_SUBKEYS) known.clear();
      subkey = this.#derive(salt, column);
      known.set(salt, subkey);
    }
    return subkey;
  }

  #derive(salt: string, column: string): KeyObject {
    const id = Buffer.from(salt.slice(MARK.length), 'base64url').subarray(0, KEY_ID_BYTES).toString('hex');
    const key = this.#ring.find(candidate => candidate.id === id);
    if (!key) throw new UnknownDataKey(id);
    return derived(key.bytes, salt, `seal ${column}`);
  }
}

/** What was sealed or opened last. When the younger half is full, the older one is dropped. */
class Recent {
  #younger = new Map<string, readonly [column: string, text: string]>();
  #older = this.#younger;

  keep(sealed: string, column: string, text: string): void {
    if (text.length > LONGEST_RECENT) return;
    if (this.#younger.size >= MOST_RECENT / 2) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(sealed, [column, text]);
  }

  find(sealed: string, column: string): string | undefined {
    const [of, text] = this.#younger.get(sealed) ?? this.#older.get(sealed) ?? [];
    return of === column ? text : undefined;
  }
}
