import assert from 'node:assert/strict';
import test from 'node:test';
import type { FormId } from '../../../src/domain/ids.ts';
import { ACME, GLOBEX, type OpenStore } from './store-under-test.ts';

const FORM_ID = 'FORM1' as FormId;

export function formsContract(open: OpenStore): void {
  test('keeps a form, replaces it, and removes it', async t => {
    const { store } = await open(t);
    assert.equal(await store.forms.find(ACME, FORM_ID), undefined);
    const form = { account: ACME, formId: FORM_ID, entries: '[{"sms":{"text":"봉수 \\u0000"}}]', savedAt: 1 };
    await store.forms.put(form);
    assert.deepEqual(await store.forms.find(ACME, FORM_ID), form);
    await store.forms.put({ ...form, entries: '[]', savedAt: 2 });
    assert.deepEqual(await store.forms.find(ACME, FORM_ID), { ...form, entries: '[]', savedAt: 2 });
    assert.equal(await store.forms.remove(ACME, FORM_ID), true);
    assert.equal(await store.forms.remove(ACME, FORM_ID), false);
    assert.equal(await store.forms.find(ACME, FORM_ID), undefined);
  });

  test('shows a form to its own account only', async t => {
    const { store } = await open(t);
    await store.forms.put({ account: ACME, formId: FORM_ID, entries: '[]', savedAt: 1 });
    assert.equal(await store.forms.find(GLOBEX, FORM_ID), undefined);
    assert.equal(await store.forms.remove(GLOBEX, FORM_ID), false);
    await store.forms.put({ account: GLOBEX, formId: FORM_ID, entries: '[1]', savedAt: 1 });
    assert.equal((await store.forms.find(ACME, FORM_ID))?.entries, '[]');
  });
}
