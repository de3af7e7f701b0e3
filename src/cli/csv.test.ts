import assert from 'node:assert/strict';
import test from 'node:test';
import { formatCsvRow, parseCsv } from './csv.ts';

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
