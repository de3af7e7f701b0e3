import assert from 'node:assert/strict';
import test from 'node:test';
import { copiedIn, copyAddress, MOST_COPIED } from '../../console/src/desk/copy-address.ts';
import { percent, type Trend, times, trendOf } from '../../console/src/desk/trend.ts';
import { type MessageRow, resendableIn } from '../../console/src/gateway/messages.ts';
import { en } from '../../console/src/words/en.ts';
import { ko } from '../../console/src/words/ko.ts';
import { ADVICE } from '../../src/domain/reports/report-advice.ts';

const TRENDS: readonly (readonly [rate: number, usual: number, trend: Trend['kind']])[] = [
  [0, 0, 'none'],
  [0, 0.1, 'down'],
  [0.1, 0, 'new'],
  [0.1, 0.1, 'same'],
  [0.119, 0.1, 'same'],
  [0.13, 0.1, 'up'],
  [0.07, 0.1, 'down'],
];

test('a share is compared with the usual one', () => {
  for (const [rate, usual, kind] of TRENDS) assert.equal(trendOf(rate, usual).kind, kind, `${rate} ${usual}`);
  assert.deepEqual(trendOf(0.3, 0.1), { kind: 'up', times: 0.3 / 0.1 });
  assert.deepEqual(trendOf(0, 0.1), { kind: 'down', part: 1 });
  assert.deepEqual(
    [percent(0.4667, 'en'), percent(0.00031, 'en'), percent(1, 'ko'), times(1.32, 'en'), times(34.7, 'en')],
    ['47%', '0.031%', '100%', '1.3', '35'],
  );
});

test('there are words for every advice, in both languages', () => {
  for (const words of [en, ko]) {
    assert.deepEqual(Object.keys(words.desk.adviceOf).sort(), [...ADVICE].sort());
  }
});

function row(index: number, members: Partial<MessageRow> = {}): MessageRow {
  return {
    ...{ msgKey: String(index).padStart(32, '0'), account: 'shop', to: '01012340001', channels: ['sms'] },
    ...{ step: 0, state: 'failed', code: '23001', carrier: 'simulator', acceptedAt: '', finishedAt: '' },
    fate: 'failed',
    ...members,
  };
}

test('the address of the composer names the messages that a copy replaces, and nothing else', () => {
  const keys = (address: string) => copiedIn(new URL(address, 'http://x').searchParams);
  assert.deepEqual(keys(copyAddress([row(1), row(2)])), {
    msgKeys: [row(1).msgKey, row(2).msgKey],
    ...{ again: false, delivered: false },
  });
  assert.equal(keys(copyAddress([row(1), row(2, { resentAs: 'x' })]))?.again, true);
  const many = copyAddress(Array.from({ length: MOST_COPIED + 1 }, (_, index) => row(index)));
  assert.equal(keys(many)?.msgKeys.length, MOST_COPIED);
  assert.ok(many.length < 4000);
  for (const other of ['/compose', '/compose?like=x', '/compose?resend=', '/compose?resend=a.b%20c']) {
    assert.equal(keys(other), undefined, other);
  }
});

test('what failed and was not sent again is chosen together, anything else one by one', () => {
  const rows = [
    row(1),
    row(2, { state: 'expired' }),
    row(3, { state: 'delivered' }),
    row(4, { state: 'queued' }),
    row(5, { resentAs: 'x' }),
    row(6, { to: 'erased' }),
  ];
  assert.deepEqual(
    resendableIn(rows).map(({ msgKey }) => msgKey),
    [row(1).msgKey, row(2).msgKey],
  );
});
