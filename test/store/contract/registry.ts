import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RegistryEntry, registryKey } from '../../../src/domain/registry/registry.ts';
import type { TemplateEntry } from '../../../src/domain/registry/template.ts';
import { KEPT_TEMPLATE_CHANGES } from '../../../src/store/port/registry-store.ts';
import { ACME, GLOBEX, type OpenStore } from './store-under-test.ts';

const SENDER: RegistryEntry = { kind: 'sender', number: '0212345678' };
const OTHER_SENDER: RegistryEntry = { kind: 'sender', number: '0312345678' };
const TEMPLATE = {
  kind: 'alimtalkTemplate',
  senderKey: 'profile',
  templateCode: 'welcome',
  text: '#{이름}님, 반갑습니다 🎉',
  buttons: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example/#{id}' }],
} as const satisfies TemplateEntry;
const PLACE = { kind: TEMPLATE.kind, key: registryKey(TEMPLATE) };
const ISSUED: TemplateEntry = { kind: 'rcsTemplate', formatId: 'TPL1', templateKind: 'free', state: 'draft' };
const BY_KIM = { at: 1000, by: 'kim' };
const BY_LEE = { at: 2000, by: 'lee' };
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

  test('pages the templates of an account by kind and key', async t => {
    const { store } = await open(t);
    const other = { ...TEMPLATE, templateCode: 'Zebra' };
    await store.registry.put(ACME, [SENDER, ISSUED, TEMPLATE, other, SIGNATURE], BY_KIM);
    await store.registry.put(GLOBEX, [{ ...TEMPLATE, templateCode: 'a' }], BY_KIM);
    const first = await store.templates.page(ACME, { after: undefined, limit: 2 });
    assert.deepEqual(
      first.map(({ entry }) => entry),
      [other, TEMPLATE],
    );
    const rest = await store.templates.page(ACME, { after: PLACE, limit: 2 });
    assert.deepEqual(rest, [{ entry: ISSUED, revision: 1, changedAt: 1000 }]);
  });

  test('replaces a template only in the place of the revision that was read', async t => {
    const bench = await open(t);
    const { templates } = bench.store;
    assert.equal(await templates.find(ACME, PLACE), undefined);
    assert.equal(await templates.replace(ACME, TEMPLATE, 1, BY_KIM), false, 'there is none to replace');
    assert.equal(await templates.replace(ACME, TEMPLATE, undefined, BY_KIM), true);
    assert.equal(await templates.replace(ACME, TEMPLATE, undefined, BY_KIM), false, 'there is one');
    const changed: TemplateEntry = { ...TEMPLATE, state: 'review' };
    const racing = await Promise.all([
      templates.replace(ACME, changed, 1, BY_LEE),
      templates.replace(ACME, { ...TEMPLATE, state: 'rejected' }, 1, BY_KIM),
    ]);
    assert.deepEqual(racing.filter(Boolean), [true]);
    assert.equal(await templates.replace(GLOBEX, changed, 2, BY_LEE), false);
    const { revision, changedAt } = (await templates.find(ACME, PLACE)) ?? {};
    assert.deepEqual([revision, changedAt], racing[0] ? [2, 2000] : [2, 1000]);
    await bench.reopen();
    assert.equal((await bench.store.templates.history(ACME, PLACE)).length, 2);
  });

  test('keeps who changed a template and what it was then, until it is removed', async t => {
    const { store } = await open(t);
    const { registry, templates } = store;
    const draft: TemplateEntry = { ...TEMPLATE, state: 'draft' };
    await templates.replace(ACME, draft, undefined, BY_KIM);
    await registry.put(ACME, [SENDER, TEMPLATE], BY_LEE);
    await registry.put(ACME, [ISSUED]);
    assert.deepEqual(await templates.history(ACME, PLACE), [
      { revision: 2, ...BY_LEE, entry: TEMPLATE },
      { revision: 1, ...BY_KIM, entry: draft },
    ]);
    assert.deepEqual(await templates.find(ACME, PLACE), { entry: TEMPLATE, revision: 2, changedAt: 2000 });
    assert.deepEqual(await templates.history(GLOBEX, PLACE), []);
    assert.deepEqual(await templates.history(ACME, { kind: 'rcsTemplate', key: 'TPL1' }), []);
    assert.equal(await registry.remove(GLOBEX, PLACE.kind, PLACE.key), false);
    assert.equal((await templates.history(ACME, PLACE)).length, 2);
    await registry.remove(ACME, PLACE.kind, PLACE.key);
    assert.deepEqual(await templates.history(ACME, PLACE), []);
  });

  test('keeps the last changes of a template and no more', async t => {
    const { store } = await open(t);
    for (let round = 0; round < KEPT_TEMPLATE_CHANGES; round++)
      await store.registry.put(ACME, [TEMPLATE], BY_KIM);
    await store.templates.replace(ACME, TEMPLATE, KEPT_TEMPLATE_CHANGES, BY_LEE);
    await store.registry.put(ACME, [TEMPLATE], BY_LEE);
    const revisions = (await store.templates.history(ACME, PLACE)).map(({ revision }) => revision);
    assert.equal(revisions.length, KEPT_TEMPLATE_CHANGES);
    assert.equal(revisions[0], KEPT_TEMPLATE_CHANGES + 2);
  });
}
