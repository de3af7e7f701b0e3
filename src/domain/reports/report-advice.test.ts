import assert from 'node:assert/strict';
import test from 'node:test';
import { ADVICE, type Advice, adviceOn } from './report-advice.ts';
import { DELIVERED, REPORT_CODES, type ReportCode } from './report-codes.ts';

const EXAMPLES: readonly (readonly [code: ReportCode, advice: Advice])[] = [
  ['22000', 'unsure'],
  ['22003', 'later'],
  ['23001', 'number'],
  ['23006', 'refused'],
  ['33101', 'channel'],
  ['41200', 'channel'],
  ['23023', 'sender'],
  ['55303', 'sender'],
  ['61003', 'sender'],
  ['63016', 'content'],
  ['55707', 'content'],
  ['42050', 'content'],
  ['63022', 'hours'],
  ['23041', 'spam'],
  ['23011', 'carrier'],
  ['45000', 'carrier'],
  ['50008', 'contract'],
  ['63005', 'unsure'],
  ['23025', 'duplicate'],
  ['33015', 'route'],
  ['63019', 'channel'],
  ['63020', 'refused'],
  ['99999', 'ask'],
];

for (const [code, advice] of EXAMPLES) {
  test(`${code} (${REPORT_CODES[code]}): ${advice}`, () => assert.equal(adviceOn(code), advice));
}

test('every advice is given, and hardly a code is left without one', () => {
  const codes = (Object.keys(REPORT_CODES) as ReportCode[]).filter(code => code !== DELIVERED);
  assert.deepEqual([...new Set(codes.map(adviceOn))].sort(), [...ADVICE].sort());
  const unknown = codes.filter(code => adviceOn(code) === 'ask');
  assert.deepEqual(unknown, [
    '23000',
    '23014',
    '33000',
    '33014',
    '64000',
    '69999',
    '79999',
    '90000',
    '99999',
  ]);
});
