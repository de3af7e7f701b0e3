import assert from 'node:assert/strict';
import { createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import {
  BEGINNINGS,
  createVault,
  idText,
  looksSealed,
  NO_VAULT,
  parseDataKeys,
  type SealingMode,
  textBytesSql,
  type Vault,
} from './vault.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const COLUMN = 'message.recipient';
const ROW = ['shop', '20261115A'];
const TEXTS = ['', '01012345678', '안녕하세요 고객님', '🙂', 'x'.repeat(100_000), '~1', '"\\{}\n'];

function vaultOf(...keys: Buffer[]): Vault {
  return createVault({ keys, isSealing: true });
}

function vaultIn(mode: SealingMode, ...keys: Buffer[]): Vault {
  const vault = vaultOf(...keys);
  vault.mode = mode;
  return vault;
}

const beginningOf = (vault: Vault, form: keyof typeof BEGINNINGS) =>
  BEGINNINGS[form] + idText(vault.names[0] ?? '');

for (const mode of ['ctr', 'gcm', 'strict'] as const) {
  test(`opens what it encrypted in mode ${mode}, in any script and of any length`, () => {
    const vault = vaultIn(mode, oldKey);
    const reader = vaultIn(mode === 'strict' ? 'strict' : 'gcm', oldKey);
    for (const text of TEXTS) {
      const sealed = vault.seal(text, COLUMN, ROW);
      assert.ok(sealed.startsWith(beginningOf(vault, mode === 'ctr' ? 'ctr' : 'gcm')));
      if (mode === 'ctr') assert.equal(vault.open(sealed, COLUMN, ROW), text);
      assert.equal(reader.open(sealed, COLUMN, ROW), text);
      if (text.length > 3) assert.ok(!sealed.includes(text));
    }
  });

  test(`does not open what was changed or cut in mode ${mode}, not even in the process that encrypted it`, () => {
    const vault = vaultIn(mode, oldKey);
    for (const text of ['01012345678', 'three']) {
      const sealed = vault.seal(text, COLUMN, ROW);
      for (const reader of [vault, vaultIn(mode, oldKey)]) {
        // Behind mark and id, which say that it is encrypted, and with which key.
        for (let index = 6; index < sealed.length; index++) {
          for (const other of ['A', 'B', 'w', '-', '=', ' ']) {
            if (sealed[index] === other) continue;
            const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
            assert.throws(() => reader.open(changed, COLUMN, ROW), /changed/, `${changed} for ${sealed}`);
          }
          assert.throws(() => reader.open(sealed.slice(0, index), COLUMN, ROW), /changed/);
        }
        assert.throws(() => reader.open(`${sealed}A`, COLUMN, ROW), /changed/);
        assert.equal(reader.open(sealed, COLUMN, ROW), text);
      }
    }
  });
}

test('does not open another writing of the same salt', () => {
  // HKDF takes a salt without its last byte for the same one if that byte is zero.
  const sealedUnder = (): string => vaultOf(oldKey).seal('01012345678', COLUMN, ROW);
  const endsWithZero = (sealed: string) => Buffer.from(sealed.slice(2, 22), 'base64url').at(-1) === 0;
  let sealed = sealedUnder();
  while (!endsWithZero(sealed)) sealed = sealedUnder();
  for (const other of ['=', ' ']) {
    const changed = sealed.slice(0, 21) + other + sealed.slice(22);
    assert.throws(() => vaultOf(oldKey).open(changed, COLUMN, ROW), /changed/, changed);
  }
});

test('opens in no other column and in no other row, not even what this process has just encrypted', () => {
  const vault = vaultOf(oldKey);
  const sealed = vault.seal('01012345678', COLUMN, ROW);
  for (const reader of [vault, vaultOf(oldKey)]) {
    assert.throws(() => reader.open(sealed, 'message.words', ROW), /message.words was changed/);
    for (const row of [
      ['shop', '20261115B'],
      ['cafe', '20261115A'],
      ['shop'],
      [...ROW, ''],
      ['20261115A', 'shop'],
    ])
      assert.throws(() => reader.open(sealed, COLUMN, row), /message.recipient was changed/, row.join());
    assert.equal(reader.open(sealed, COLUMN, ROW), '01012345678');
  }
});

test('tells rows apart whose columns are joined alike, and nothing from empty', () => {
  const vault = vaultOf(oldKey);
  const rows = [['a', 'bc'], ['ab', 'c'], ['a","bc'], ['', null], [null, ''], ['null', ''], [1, 23], [12, 3]];
  const sealed = rows.map(row => vault.seal('text', COLUMN, row));
  for (const [place, value] of sealed.entries()) {
    for (const [index, row] of rows.entries()) {
      if (index === place) assert.equal(vault.open(value, COLUMN, row), 'text');
      else assert.throws(() => vault.open(value, COLUMN, row), JSON.stringify([rows[place], row]));
    }
  }
  assert.equal(vault.open(vault.seal('text', COLUMN, [7]), COLUMN, ['7']), 'text', 'a number read as text');
});

test('never uses a nonce twice: each process has a salt, and numbers its values', () => {
  const [one, other] = [vaultOf(oldKey), vaultOf(oldKey)];
  const sealed = Array.from({ length: 1000 }, () => one.seal('01012345678', COLUMN, ROW));
  const headers = new Set(sealed.map(value => value.slice(0, 22)));
  assert.equal(headers.size, 1);
  const numbers = sealed.map(value => Buffer.from(value.slice(22), 'base64url').readUInt32BE());
  assert.deepEqual(numbers, [...numbers.keys()]);
  assert.ok(!headers.has(other.seal('01012345678', COLUMN, ROW).slice(0, 22)));
});

test('is AES-256-GCM under a key of HKDF, and HMAC-SHA-256, as other programs make them', () => {
  const vault = vaultOf(oldKey);
  vault.seal('something before', COLUMN, ROW);
  for (const text of ['01012345678', 'x'.repeat(10_000)]) {
    const bytes = Buffer.from(vault.seal(text, COLUMN, ROW).slice(2), 'base64url');
    assert.equal(bytes.subarray(0, 3).toString('hex'), vault.names[0]);
    const key = Buffer.from(hkdfSync('sha256', oldKey, bytes.subarray(3, 15), 'bongsu value', 32));
    const nonce = Buffer.concat([Buffer.alloc(8), bytes.subarray(15, 19)]);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      .setAAD(Buffer.from('["message.recipient","shop","20261115A"]'))
      .setAuthTag(bytes.subarray(-16));
    assert.equal(decipher.update(bytes.subarray(19, -16)).toString() + decipher.final('utf8'), text);
  }
  const key = Buffer.from(hkdfSync('sha256', oldKey, '', `bongsu hash ${COLUMN}`, 32));
  const digest = createHmac('sha256', key).update('01012345678').digest().subarray(0, 12);
  const hashed = beginningOf(vault, 'hash') + digest.toString('base64url');
  assert.equal(vault.hash('01012345678', COLUMN), hashed);
});

test('reads what version 0.2 wrote', () => {
  const key = Buffer.from('00112233445566778899aabbccddeeff'.repeat(2), 'hex');
  const vault = vaultOf(key);
  const recipient = '~1XSHac-8qvI9UaX-EAAAAAAABEC3QKlHOe2uiMqMLeMh3eEZg_bLl2LI';
  const words = '~1XSHac-8qvI9UaX-EAAAAAAAC9MNf15F_Co1cYnbVu2SEPXDH';
  assert.equal(vault.open(recipient, COLUMN, ROW), '01012345678');
  assert.equal(vault.open(words, 'message.words', ROW), '안녕');
  assert.throws(() => vault.open(words, COLUMN, ROW), /changed/);
  assert.equal(vault.hash('01012345678', 'message_index.term'), '~hXSHaUwsdtYq8kzHici_V');
});

test('never uses a block of the key stream twice in the form of version 0.2', () => {
  const vault = vaultIn('ctr', oldKey);
  let free = 0;
  for (let index = 0; index < 300; index++) {
    const length = index % 7 === 0 ? index * 5 : index % 40;
    const bytes = Buffer.from(vault.seal('x'.repeat(length), COLUMN, ROW).slice(18), 'base64url');
    assert.equal(bytes.readUIntBE(0, 6), free);
    free += Math.max(1, Math.ceil(length / 16));
  }
});

test('is strict: refuses plain text, marked or not, and the form of version 0.2', () => {
  const vault = vaultIn('strict', newKey, oldKey);
  const plain = [
    '',
    '01012345678',
    '{"name":"kim"}',
    NO_VAULT.seal('~1', COLUMN, ROW),
    `~2${'A'.repeat(60)}`,
  ];
  for (const stored of [...plain, vaultIn('ctr', oldKey).seal('before', COLUMN, ROW)])
    assert.throws(
      () => vault.open(stored, COLUMN, ROW),
      /not encrypted in the form that this store requires/,
    );
  assert.equal(vault.open(vaultOf(oldKey).seal('before', COLUMN, ROW), COLUMN, ROW), 'before');
});

test('takes what looks encrypted with a key that it does not have for plain text', () => {
  const writer = vaultOf(oldKey);
  const sealed = writer.seal('01012345678', COLUMN, ROW);
  assert.equal(vaultOf(newKey).open(sealed, COLUMN, ROW), sealed);
  for (const mark of ['~1', '~2']) {
    assert.ok(looksSealed(`${mark}${'A'.repeat(60)}`));
    assert.equal(vaultOf(newKey).open(`${mark}${'A'.repeat(60)}`, COLUMN, ROW), `${mark}${'A'.repeat(60)}`);
  }
});

test('plain text is never taken for encrypted, whatever it looks like and whichever key comes later', () => {
  const known = vaultOf(oldKey);
  const alike = (['ctr', 'gcm'] as const).map(form => beginningOf(known, form) + 'A'.repeat(60));
  for (const text of alike)
    assert.throws(() => known.open(text, COLUMN, ROW), /changed/, 'stored as it is, it would be');
  const introducing = createVault({ keys: [oldKey], isSealing: false });
  for (const text of [
    ...alike,
    '~1',
    '~2',
    `~2${'A'.repeat(60)}`,
    '~\u0010',
    '~\u0010~1',
    '~',
    'plain',
    '',
  ]) {
    for (const before of [NO_VAULT, introducing]) {
      const stored = before.seal(text, COLUMN, ROW);
      assert.ok(!looksSealed(stored), text);
      for (const reader of [NO_VAULT, introducing, vaultOf(oldKey), vaultOf(newKey, oldKey)])
        assert.equal(reader.open(stored, COLUMN, ROW), text);
    }
  }
});

test('encrypts with the first key, and opens with each', () => {
  const before = vaultOf(oldKey).seal('before', COLUMN, ROW);
  const vault = vaultOf(newKey, oldKey);
  assert.equal(vault.open(before, COLUMN, ROW), 'before');
  const after = vault.seal('after', COLUMN, ROW);
  assert.ok(after.startsWith(beginningOf(vault, 'gcm')));
  assert.equal(vaultOf(newKey).open(after, COLUMN, ROW), 'after');
});

test('reads what was stored without a key as it is', () => {
  const vault = vaultOf(oldKey);
  for (const plain of ['01012345678', '+821012345678', '{"name":"kim"}', '[]', '', '~1 is no key', '~2'])
    assert.equal(vault.open(plain, COLUMN, ROW), plain);
});

test('encrypts nothing with plain in the first place, and opens all the same', () => {
  const sealed = vaultOf(oldKey).seal('before', COLUMN, ROW);
  const vault = createVault({ keys: [oldKey], isSealing: false });
  assert.equal(vault.seal('after', COLUMN, ROW), 'after');
  assert.equal(vault.hash('after', COLUMN), 'after');
  assert.equal(vault.open(sealed, COLUMN, ROW), 'before');
  assert.equal(vault.names[0], 'plain');
});

test('hashes with the first key, and finds under each', () => {
  const before = vaultOf(oldKey).hash('01012345678', COLUMN);
  assert.ok(before.startsWith(beginningOf(vaultOf(oldKey), 'hash')));
  assert.equal(vaultOf(oldKey).hash('01012345678', COLUMN), before);
  assert.notEqual(vaultOf(oldKey).hash('01012345678', 'another'), before);
  assert.notEqual(vaultOf(newKey).hash('01012345678', COLUMN), before);
  const vault = vaultOf(newKey, oldKey);
  const hashes = vault.hashes('01012345678', COLUMN);
  assert.deepEqual(hashes, [vault.hash('01012345678', COLUMN), before, '01012345678']);
});

test('reads keys as people write them', () => {
  const [hex, base64] = [oldKey.toString('hex'), newKey.toString('base64')];
  assert.deepEqual(parseDataKeys(hex), { keys: [oldKey], isSealing: true });
  assert.deepEqual(parseDataKeys(`${base64}, ${hex}`), { keys: [newKey, oldKey], isSealing: true });
  assert.deepEqual(parseDataKeys(`plain,${hex}`), { keys: [oldKey], isSealing: false });
  for (const wrong of ['', 'plain', `${hex},`, `${hex},plain`, `${hex},${hex}`, 'a password', hex.slice(2)])
    assert.equal(parseDataKeys(wrong), undefined, wrong);
});

test('knows in SQL how long an encrypted text is', () => {
  const db = new DatabaseSync(':memory:');
  const bytesOf = db.prepare(`SELECT ${textBytesSql('stored')} AS bytes FROM (SELECT ? AS stored)`);
  for (const length of [0, 1, 2, 3, 100]) {
    const text = 'x'.repeat(length);
    const values = [
      text,
      ...(['ctr', 'gcm'] as const).map(mode => vaultIn(mode, oldKey).seal(text, COLUMN, ROW)),
    ];
    for (const stored of values) assert.deepEqual({ ...bytesOf.get(stored) }, { bytes: length }, stored);
  }
});
