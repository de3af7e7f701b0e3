import assert from 'node:assert/strict';
import test from 'node:test';
import { hashOfNoPassword, hashPassword, verifyPassword } from './password.ts';

test('a hash verifies its password and no other', async () => {
  const stored = await hashPassword('봉수 password');
  assert.equal(await verifyPassword('봉수 password', stored), true);
  assert.equal(await verifyPassword('봉수 Password', stored), false);
  assert.equal(await verifyPassword('', stored), false);
  assert.ok(!stored.includes('password'));
});

test('the same password hashes differently each time', async () => {
  assert.notEqual(await hashPassword('x'), await hashPassword('x'));
});

test('an invalid hash verifies no password', async () => {
  for (const stored of ['', 'x', 'scrypt$1$2$3', 'md5$a$b$c$d$e']) {
    assert.equal(await verifyPassword('x', stored), false);
  }
});

test('the hash of no password has the form of any other hash and verifies no password', async () => {
  const shape = (stored: string) => stored.split('$').map((field, at) => (at < 4 ? field : field.length));
  const stored = hashOfNoPassword();
  assert.deepEqual(shape(stored), shape(await hashPassword('x')));
  assert.equal(await verifyPassword('', stored), false);
  assert.equal(await verifyPassword('x', stored), false);
});
