import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bigint,
  type ColumnsOf,
  columnNames,
  flag,
  integer,
  json,
  optional,
  readerOf,
  text,
  writerOf,
} from './columns.ts';

interface Parcel {
  readonly id: string;
  readonly weight: number | undefined;
  readonly isOpen: boolean;
  readonly labels: readonly string[] | undefined;
  readonly sentAt: number;
}

const COLUMNS: ColumnsOf<Parcel> = {
  id: text('parcel_id'),
  weight: optional(integer('weight')),
  isOpen: flag('is_open'),
  labels: optional(json('labels')),
  sentAt: bigint('sent_at'),
};
const write = writerOf(COLUMNS);
const read = readerOf(COLUMNS);

test('names, values and readers follow one order and one description', () => {
  const parcel: Parcel = { id: 'p', weight: 3, isOpen: true, labels: ['a'], sentAt: 1767582000000 };
  assert.equal(columnNames(COLUMNS), 'parcel_id, weight, is_open, labels, sent_at');
  const values = [...write(parcel)];
  assert.deepEqual(values, ['p', 3, 1, '["a"]', 1767582000000]);
  const row = { parcel_id: 'p', weight: 3, is_open: 1, labels: '["a"]', sent_at: 1767582000000, other: 1 };
  assert.deepEqual(read(row), parcel);
});

test('a value that is missing is NULL, and NULL a value that is missing', () => {
  const parcel: Parcel = { id: 'p', weight: undefined, isOpen: false, labels: undefined, sentAt: 0 };
  assert.deepEqual([...write(parcel)], ['p', null, 0, null, 0]);
  assert.deepEqual(read({ parcel_id: 'p', weight: null, is_open: 0, labels: null, sent_at: 0 }), parcel);
});
