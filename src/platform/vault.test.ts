import assert from 'node:assert/strict';
import { createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { beginningsOf, createVault, looksSealed, NO_VAULT, parseDataKeys, textBytesSql } from './vault.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const vaultOf = (...keys: Buffer[]) => createVault({ keys, isSealing: true });
const COLUMN = 'message.recipient';

test('opens what it sealed, in any script and of any length', () => {
  const vault = vaultOf(oldKey);
  const reader = vaultOf(oldKey);
  for (const text of ['', '01012345678', '안녕하세요 고객님', '🙂', 'x'.repeat(100_000), '~1', '"\\{}\n']) {
    const sealed = vault.seal(text, COLUMN);
    assert.match(sealed, /^~1[\w-]{40,}$/);
    assert.equal(vault.open(sealed, COLUMN), text);
    assert.equal(reader.open(sealed, COLUMN), text);
    if (text.length > 3) assert.ok(!sealed.includes(text));
  }
});

test('seals one text in another way each time, and never takes a block of the key stream twice', () => {
  const vault = vaultOf(oldKey);
  const lengths = Array.from({ length: 3000 }, (_, index) => (index % 7 === 0 ? index * 50 : index % 40));
  const sealed = lengths.map(length => vault.seal('x'.repeat(length), COLUMN));
  assert.equal(new Set(sealed.map(value => value.slice(0, 18))).size, 1, 'one salt of the process');
  let free = 0;
  for (const [index, value] of sealed.entries()) {
    const block = Buffer.from(value.slice(18), 'base64url').readUIntBE(0, 6);
    assert.ok(block >= free, `value ${index} begins at ${block}, and ${free} is the first that is free`);
    free = block + Math.max(1, Math.ceil((lengths[index] ?? 0) / 16));
  }
  const reader = vaultOf(oldKey);
  for (const [index, value] of sealed.entries())
    assert.equal(reader.open(value, COLUMN).length, lengths[index]);
  const other = vaultOf(oldKey).seal('01012345678', COLUMN);
  assert.notEqual(other.slice(0, 18), sealed[0]?.slice(0, 18), 'another process has another salt');
});

test('is AES-256-CTR under an HMAC-SHA-256, as other programs make them', () => {
  const vault = vaultOf(oldKey);
  vault.seal('something before', COLUMN);
  for (const text of ['01012345678', 'x'.repeat(10_000)]) {
    const sealed = vault.seal(text, COLUMN);
    const salt = sealed.slice(0, 18);
    const bytes = Buffer.from(sealed.slice(18), 'base64url');
    const keyFor = (purpose: string) =>
      Buffer.from(hkdfSync('sha256', oldKey, salt, `bongsu ${purpose}`, 32));
    const tag = createHmac('sha256', keyFor(`tag ${COLUMN}`))
      .update(bytes.subarray(0, -12))
      .digest();
    assert.deepEqual(tag.subarray(0, 12), bytes.subarray(-12));
    const counter = Buffer.concat([Buffer.alloc(10), bytes.subarray(0, 6)]);
    const decipher = createDecipheriv('aes-256-ctr', keyFor('stream'), counter);
    assert.equal(decipher.update(bytes.subarray(6, -12)).toString(), text);
  }
  const [id = ''] = vault.names;
  const key = Buffer.from(hkdfSync('sha256', oldKey, '', `bongsu hash ${COLUMN}`, 32));
  const digest = createHmac('sha256', key).update('01012345678').digest().subarray(0, 12);
  assert.equal(vault.hash('01012345678', COLUMN), beginningsOf(id).hashed + digest.toString('base64url'));
});

test('does not open what was changed, at any place', () => {
  const sealed = vaultOf(oldKey).seal('01012345678', COLUMN);
  const reader = vaultOf(oldKey);
  const bytes = Buffer.from(sealed.slice(18), 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.throws(() => reader.open(sealed.slice(0, 18) + changed.toString('base64url'), COLUMN), /changed/);
  }
  assert.throws(() => reader.open(sealed.slice(0, -4), COLUMN), /changed/);
  const salt = Buffer.from(sealed.slice(2, 18), 'base64url');
  salt[11] = (salt[11] ?? 0) ^ 1;
  assert.throws(() => reader.open(`~1${salt.toString('base64url')}${sealed.slice(18)}`, COLUMN), /changed/);
});

test('does not open in another column, not even what this process has just sealed', () => {
  const vault = vaultOf(oldKey);
  const sealed = vault.seal('01012345678', COLUMN);
  assert.throws(() => vault.open(sealed, 'message.words'), /message.words was changed/);
  assert.equal(vault.open(sealed, COLUMN), '01012345678');
});

test('takes what looks sealed with a key that it does not have for plain text', () => {
  const writer = vaultOf(oldKey);
  const sealed = writer.seal('01012345678', COLUMN);
  assert.ok(sealed.startsWith(beginningsOf(writer.names[0] ?? '').sealed));
  assert.equal(vaultOf(newKey).open(sealed, COLUMN), sealed);
  assert.ok(looksSealed(sealed));
  assert.equal(vaultOf(newKey).open(`~1${'A'.repeat(60)}`, COLUMN), `~1${'A'.repeat(60)}`);
});

test('plain text is never taken for sealed, whatever it looks like and whichever key comes later', () => {
  const [id = ''] = vaultOf(oldKey).names;
  const alike = `${beginningsOf(id).sealed}${'A'.repeat(60)}`;
  assert.throws(() => vaultOf(oldKey).open(alike, COLUMN), /changed/, 'stored as it is, it would be');
  const introducing = createVault({ keys: [oldKey], isSealing: false });
  for (const text of [alike, '~1', `~1${'A'.repeat(60)}`, '~\u0010', '~\u0010~1', '~', 'plain', '']) {
    for (const before of [NO_VAULT, introducing]) {
      const stored = before.seal(text, COLUMN);
      assert.ok(!looksSealed(stored), text);
      for (const reader of [NO_VAULT, introducing, vaultOf(oldKey), vaultOf(newKey, oldKey)])
        assert.equal(reader.open(stored, COLUMN), text);
    }
  }
});

test('seals with the first key, and opens with each', () => {
  const before = vaultOf(oldKey).seal('before', COLUMN);
  const vault = vaultOf(newKey, oldKey);
  assert.equal(vault.open(before, COLUMN), 'before');
  const after = vault.seal('after', COLUMN);
  assert.ok(after.startsWith(beginningsOf(vault.names[0] ?? '').sealed));
  assert.equal(vaultOf(newKey).open(after, COLUMN), 'after');
});

test('reads what was stored without a key as it is', () => {
  const vault = vaultOf(oldKey);
  for (const plain of ['01012345678', '+821012345678', '{"name":"kim"}', '[]', '', '~1 is no key']) {
    assert.equal(vault.open(plain, COLUMN), plain);
  }
});

test('seals nothing with plain in the first place, and opens all the same', () => {
  const sealed = vaultOf(oldKey).seal('before', COLUMN);
  const vault = createVault({ keys: [oldKey], isSealing: false });
  assert.equal(vault.seal('after', COLUMN), 'after');
  assert.equal(vault.hash('after', COLUMN), 'after');
  assert.equal(vault.open(sealed, COLUMN), 'before');
  assert.equal(vault.names[0], 'plain');
});

test('hashes with the first key, and finds under each', () => {
  const before = vaultOf(oldKey).hash('01012345678', COLUMN);
  const begins = beginningsOf(vaultOf(oldKey).names[0] ?? '');
  assert.ok(before.startsWith(begins.hashed));
  assert.ok(vaultOf(oldKey).seal('x', COLUMN).startsWith(begins.sealed));
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

test('knows in SQL how long a sealed text is', () => {
  assert.match(textBytesSql('entries'), /substr\(entries, 1, 2\) = '~1'/);
  for (const length of [0, 1, 2, 3, 100]) {
    const sealed = vaultOf(oldKey).seal('x'.repeat(length), COLUMN);
    assert.equal(Math.floor(((sealed.length - 18) * 3) / 4) - 18, length);
  }
});
