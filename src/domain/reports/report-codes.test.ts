import assert from 'node:assert/strict';
import test from 'node:test';
import * as tables from './report-code-table.ts';
import {
  classOf,
  DELIVERED,
  NO_ROUTE_CODE,
  REPORT_CODES,
  type ReportCode,
  SILENCE_CODE,
} from './report-codes.ts';

/** The codes networks are known to give: on each line the first three digits, then the last two. */
const KNOWN = `
  100 00
  220 00-07
  230 00-06 08-16 18 19 22 23 25 29-37 40 41
  320 00-07
  330 00-06 08-16 18 19 22 23 25 29-36 40 41
  331 00-24
  332 00
  400 01-04 06 07
  410 02
  411 00-09 11-18
  412 00 10-12 20-22 30-32 40
  420 01-05 07-15 31 32 34-36 38-73
  421 00-08
  422 00-02 05-08
  423 01-05 07-16
  424 02
  425 14
  426 01 02
  450 00-07
  500 01-12
  501 00 01
  502 01 02
  510 03-06
  511 01-04
  519 00-12
  520 01-12 16 23 98 99
  521 01-06
  530 01-08 11
  540 01-08
  550 01 02
  551 01-04
  552 01-10
  553 01-04
  555 01-09
  556 01-04 21-23
  557 01-12
  558 01-22 80-87
  559 00 01
  560 02 03 07
  561 01
  590 01-03
  592 02 03
  599 01 99
  601 62
  604 00
  605 00-12
  606 00 81
  610 01-04 06 07 11-16 20-28 30 33
  620 03-06
  630 00 05 06 08 10-16 18-48 50-58
  640 00 01 08-10
  641 02 04 10 21 22
  650 00 01
  670 11 14
  685 12 14 20-23 30
  689 99
  699 98 99
  700 01
  710 01-07
  720 01-11
  721 01-14
  730 01-07
  740 01-06
  790 51 52
  799 99
  900 00-03
  999 99
`;

function knownCodes(): string[] {
  const lines = KNOWN.trim().split('\n');
  return lines.flatMap(line => {
    const [head, ...endings] = line.trim().split(' ');
    return endings.flatMap(ending => {
      const [first, last = first] = ending.split('-').map(Number);
      assert.ok(first !== undefined && last !== undefined && first <= last, ending);
      return Array.from({ length: last - first + 1 }, (_, index) => {
        return `${head}${String(first + index).padStart(2, '0')}`;
      });
    });
  });
}

const CODES = Object.keys(REPORT_CODES) as ReportCode[];

test('every code that networks are known to give has a text, and no other has', () => {
  // The only code that is not a number.
  assert.deepEqual(CODES.toSorted(), [...knownCodes(), '6ME09'].toSorted());
});

test('no code is in two tables', () => {
  const { TEMPORARY_ENDINGS, FINAL_ENDINGS, ...whole } = tables;
  const shared = 2 * (Object.keys(TEMPORARY_ENDINGS).length + Object.keys(FINAL_ENDINGS).length);
  const rows = Object.values(whole).reduce((sum, table) => sum + Object.keys(table).length, shared);
  assert.equal(rows, CODES.length);
});

test('a code has five characters, a text begins with a capital and ends without a period', () => {
  for (const [code, text] of Object.entries(REPORT_CODES)) {
    assert.match(code, /^[0-9][0-9A-Z]{4}$/);
    assert.match(text, /^[A-Z].*[^.]$/, code);
  }
});

test('text and RCS hub agree wherever they share an ending', () => {
  const texts: Readonly<Record<string, string>> = REPORT_CODES;
  const textCodes = CODES.filter(code => code.startsWith('22') || code.startsWith('23'));
  for (const code of textCodes.filter(each => each !== '23037')) {
    assert.equal(texts[`3${code.slice(1)}`], texts[code], code);
  }
  assert.equal(texts['33037'], undefined);
});

test('only 22xxx and 32xxx may pass, only 10000 is delivered', () => {
  const ofClass = (wanted: string) => CODES.filter(code => classOf(code) === wanted);
  assert.deepEqual(ofClass('delivered'), [DELIVERED]);
  assert.deepEqual(
    ofClass('temporary'),
    CODES.filter(code => /^[23]2/.test(code)),
  );
  for (const code of Object.values(NO_ROUTE_CODE)) assert.equal(classOf(code), 'failed');
  assert.equal(classOf(SILENCE_CODE.text), 'temporary');
});
