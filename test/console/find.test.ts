import assert from 'node:assert/strict';
import test from 'node:test';
import { accountsFor, messageSearchOf, pagesFor } from '../../console/src/find/find-terms.ts';

const KEY = '01M7GJGT5M60AGB9K4W2MEGQG8D1W000';

/** What is typed, and the search of messages that it means. */
const SEARCHES: [string, object | undefined][] = [
  [KEY, { key: KEY }],
  [` ${KEY}\n`, { key: KEY }],
  [KEY.slice(1), undefined],
  ['01012345678', { to: '01012345678' }],
  ['010-1234-5678', { to: '010-1234-5678' }],
  ['+82 10 1234 5678', { to: '+82 10 1234 5678' }],
  ['(02) 123-45678', { to: '(02) 123-45678' }],
  ['+14155550123', { to: '+14155550123' }],
  ['1234', undefined],
  ['shop', undefined],
  ['', undefined],
];

for (const [typed, expected] of SEARCHES) {
  test(`${JSON.stringify(typed)} searches messages for ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(messageSearchOf(typed), expected);
  });
}

const PAGES = [
  { names: ['Live', '실시간'] },
  { names: ['Audit log', '감사 로그'] },
  { names: ['Messages', '메시지'] },
  { names: ['Compose', '메시지 작성'] },
];
const found = (text: string) => pagesFor(text, PAGES).map(({ names }) => names[0]);

test('a page is found by a part of its name in either language, the ones that begin with it first', () => {
  assert.deepEqual(found('lo'), ['Audit log']);
  assert.deepEqual(found('감사'), ['Audit log']);
  assert.deepEqual(found('메시지'), ['Messages', 'Compose']);
  assert.deepEqual(found('작성'), ['Compose']);
  assert.deepEqual(found('no such page'), []);
  assert.equal(found('').length, PAGES.length);
});

test('accounts are found by a part of their name, the exact one first, a few of many', () => {
  const ids = ['my-shop', 'shop', 'Shopkeeper', 'demo'];
  assert.deepEqual(accountsFor('shop', ids), ['shop', 'my-shop', 'Shopkeeper']);
  assert.deepEqual(accountsFor('', ids), []);
  const many = Array.from({ length: 1000 }, (_, index) => `account-${index}`);
  assert.equal(accountsFor('account', many).length, 6);
});
