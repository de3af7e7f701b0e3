import assert from 'node:assert/strict';
import test from 'node:test';
import type { PolledRecord } from '../pollers.ts';
import type { Told } from '../senders.ts';
import { violationsOf } from '../verdict.ts';
import type { SentToSmsc } from './messages.ts';
import type { TakenPart } from './recording-smsc.ts';
import { judge } from './verdict.ts';

const DELIVERED = '10000';
const part = (times = 1, state: TakenPart['state'] = 'DELIVRD', total = 1): TakenPart => ({
  times,
  total,
  state,
});

/** One message with the reference `a` to the recipient 1. */
function judged(
  told: Told,
  codes: readonly string[],
  parts: Readonly<Record<number, TakenPart>>,
  elsewhere: Readonly<Record<number, TakenPart>> = {},
) {
  const sent: SentToSmsc = { recipient: '1', hasKey: false, told, msgKey: 'key' };
  const batches = codes.map((reportCode, index): [string, PolledRecord[]] => [
    `batch ${index}`,
    [{ msgKey: 'key', serviceType: 'SMS', reportCode, ref: 'a' }],
  ]);
  const takers = [parts, elsewhere].map(each => {
    const numbered = new Map(Object.entries(each).map(([index, one]) => [Number(index), one]));
    return { taken: new Map(numbered.size > 0 ? [['1', numbered]] : []) };
  });
  const verdict = judge(new Map([['a', sent]]), new Map(batches), takers);
  const { lost, doubled, refusedAndSent, misreported, odd } = verdict;
  const result = { ...verdict, unknown: [], stuck: [], other: [], directory: '' };
  // What the table and the exit code of a run are made from.
  assert.equal(violationsOf(result).length, [lost, doubled, refusedAndSent, misreported, odd].flat().length);
  return { lost, doubled, refusedAndSent, misreported, odd };
}

const WELL = { lost: [], doubled: [], refusedAndSent: [], misreported: [], odd: [] };

test('what is taken once and reported once, as its receipt says, is well', () => {
  assert.deepEqual(judged('accepted', [DELIVERED], { 1: part() }), WELL);
  assert.deepEqual(judged('accepted', ['23000'], { 1: part(1, 'UNDELIV') }), WELL);
  assert.deepEqual(judged('accepted', ['22000'], {}), WELL);
  assert.deepEqual(judged('doubtful', [], {}), WELL);
  assert.deepEqual(judged('doubtful', [DELIVERED], { 1: part() }), WELL);
});

test('every rule can be broken', () => {
  assert.deepEqual(judged('accepted', [], { 1: part() }).lost, ['a']);
  assert.deepEqual(judged('accepted', [DELIVERED, DELIVERED], { 1: part() }).doubled, ['a reported']);
  assert.deepEqual(judged('accepted', [DELIVERED], { 1: part(2) }).doubled, ['a sent']);
  assert.deepEqual(judged('accepted', [DELIVERED], { 1: part() }, { 1: part() }).doubled, ['a sent']);
  assert.deepEqual(judged('refused', [], { 1: part() }).refusedAndSent, ['a']);
  assert.deepEqual(judged('refused', ['22000'], {}).refusedAndSent, ['a']);
  assert.deepEqual(judged('accepted', [DELIVERED], {}).misreported, ['a as 10000']);
  assert.deepEqual(judged('accepted', ['22000'], { 1: part() }).misreported, ['a as 22000']);
  assert.deepEqual(judged('accepted', [DELIVERED], { 1: part(1, 'UNDELIV') }).misreported, ['a as 10000']);
  const half = { 2: part(1, 'DELIVRD', 2) };
  assert.deepEqual(judged('accepted', [DELIVERED], half).misreported, ['a as 10000']);
  assert.deepEqual(judged('odd', [], {}).odd, ['a was answered undefined']);
});

test('a record of a message that nobody sent is misreported; stuck messages and other broken rules fail a run', () => {
  const stranger = { msgKey: 'key', serviceType: 'SMS', reportCode: DELIVERED, ref: 'b' };
  const verdict = judge(new Map(), new Map([['batch', [stranger]]]), []);
  const result = { ...verdict, unknown: ['a'], stuck: ['c'], other: ['a node ended'], directory: '' };
  assert.deepEqual(violationsOf(result), [
    'stuck: "c"',
    'misreported: b, which nobody sent',
    'other rules broken: a node ended',
  ]);
});
