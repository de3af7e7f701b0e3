import assert from 'node:assert/strict';
import test from 'node:test';
import { formatCsvRow, parseCsv, writtenCell } from './csv.ts';

test('cells may hold commas, quotes and line breaks', () => {
  const rows = [
    ['to', 'name'],
    ['01012345678', 'Kim, "the" one\nof two'],
    ['01087654321', ''],
  ];
  assert.deepEqual(parseCsv(rows.map(formatCsvRow).join('')), rows);
});

test('a byte order mark, CRLF, empty lines and a missing last line break are no trouble', () => {
  assert.deepEqual(parseCsv('\ufeffto,name\r\n\r\n1,a\r\n2,b'), [
    ['to', 'name'],
    ['1', 'a'],
    ['2', 'b'],
  ]);
  assert.deepEqual(parseCsv(''), []);
});

test('no cell begins a formula, and each is read as it was', () => {
  const cells = [
    '=1+1',
    '+cmd',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '=HYPERLINK("x","y")',
    "'=1",
    "''+1",
  ];
  const row = formatCsvRow(cells);
  const [read = []] = parseCsv(row);
  for (const cell of read) assert.match(cell, /^'/);
  assert.deepEqual(read.map(writtenCell), cells);
  const plain = ['+14155550123', '-5', '01012345678', 'A000', "'quoted'", "it's", ''];
  assert.equal(formatCsvRow(plain), `${plain.join(',')}\n`);
  assert.deepEqual(plain.map(writtenCell), plain);
});
