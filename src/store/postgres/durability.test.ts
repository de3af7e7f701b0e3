import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durabilityOf } from './durability.ts';

const SAFE = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  synchronous_standby_names: '',
  sees_standbys: true,
  streaming: 0,
  slots: 0,
};

const risky = (facts: Partial<Record<keyof typeof SAFE, string | number | boolean>>) =>
  durabilityOf({ ...SAFE, ...facts }).risks.map(({ setting }) => setting);

test('a server that writes to its disk and has no standby keeps what it acknowledged', () => {
  assert.deepEqual(durabilityOf(SAFE), {
    settings: {
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      synchronous_standby_names: '',
    },
    standbys: 0,
    risks: [],
  });
  assert.deepEqual(risky({ synchronous_commit: 'remote_apply' }), []);
  assert.deepEqual(risky({ synchronous_commit: 'local' }), [], 'there is nobody else to wait for');
});

test('each setting that may lose a commit in a crash is a risk', () => {
  assert.deepEqual(risky({ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }), [
    'fsync',
    'full_page_writes',
    'synchronous_commit',
  ]);
});

test('a standby that no commit waits for is a risk', () => {
  const named = { streaming: 2, synchronous_standby_names: 'ANY 1 (*)' };
  assert.deepEqual(risky({ streaming: 1 }), ['synchronous_standby_names']);
  assert.deepEqual(risky(named), []);
  assert.deepEqual(risky({ ...named, synchronous_commit: 'local' }), ['synchronous_commit']);
});

test('a login that cannot see standbys counts their slots, not whatever streams', () => {
  const blind = { sees_standbys: false, streaming: 0 };
  assert.deepEqual(risky(blind), []);
  assert.deepEqual(risky({ ...blind, slots: 1 }), ['synchronous_standby_names']);
  assert.equal(durabilityOf({ ...SAFE, ...blind }).standbys, undefined);
  assert.deepEqual(risky({ slots: 1 }), [], 'one that can see knows that a slot alone is no standby');
});
