import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId, FormId } from '../../../src/domain/ids.ts';
import type { FormQuery } from '../../../src/store/store.ts';
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

  test('creates no more forms than an account may have, also when many come at once', async t => {
    const { store } = await open(t);
    const create = (account: AccountId, id: number) =>
      store.forms.create({ account, formId: `FORM${id}` as FormId, entries: '[]', savedAt: id }, 3);
    const created = await Promise.all([1, 2, 3, 4, 5, 6].map(id => create(ACME, id)));
    assert.equal(created.filter(isCreated => isCreated).length, 3);
    assert.equal(await create(GLOBEX, 1), true);
    const { forms } = await store.forms.list({ limit: 10, maxBytes: 1000, account: ACME });
    assert.equal(forms.length, 3);
    await store.forms.remove(ACME, forms[0]?.formId ?? FORM_ID);
    assert.equal(await create(ACME, 7), true);
  });

  test('lists forms newest first, in pages bounded in number and in bytes', async t => {
    const { store } = await open(t);
    const sizes = [10, 10, 5000, 10, 10, 10];
    for (const [index, size] of sizes.entries()) {
      const account = index % 2 === 0 ? ACME : GLOBEX;
      const entries = JSON.stringify('한'.repeat(Math.ceil(size / 3)));
      await store.forms.put({ account, formId: `FORM${index}` as FormId, entries, savedAt: 1 });
    }
    const pagesOf = async (query: Omit<FormQuery, 'before'>) => {
      const pages: string[][] = [];
      for (let before: FormId | undefined; ; ) {
        const { forms, next } = await store.forms.list({ ...query, before });
        pages.push(forms.map(({ formId }) => formId));
        if (!next) return pages;
        before = next;
      }
    };
    const bounded = { limit: 2, maxBytes: 100 };
    assert.deepEqual(await pagesOf(bounded), [['FORM5', 'FORM4'], ['FORM3'], ['FORM2'], ['FORM1', 'FORM0']]);
    assert.deepEqual(await pagesOf({ ...bounded, maxBytes: 1e6 }), [
      ['FORM5', 'FORM4'],
      ['FORM3', 'FORM2'],
      ['FORM1', 'FORM0'],
    ]);
    assert.deepEqual(await pagesOf({ ...bounded, account: GLOBEX }), [['FORM5', 'FORM3'], ['FORM1']]);
    assert.deepEqual(await pagesOf({ ...bounded, account: 'nobody' as AccountId }), [[]]);
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
