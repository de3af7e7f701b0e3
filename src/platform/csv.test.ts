import assert from 'node:assert/strict';
import test from 'node:test';
import { BrokenCsv, csvRows, formatCsvRow, parseCsv, writtenCell } from './csv.ts';

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

test('lines end with CR, LF or both, also within quotes', () => {
  const rows = [
    ['to', 'name'],
    ['1', 'a'],
    ['2', ''],
  ];
  for (const end of ['\r', '\n', '\r\n']) {
    assert.deepEqual(parseCsv(['to,name', '1,a', '2,'].join(end)), rows);
    assert.deepEqual(parseCsv(['to,name', '1,a', '2,', '', ''].join(end)), rows);
  }
  assert.deepEqual(parseCsv('"a\rb",c\r\n'), [['a\rb', 'c']]);
  assert.deepEqual(parseCsv('a"b",c""'), [['a"b"', 'c""']]);
});

test('a cell without an end, or that goes on after its quote, is told by line and column', () => {
  const broken: readonly (readonly [text: string, where: string])[] = [
    ['to,name\n1,"a\n2,b\n', 'line 2, column 3: the quote that opens here is never closed'],
    ['to,name\r1,a\r\n"', 'line 3, column 1: the quote that opens here is never closed'],
    ['"a\nb"c,d', 'line 2, column 3: text follows the closing quote of a cell'],
    ['a,"b""', 'line 1, column 3: the quote that opens here is never closed'],
  ];
  for (const [text, where] of broken) {
    assert.throws(
      () => parseCsv(text),
      (error: Error) => error instanceof BrokenCsv && error.message === where,
    );
  }
});

test('beyond its limits a file is refused with the place', () => {
  const limits = { mostCells: 2, longestCell: 6 };
  assert.deepEqual(
    [...csvRows('1,2\n"""a""",1234\n', limits)],
    [
      ['1', '2'],
      ['"a"', '1234'],
    ],
  );
  const beyond: [string, string][] = [
    ['1,2\n1,2,3', 'line 2, column 5: a row has at most 2 cells'],
    ['1,2\n1,1234567', 'line 2, column 3: a cell has at most 6 characters'],
    ['"a\nbcdef",2', 'line 1, column 1: a cell has at most 6 characters'],
    [`"${'""'.repeat(9)}"`, 'line 1, column 1: a cell has at most 6 characters'],
  ];
  for (const [text, where] of beyond) {
    assert.throws(
      () => [...csvRows(text, limits)],
      (error: Error) => error instanceof BrokenCsv && error.message === where,
    );
  }
});

test('every cell is in quotes, so that no semicolon in it divides it', () => {
  assert.equal(formatCsvRow(['a;=1+1', 'b']), '"a;=1+1","b"\n');
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
  assert.equal(formatCsvRow(plain), `${plain.map(cell => `"${cell}"`).join(',')}\n`);
  assert.deepEqual(plain.map(writtenCell), plain);
});
