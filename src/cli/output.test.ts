import assert from 'node:assert/strict';
import test from 'node:test';
import { formatTable } from './output.ts';
import { jsonLine, visible, visibleLines } from './visible.ts';

const TURNED = 'pay \u202e000,1\u202c won';

test('marks that turn the direction of a text are seen', () => {
  assert.equal(visible(TURNED), 'pay <U+202E>000,1<U+202C> won');
  const line = jsonLine({ text: TURNED });
  assert.equal(line, String.raw`{"text":"pay \u202e000,1\u202c won"}`);
  assert.deepEqual(JSON.parse(line), { text: TURNED });
});

test('a cell of a table shows neither control sequences nor marks of direction as they are', () => {
  assert.equal(formatTable(['ref'], [['\u001b[2J\u2067x']]), 'REF\n?[2J<U+2067>x');
});

test('a sentence of several lines has no control sequences', () => {
  assert.equal(visibleLines('refused:\u001b[2J \u202Ea\n  Start one'), 'refused:?[2J <U+202E>a\n  Start one');
});
