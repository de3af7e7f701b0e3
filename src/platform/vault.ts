/**
 * Sealing values before they are stored, and opening them again: AES-256-CTR and HMAC-SHA-256 under the data keys of this
 * installation.
 *
 *     ~1 <key id, 3 bytes, and salt, 9 bytes> <block, 6 bytes, the text enciphered, and tag, 12 bytes>
 *
 * Both parts are base64url. The first says which key opens the value. A process draws a salt and derives keys of its own from
 * key and salt: one for the key stream, of which every value takes the next blocks, and one for the tags of each column. So no
 * block is used twice, and a value that was changed, or moved to another column, does not open.
 *
 * The first key seals, all of them open. Without one a value is stored as it is, behind a mark of its own where it could be taken
 * for one that is sealed. What looks sealed with a key that this process does not have is plain text: a gateway does not start
 * without a key of its store (composition/data-keys.ts).
 *
 * Not AES-GCM: a cipher object for each value takes 13 µs where this takes 4, because the key stream is made 64 KiB at a
 * time and a tag costs two calls of `hash`. Three values are sealed for each message (`npm run bench:data-key`).
 *
 * What must never happen: a block of the key stream that was used before; a text that is not what was sealed; a key in a log
 * line or an error text.
 */
import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { parseSealingKey } from './sealing.ts';

const ALGORITHM = 'aes-256-ctr';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 3;
/** 72 bits: of a million starts of processes, two have the same with a chance of one in eight thousand million. */
const SALT_BYTES = 9;
const CIPHER_BLOCK_BYTES = 16;
/** Of the number of a block, in a value: eight characters of base64url. */
const POSITION_BYTES = 6;
const TAG_BYTES = 12;
const MARK = '~1';
/** Of base64url: 12 bytes are 16 characters, so what follows begins at a byte. */
const SALT_ENDS = MARK.length + ((KEY_ID_BYTES + SALT_BYTES) * 4) / 3;
const POSITION_ENDS = SALT_ENDS + (POSITION_BYTES * 4) / 3;
/** Before plain text that begins like something sealed, or with this. A control character: no text from before has it here. */
const PLAIN_MARK = '~\u0010';
const SEALED = /^~1[\w-]{16}[\w-]{24,}$/;
const HASHED = '~h';
/** Of base64url: 12 bytes. */
const HASH_CHARACTERS = 16;
/** 64 GiB of one key stream; then a new salt is drawn. */
const MOST_BLOCKS = 2 ** 32;
const STREAM_BYTES = 65_536;
/** Each start of a process has a salt; those of some days are kept. */
const MOST_SALTS = 1_000;
/**
 * Values are mostly read soon after they were written, by the process that wrote them: when the step is claimed, when its
 * receipt comes, and within seconds by the search index. A value is kept until one that begins as many blocks later takes its
 * place: some ten thousand messages.
 */
const RECENT_BLOCKS = 2 ** 17;
const LONGEST_RECENT = 500;

export interface Vault {
  /** The ids of the keys, which are no secret, in their order: the first seals, unless it is `plain`. */
  readonly names: readonly string[];
  /** `column` names what is stored where: it opens there and nowhere else. */
  seal(text: string, column: string): string;
  /** The text that was sealed; a value that is not sealed as it is. Throws if it was changed. */
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

/** Where there is no key. */
export const NO_VAULT: Pick<Vault, 'seal' | 'open' | 'hash'> = {
  seal: plainStored,
  open: plainRead,
  hash: text => text,
};

/** Whether it begins as a sealed value does. */
export function looksSealed(text: string): boolean {
  return text.startsWith(MARK);
}

function plainStored(text: string): string {
  return text.startsWith(MARK) || text.startsWith(PLAIN_MARK) ? PLAIN_MARK + text : text;
}

function plainRead(stored: string): string {
  return stored.startsWith(PLAIN_MARK) ? stored.slice(PLAIN_MARK.length) : stored;
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
  const sealedBytes = `(${bytes} - ${SALT_ENDS}) * 3 / 4 - ${POSITION_BYTES + TAG_BYTES}`;
  return `CASE WHEN substr(${column}, 1, ${MARK.length}) = '${MARK}' THEN ${sealedBytes} ELSE ${bytes} END`;
}

/** How what is sealed with a key begins, and how its hashes do, for statements that look for them. */
export function beginningsOf(id: string): { readonly sealed: string; readonly hashed: string } {
  const text = Buffer.from(id, 'hex').toString('base64url');
  return { sealed: MARK + text, hashed: HASHED + text };
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
  const salts = new Salts(ring);
  const hashers = new Map<string, readonly Hasher[]>();
  let stream: Stream | undefined;

  function nextStream(key: RingKey): Stream {
    if (!stream || stream.isUsedUp) {
      const drawn = Buffer.concat([keyIdBytes(key.bytes), randomBytes(SALT_BYTES)]).toString('base64url');
      stream = new Stream(salts.under(MARK + drawn, key.bytes));
    }
    return stream;
  }

  function hashersOf(column: string): readonly Hasher[] {
    let known = hashers.get(column);
    if (!known) {
      known = ring.map(({ id, bytes }) => {
        return { begins: beginningsOf(id).hashed, mac: new Mac(derived(bytes, '', `hash ${column}`)) };
      });
      hashers.set(column, known);
    }
    return known;
  }

  return {
    names: [...(first ? [] : [PLAIN]), ...ring.map(({ id }) => id)],
    seal: (text, column) => (first ? nextStream(first).seal(text, column) : plainStored(text)),
    open(stored, column) {
      if (!stored.startsWith(MARK)) return plainRead(stored);
      const known = stream?.recent(stored, column);
      if (known !== undefined) return known;
      const salt = SEALED.test(stored) ? salts.of(stored.slice(0, SALT_ENDS)) : undefined;
      return salt ? salt.open(stored, column) : stored;
    },
    hash(text, column) {
      const [hasher] = isSealing ? hashersOf(column) : [];
      return hasher ? hashWith(hasher, text) : text;
    },
    hashes: (text, column) => [...hashersOf(column).map(hasher => hashWith(hasher, text)), text],
  };
}

interface Hasher {
  readonly begins: string;
  readonly mac: Mac;
}

function hashWith({ begins, mac }: Hasher, text: string): string {
  return begins + mac.textOf(text).slice(0, HASH_CHARACTERS);
}

function derived(key: Buffer, salt: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `bongsu ${purpose}`, KEY_BYTES));
}

