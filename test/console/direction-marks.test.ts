import assert from 'node:assert/strict';
import test from 'node:test';
import { showMarksIn, visible } from '../../console/src/visible.ts';
import { visible as onTerminal } from '../../src/cli/visible.ts';

test('console and terminal show the same marks of direction, and change nothing else', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit);
    const isMark = /\p{Bidi_Control}/u.test(character);
    assert.equal(visible(character) === character, !isMark);
    assert.equal(visible(character), onTerminal(character));
  }
});

test('marks of direction are shown in every text and attribute that people read, and stay in what is edited', () => {
  const file = 'a\u202egnp.exe';
  const seen = 'a<U+202E>gnp.exe';
  const props = {
    children: [file, [file], 1],
    src: file,
    value: file,
    alt: file,
    title: file,
    'aria-label': file,
  };
  showMarksIn(props);
  assert.deepEqual(props, {
    children: [seen, [seen], 1],
    src: file,
    value: file,
    alt: seen,
    title: seen,
    'aria-label': seen,
  });
});
