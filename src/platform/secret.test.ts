import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { Secret } from './secret.ts';

test('a secret is told to whoever asks for it, and shown to nobody else', () => {
  const secret = new Secret('hunter2');
  assert.equal(secret.reveal(), 'hunter2');
  for (const shown of [String(secret), `${secret}`, JSON.stringify({ secret }), inspect({ secret })]) {
    assert.doesNotMatch(shown, /hunter2/);
    assert.match(shown, /\[secret\]/);
  }
});