/** The next values under one salt: key stream that was not used before, and what was sealed last. */
class Stream {
  readonly #salt: Salt;
  readonly #cipher: Cipheriv;
  #made = Buffer.alloc(0);
  /** The first block of what was made, and where in it the next value begins. */
  #firstBlock = 0;
  #offset = 0;
  readonly #recent: (Recent | undefined)[] = new Array(RECENT_BLOCKS).fill(undefined);

  constructor(salt: Salt) {
    this.#salt = salt;
    this.#cipher = createCipheriv(ALGORITHM, salt.streamKey, counterOf(0));
  }

  get isUsedUp(): boolean {
    return this.#firstBlock >= MOST_BLOCKS;
  }

  seal(text: string, column: string): string {
    const mac = this.#salt.macOf(column);
    const length = Buffer.byteLength(text);
    const bytes = mac.messageOf(POSITION_BYTES + length, TAG_BYTES);
    const start = MAC_BLOCK_BYTES + POSITION_BYTES;
    bytes.write(text, start, 'utf8');
    const block = this.#take(length);
    const from = this.#offset - rounded(length);
    for (let index = 0; index < length; index++)
      bytes[start + index] = (bytes[start + index] ?? 0) ^ (this.#made[from + index] ?? 0);
    bytes.writeUIntBE(block, MAC_BLOCK_BYTES, POSITION_BYTES);
    const end = start + length;
    bytes.write(mac.tagOf(bytes.subarray(0, end)), end, TAG_BYTES, 'latin1');
    if (length <= LONGEST_RECENT) this.#recent[block % RECENT_BLOCKS] = { block, column, text };
    return this.#salt.text + bytes.toString('base64url', MAC_BLOCK_BYTES, end + TAG_BYTES);
  }

  recent(stored: string, column: string): string | undefined {
    if (!stored.startsWith(this.#salt.text)) return undefined;
    const block = positionIn(stored);
    const recent = this.#recent[block % RECENT_BLOCKS];
    return recent?.block === block && recent.column === column ? recent.text : undefined;
  }

  /** Takes blocks for a value; returns the number of the first. They end at the offset. */
  #take(length: number): number {
    const size = rounded(length);
    if (this.#offset + size > this.#made.length) {
      this.#firstBlock += this.#made.length / CIPHER_BLOCK_BYTES;
      this.#made = this.#cipher.update(Buffer.alloc(Math.max(STREAM_BYTES, size)));
      this.#offset = 0;
    }
    const block = this.#firstBlock + this.#offset / CIPHER_BLOCK_BYTES;
    this.#offset += size;
    return block;
  }
}

interface Recent {
  readonly block: number;
  readonly column: string;
  readonly text: string;
}

/** Whole blocks, and one at least: an empty value has a number of its own too. */
function rounded(length: number): number {
  return Math.max(1, Math.ceil(length / CIPHER_BLOCK_BYTES)) * CIPHER_BLOCK_BYTES;
}

function counterOf(block: number): Buffer {
  const counter = Buffer.alloc(CIPHER_BLOCK_BYTES);
  counter.writeUIntBE(block, CIPHER_BLOCK_BYTES - POSITION_BYTES, POSITION_BYTES);
  return counter;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE64URL_VALUES = new Uint8Array(128);
for (const [value, character] of [...BASE64URL].entries()) BASE64URL_VALUES[character.charCodeAt(0)] = value;

/** Read by hand: a buffer for eight characters takes ten times as long. */
function positionIn(stored: string): number {
  let position = 0;
  for (let index = SALT_ENDS; index < POSITION_ENDS; index++)
    position = position * BASE64URL.length + (BASE64URL_VALUES[stored.charCodeAt(index)] ?? 0);
  return position;
}

/** The keys that were derived for a salt. */
class Salt {
  /** How a value under this salt begins. */
  readonly text: string;
  readonly streamKey: KeyObject;
  readonly #key: Buffer;
  readonly #macs = new Map<string, Mac>();

  constructor(text: string, key: Buffer) {
    this.text = text;
    this.#key = key;
    this.streamKey = createSecretKey(derived(key, text, 'stream'));
  }

  macOf(column: string): Mac {
    let mac = this.#macs.get(column);
    if (!mac) {
      mac = new Mac(derived(this.#key, this.text, `tag ${column}`));
      this.#macs.set(column, mac);
    }
    return mac;
  }

  open(stored: string, column: string): string {
    const bytes = Buffer.from(stored.slice(SALT_ENDS), 'base64url');
    const end = bytes.length - TAG_BYTES;
    const tag = this.macOf(column).of(bytes.subarray(0, end)).subarray(0, TAG_BYTES);
    if (!timingSafeEqual(tag, bytes.subarray(end)))
      throw new Error(`a sealed value of ${column} was changed after it was stored, or belongs elsewhere`);
    const counter = counterOf(bytes.readUIntBE(0, POSITION_BYTES));
    const decipher = createDecipheriv(ALGORITHM, this.streamKey, counter);
    return decipher.update(bytes.subarray(POSITION_BYTES, end), undefined, 'utf8');
  }
}

class Salts {
  readonly #ring: readonly RingKey[];
  readonly #known = new Map<string, Salt>();

  constructor(ring: readonly RingKey[]) {
    this.#ring = ring;
  }

  /** Undefined where the key is not among ours. */
  of(text: string): Salt | undefined {
    const salt = this.#known.get(text);
    if (salt) return salt;
    const id = Buffer.from(text.slice(MARK.length), 'base64url').subarray(0, KEY_ID_BYTES).toString('hex');
    const key = this.#ring.find(candidate => candidate.id === id);
    return key && this.under(text, key.bytes);
  }

  under(text: string, key: Buffer): Salt {
    if (this.#known.size >= MOST_SALTS) this.#known.clear();
    const salt = new Salt(text, key);
    this.#known.set(text, salt);
    return salt;
  }
}

const MAC_BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer messages than this get a buffer of their own. */
const MESSAGE_BYTES = 4_096;

/** HMAC-SHA-256 by two calls of `hash`, which take a fifth of the time of an object of `createHmac`. */
class Mac {
  /** Begins with the inner block of the key; the message is written behind it. */
  readonly #message = Buffer.alloc(MESSAGE_BYTES);
  /** The outer block of the key, and the inner digest. */
  readonly #outer = Buffer.alloc(MAC_BLOCK_BYTES + DIGEST_BYTES, 0x5c);

  constructor(key: Buffer) {
    this.#message.fill(0x36, 0, MAC_BLOCK_BYTES);
    for (const [index, byte] of key.entries()) {
      this.#message[index] = 0x36 ^ byte;
      this.#outer[index] = 0x5c ^ byte;
    }
  }

  /** A buffer that begins with the inner block and has room for a message behind it, and for more; until the next call. */
  messageOf(length: number, more: number): Buffer {
    const size = MAC_BLOCK_BYTES + length + more;
    if (size <= MESSAGE_BYTES) return this.#message;
    const bytes = Buffer.allocUnsafe(size);
    this.#message.copy(bytes, 0, 0, MAC_BLOCK_BYTES);
    return bytes;
  }

  /** Of an inner block with the message behind it; bytes as characters, which is the cheapest way out of `hash`. */
  tagOf(message: Buffer): string {
    this.#outer.write(hash('sha256', message, 'binary'), MAC_BLOCK_BYTES, 'latin1');
    return hash('sha256', this.#outer, 'binary');
  }

  /** Of a text, as base64url. */
  textOf(text: string): string {
    const bytes = this.messageOf(Buffer.byteLength(text), 0);
    const end = MAC_BLOCK_BYTES + bytes.write(text, MAC_BLOCK_BYTES, 'utf8');
    this.#outer.write(hash('sha256', bytes.subarray(0, end), 'binary'), MAC_BLOCK_BYTES, 'latin1');
    return hash('sha256', this.#outer, 'base64url');
  }

  of(content: Buffer): Buffer {
    const bytes = this.messageOf(content.length, 0);
    content.copy(bytes, MAC_BLOCK_BYTES);
    return Buffer.from(this.tagOf(bytes.subarray(0, MAC_BLOCK_BYTES + content.length)), 'latin1');
  }
}
