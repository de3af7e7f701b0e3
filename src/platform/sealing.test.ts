import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { createSealer, parseSealingKey, sealingKeyOfFile } from './sealing.ts';

const KEY = Buffer.alloc(32, 7);

test('opens what it sealed, and shows nothing of it', () => {
  const sealer = createSealer(KEY);
  const sealed = sealer.seal('whsec_secret', 'shop 1');
  assert.equal(sealer.open(sealed, 'shop 1'), 'whsec_secret');
  assert.doesNotMatch(sealed, /secret/);
  assert.notEqual(sealer.seal('whsec_secret', 'shop 1'), sealed);
});

test('opens nothing under another key, in another context, or changed', () => {
  const sealer = createSealer(KEY);
  const sealed = sealer.seal('whsec_secret', 'shop 1');
  assert.equal(createSealer(Buffer.alloc(32, 8)).open(sealed, 'shop 1'), undefined);
  assert.equal(sealer.open(sealed, 'other 1'), undefined);
  const last = sealed.endsWith('A') ? 'w' : 'A';
  for (const changed of [sealed.slice(0, -1) + last, sealed.slice(0, 20), 'v1.', '', sealed.slice(3)]) {
    assert.equal(sealer.open(changed, 'shop 1'), undefined, changed);
  }
});

test('reads a key of 32 bytes in hexadecimal or base64, and nothing else', () => {
  assert.deepEqual(parseSealingKey(KEY.toString('hex')), KEY);
  assert.deepEqual(parseSealingKey(KEY.toString('base64')), KEY);
  assert.deepEqual(parseSealingKey(KEY.toString('base64url')), KEY);
  for (const wrong of ['', 'short', 'a'.repeat(63), KEY.subarray(1).toString('base64'), 'z'.repeat(64)]) {
    assert.equal(parseSealingKey(wrong), undefined, wrong);
  }
});

test('makes the key file once, readable by its owner only', t => {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'data', 'secret.key');
  const key = sealingKeyOfFile(path);
  assert.equal(key.length, 32);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(sealingKeyOfFile(path), key);
  assert.deepEqual(readdirSync(join(directory, 'data')), ['secret.key']);
  writeFileSync(path, 'broken');
  assert.throws(() => sealingKeyOfFile(path), /secret\.key does not hold a key of 32 bytes/);
});
