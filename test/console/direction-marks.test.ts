import assert from 'node:assert/strict';
import test from 'node:test';
import { visible } from '../../console/src/visible.ts';
import { visible as onTerminal } from '../../src/cli/visible.ts';

test('console and terminal show the same marks of direction, and change nothing else', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit);
    const isMark = /\p{Bidi_Control}/u.test(character);
    assert.equal(visible(character) === character, !isMark);
    assert.equal(visible(character), onTerminal(character));
  }
});
