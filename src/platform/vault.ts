/**
 * Encrypts values before they are stored and decrypts them again: AES-256-GCM of node:crypto under the data keys of this
 * installation.
 *
 *     ~2 <key id, 3 bytes, salt, 12 bytes, number, 4 bytes, ciphertext, and tag, 16 bytes>, as base64url
 *
 * A process draws a salt and derives a key of its own from the data key and the salt (HKDF-SHA-256). It numbers the values that it
 * encrypts, and the number is the nonce, so no nonce is used twice with a key. The associated data are the table, the column and
 * what identifies the row: a value that was changed, or copied to another place, does not open.
 *
 * How a store is encrypted (its `SealingMode`) is kept in the database:
 *
 *     ctr     a node of version 0.2 may read it: new values have the form of that version (vault-ctr.ts)
 *     gcm     new values have the form above, and every form is read
 *     strict  everything has been re-encrypted: only the form above is read
 *
 * The first key encrypts, all of them decrypt. Without one a value is stored as it is, behind a mark of its own where it could be
 * taken for an encrypted one. Except in strict mode, what looks encrypted with a key that this process does not have is plain text:
 * a gateway does not start without a key of its store (composition/data-keys.ts).
 *
 * What must never happen: the same nonce twice under one key; a text whose tag was not checked; a key in a log line or an error
 * text.
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
import { CTR_LENGTHS, CTR_MARK, createCtrForm } from './vault-ctr.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 3;
const SALT_BYTES = 12;
const NUMBER_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MARK = '~2';
/** Characters of mark, key id and salt; base64url of 15 bytes ends with a whole byte. */
const HEADER_LENGTH = MARK.length + ((KEY_ID_BYTES + SALT_BYTES) * 4) / 3;
/** Before plain text that begins like an encrypted value, or with this. A control character: no text from before has it here. */
const PLAIN_MARK = '~\u0010';
const HASHED = '~h';
/** Of base64url: 12 bytes. */
const HASH_CHARACTERS = 16;
/** Then a new salt is drawn. */
const MOST_NUMBERS = 2 ** (8 * NUMBER_BYTES);
/** Salts whose keys are kept; each start of a process has one. */
const MOST_SALTS = 1_000;

export const SEALING_MODES = ['ctr', 'gcm', 'strict'] as const;
export type SealingMode = (typeof SEALING_MODES)[number];

/** What identifies the row of a value: some of its columns, as they are stored. */
export type RowIdentity = readonly (string | number | null)[];

export interface Vault {
  /** The ids of the keys, which are no secret, in their order: the first encrypts, unless it is `plain`. */
  readonly names: readonly string[];
  /** As the store says; see store/data-keys.ts. */
  mode: SealingMode;
  /** `column` names table and column. */
  seal(text: string, column: string, row: RowIdentity): string;
  /** The text that was encrypted; a value that is not encrypted as it is, except in strict mode. Throws if it was changed. */
  open(stored: string, column: string, row: RowIdentity): string;
  /** A hash that only who has the key can make, to find a value again. As it is where nothing is encrypted. */
  hash(text: string, column: string): string;
  /** Every way in which `hash` may have stored it: under each of the keys, and as it is. */
  hashes(text: string, column: string): readonly string[];
}

/** The names of the keys; without a vault nothing is encrypted. */
export function namesOf(vault: Vault | undefined): readonly string[] {
  return vault?.names ?? [PLAIN];
}

/** Where there is no key. */
export const NO_VAULT: Pick<Vault, 'seal' | 'open' | 'hash'> = {
  seal: plainStored,
  open: plainRead,
  hash: text => text,
};

/** Whether it begins as an encrypted value does. */
export function looksSealed(text: string): boolean {
  return text.startsWith(MARK) || text.startsWith(CTR_MARK);
}

function plainStored(text: string): string {
  return looksSealed(text) || text.startsWith(PLAIN_MARK) ? PLAIN_MARK + text : text;
}

function plainRead(stored: string): string {
  return stored.startsWith(PLAIN_MARK) ? stored.slice(PLAIN_MARK.length) : stored;
}

/** The keys in their order. `isSealing`: whether new values are encrypted, with the first. */
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

/** The name of a key, by which an encrypted value says what decrypts it. */
function dataKeyId(key: Buffer): string {
  return keyIdBytes(key).toString('hex');
}

