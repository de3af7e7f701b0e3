import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RegistryEntry } from '../../../src/domain/registry/registry.ts';
import { ACME, GLOBEX, type OpenStore } from './store-under-test.ts';

const SENDER: RegistryEntry = { kind: 'sender', number: '0212345678' };
const OTHER_SENDER: RegistryEntry = { kind: 'sender', number: '0312345678' };
const TEMPLATE: RegistryEntry = {
  kind: 'alimtalkTemplate',
  senderKey: 'profile',
  templateCode: 'welcome',
  text: '#{이름}님, 반갑습니다 🎉',
  buttons: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example/#{id}' }],
};
const SIGNATURE: RegistryEntry = { kind: 'internationalSignature', text: '[Acme]', prefixes: ['+86', '+1'] };
const OTHER_SIGNATURE: RegistryEntry = { kind: 'internationalSignature', text: '[Shop]', prefixes: ['+44'] };
/** Under the key of SIGNATURE. */
const ELSEWHERE: RegistryEntry = { kind: 'internationalSignature', text: '[Acme]', prefixes: ['+7'] };
const EVERYTHING = [SENDER, OTHER_SENDER, TEMPLATE, SIGNATURE, OTHER_SIGNATURE];

/** Found in no order. */
function sorted(entries: readonly RegistryEntry[]): string[] {
  return entries.map(entry => JSON.stringify(entry)).sort();
}

export function registryContract(open: OpenStore): void {
  test('lists registry entries as they were put, by kind and key', async t => {
    const { store } = await open(t);
    await store.registry.put(ACME, [SIGNATURE, OTHER_SENDER, TEMPLATE, SENDER]);
    assert.deepEqual(await store.registry.list(ACME), [TEMPLATE, SIGNATURE, SENDER, OTHER_SENDER]);
    assert.deepEqual(await store.registry.list(ACME, 'sender'), [SENDER, OTHER_SENDER]);
    assert.deepEqual(await store.registry.list(ACME, 'rcsBrand'), []);
  });

  test('keeps registry entries over a restart', async t => {
    const bench = await open(t);
    await bench.store.registry.put(ACME, [TEMPLATE]);
    await bench.reopen();
    assert.deepEqual(await bench.store.registry.list(ACME), [TEMPLATE]);
  });

  test('puts a registry entry in the place of the one under the same kind and key', async t => {
    const { store } = await open(t);
    await store.registry.put(ACME, [TEMPLATE, SENDER]);
    const changed = { ...TEMPLATE, text: 'changed' };
    await store.registry.put(ACME, [{ ...TEMPLATE, text: 'changed in between' }, changed]);
    assert.deepEqual(await store.registry.list(ACME), [changed, SENDER]);
  });

  test('puts no registry entry when there is none to put', async t => {
    const { store } = await open(t);
    await store.registry.put(ACME, []);
    assert.deepEqual(await store.registry.list(ACME), []);
  });

  test('removes a registry entry once', async t => {
    const { store } = await open(t);
    await store.registry.put(ACME, [SENDER, TEMPLATE]);
    assert.equal(await store.registry.remove(ACME, 'alimtalkTemplate', 'profile/welcome'), true);
    assert.equal(await store.registry.remove(ACME, 'alimtalkTemplate', 'profile/welcome'), false);
    assert.equal(await store.registry.remove(ACME, 'senderProfile', '0212345678'), false);
    assert.deepEqual(await store.registry.list(ACME), [SENDER]);
  });

  test('finds the wanted registry entries that there are, and whole kinds', async t => {
    const { store } = await open(t);
    await store.registry.put(ACME, EVERYTHING);
    const found = await store.registry.find(ACME, [
      { kind: 'sender', key: '0212345678' },
      { kind: 'sender', key: '0999999999' },
      { kind: 'rcsBrand', key: '0312345678' },
      { kind: 'alimtalkTemplate', key: 'profile/welcome' },
      { kind: 'internationalSignature', key: undefined },
    ]);
    assert.deepEqual(sorted(found), sorted([SENDER, TEMPLATE, SIGNATURE, OTHER_SIGNATURE]));
    assert.deepEqual(await store.registry.find(ACME, []), []);
  });

  test('keeps the registry of an account from every other', async t => {
    const { store } = await open(t);
    await store.registry.put(ACME, EVERYTHING);
    await store.registry.put(GLOBEX, [ELSEWHERE]);
    assert.deepEqual(await store.registry.list(GLOBEX, 'sender'), []);
    assert.deepEqual(await store.registry.find(GLOBEX, [{ kind: 'sender', key: '0212345678' }]), []);
    assert.deepEqual(
      await store.registry.find(GLOBEX, [{ kind: 'internationalSignature', key: undefined }]),
      [ELSEWHERE],
    );
    assert.equal(await store.registry.remove(GLOBEX, 'sender', '0212345678'), false);
    assert.equal((await store.registry.list(ACME)).length, EVERYTHING.length);
  });
}
