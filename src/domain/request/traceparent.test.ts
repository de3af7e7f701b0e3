import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;

const READ: Readonly<Record<string, string | undefined>> = {
  [VALID]: VALID,
  [`00-${TRACE}-${PARENT}-00`]: `00-${TRACE}-${PARENT}-00`,
  // Later versions.
  [`01-${TRACE}-${PARENT}-03`]: VALID,
  [`cc-${TRACE}-${PARENT}-02-more`]: `00-${TRACE}-${PARENT}-00`,
  [`cc-${TRACE}-${PARENT}-01.more`]: undefined,
  // Not valid.
  '': undefined,
  [`ff-${TRACE}-${PARENT}-01`]: undefined,
  [`${VALID}-more`]: undefined,
  [`${VALID}, ${VALID}`]: undefined,
  [` ${VALID}`]: undefined,
  [`${VALID}\n`]: undefined,
  [VALID.toUpperCase()]: undefined,
  [`00-${'0'.repeat(32)}-${PARENT}-01`]: undefined,
  [`00-${TRACE}-${'0'.repeat(16)}-01`]: undefined,
  [`00-${TRACE.slice(1)}-${PARENT}-01`]: undefined,
  [`00-${TRACE}-${PARENT}`]: undefined,
  [`00-${TRACE}-${PARENT}-1`]: undefined,
};

for (const [given, expected] of Object.entries(READ)) {
  test(`${JSON.stringify(given)} ${expected === undefined ? 'is ignored' : `is read as ${expected}`}`, () => {
    assert.equal(parseTraceparent(given), expected);
  });
}

test('several are ignored', () => {
  assert.equal(parseTraceparent([VALID, VALID]), undefined);
  assert.equal(parseTraceparent(undefined), undefined);
});