function keyIdBytes(key: Buffer): Buffer {
  return createHash('sha256').update('bongsu data key id\n').update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** In SQL of both engines, the bytes of the text in a column, whether it is encrypted or not. */
export function textBytesSql(column: string): string {
  const bytes = `octet_length(${column})`;
  const within = (header: number, extra: number) => `(${bytes} - ${header}) * 3 / 4 - ${extra}`;
  return `CASE substr(${column}, 1, ${MARK.length})
    WHEN '${MARK}' THEN ${within(HEADER_LENGTH, NUMBER_BYTES + TAG_BYTES)}
    WHEN '${CTR_MARK}' THEN ${within(CTR_LENGTHS.header, CTR_LENGTHS.extra)} ELSE ${bytes} END`;
}

/** How a stored value may look: as it is, in one of the encrypted forms, or as a keyed hash. */
export const FORMS = ['plain', 'ctr', 'gcm', 'hash'] as const;
export type Form = (typeof FORMS)[number];

/** How values of each form begin, for statements that look for them; those under one key go on with `idText`. */
export const BEGINNINGS: Readonly<Record<Exclude<Form, 'plain'>, string>> = {
  ctr: CTR_MARK,
  gcm: MARK,
  hash: HASHED,
};

/** A key's id as it stands behind the mark of a value: four characters of base64url. */
export function idText(id: string): string {
  return Buffer.from(id, 'hex').toString('base64url');
}

interface RingKey {
  readonly id: string;
  readonly idBytes: Buffer;
  readonly bytes: Buffer;
}

export function createVault({ keys, isSealing }: DataKeys): Vault {
  const ring: readonly RingKey[] = keys.map(bytes => {
    return { id: dataKeyId(bytes), idBytes: keyIdBytes(bytes), bytes };
  });
  const keyOfId = new Map(ring.map(({ id, bytes }) => [idText(id), bytes]));
  const first = isSealing ? ring[0] : undefined;
  const ctr = createCtrForm(first);
  const gcm = createGcmForm(first);
  const hashKeys = new Map<string, readonly HashKey[]>();

  function hashKeysOf(column: string): readonly HashKey[] {
    let known = hashKeys.get(column);
    if (!known) {
      known = ring.map(({ id, bytes }) => {
        return { begins: HASHED + idText(id), key: derivedKey(bytes, '', `hash ${column}`) };
      });
      hashKeys.set(column, known);
    }
    return known;
  }

  const vault: Vault = {
    names: [...(first ? [] : [PLAIN]), ...ring.map(({ id }) => id)],
    mode: 'gcm',
    seal(text, column, row) {
      if (!first) return plainStored(text);
      return vault.mode === 'ctr' ? ctr.seal(text, column) : gcm.seal(text, column, row);
    },
    open(stored, column, row) {
      const key = looksSealed(stored)
        ? keyOfId.get(stored.slice(MARK.length, MARK.length + ID_CHARACTERS))
        : undefined;
      if (key && stored.startsWith(MARK)) return gcm.open(stored, key, column, row);
      if (vault.mode === 'strict')
        throw new Error(`a value of ${column} is not encrypted in the form that this store requires`);
      return key ? ctr.open(stored, key, column) : plainRead(stored);
    },
    hash(text, column) {
      const [key] = isSealing ? hashKeysOf(column) : [];
      return key ? hashWith(key, text) : text;
    },
    hashes: (text, column) => [...hashKeysOf(column).map(key => hashWith(key, text)), text],
  };
  return vault;
}

/** Characters of base64url. */
const ID_CHARACTERS = (KEY_ID_BYTES * 4) / 3;

interface HashKey {
  readonly begins: string;
  readonly key: KeyObject;
}

function hashWith({ begins, key }: HashKey, text: string): string {
  return begins + createHmac('sha256', key).update(text).digest('base64url').slice(0, HASH_CHARACTERS);
}

function derivedKey(key: Buffer, salt: string | Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, salt, `bongsu ${purpose}`, KEY_BYTES)));
}

/** `sealing`: the key that new values are encrypted with. */
function createGcmForm(sealing: RingKey | undefined) {
  /** By header. */
  const derived = new Map<string, KeyObject>();
  let header = '';
  let nextNumber = MOST_NUMBERS;

  function keyOf(headerOfValue: string, key: Buffer): KeyObject {
    const known = derived.get(headerOfValue);
    if (known) return known;
    if (derived.size >= MOST_SALTS) derived.clear();
    const salt = Buffer.from(headerOfValue.slice(MARK.length), 'base64url').subarray(KEY_ID_BYTES);
    const made = derivedKey(key, salt, 'value');
    derived.set(headerOfValue, made);
    return made;
  }

  return {
    seal(text: string, column: string, row: RowIdentity): string {
      if (!sealing) throw new Error('there is no key to encrypt with');
      if (nextNumber >= MOST_NUMBERS) {
        header = MARK + Buffer.concat([sealing.idBytes, randomBytes(SALT_BYTES)]).toString('base64url');
        nextNumber = 0;
      }
      const nonce = Buffer.alloc(NONCE_BYTES);
      nonce.writeUInt32BE(nextNumber++, NONCE_BYTES - NUMBER_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyOf(header, sealing.bytes), nonce);
      cipher.setAAD(associatedData(column, row));
      const parts = [nonce.subarray(-NUMBER_BYTES), cipher.update(text, 'utf8'), cipher.final()];
      return header + Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url');
    },
    open(stored: string, key: Buffer, column: string, row: RowIdentity): string {
      const all = Buffer.from(stored.slice(MARK.length), 'base64url');
      const bytes = all.subarray(KEY_ID_BYTES + SALT_BYTES);
      // Several texts stand for the same bytes: only the one that is written is taken.
      const isWhole = bytes.length >= NUMBER_BYTES + TAG_BYTES && MARK + all.toString('base64url') === stored;
      if (!isWhole) throw new ChangedValue(column);
      const headerOfValue = stored.slice(0, HEADER_LENGTH);
      const nonce = Buffer.alloc(NONCE_BYTES);
      bytes.copy(nonce, NONCE_BYTES - NUMBER_BYTES, 0, NUMBER_BYTES);
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv(ALGORITHM, keyOf(headerOfValue, key), nonce, options)
        .setAAD(associatedData(column, row))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NUMBER_BYTES, -TAG_BYTES), undefined, 'utf8');
      try {
        return text + decipher.final('utf8');
      } catch {
        throw new ChangedValue(column);
      }
    },
  };
}

class ChangedValue extends Error {
  override name = 'ChangedValue';

  constructor(column: string) {
    super(`a sealed value of ${column} was changed after it was stored, or belongs elsewhere`);
  }
}

/** Numbers may be read as text: both are the same. */
function associatedData(column: string, row: RowIdentity): Buffer {
  return Buffer.from(JSON.stringify([column, ...row.map(value => (value === null ? null : String(value)))]));
}
