import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { compileFlow, parseOmni } from './omni.ts';
import { Problem } from './problem.ts';

test('no body, however odd, makes the reader throw', () => {
  const odd = fc.anything({ withNullPrototype: true, maxDepth: 4 });
  const channel = fc.constantFrom('sms', 'mms', 'rcs', 'alimtalk', 'friendtalk', 'brandmessage', 'fax');
  const entry = fc.dictionary(channel, odd);
  const body = fc.oneof(
    odd,
    fc.record({ destinations: odd, messageFlow: odd, messageForm: odd, ref: odd }, { requiredKeys: [] }),
    fc.record({
      destinations: fc.array(fc.oneof(odd, fc.record({ to: odd, replaceWords: odd })), { maxLength: 12 }),
      messageFlow: fc.array(entry, { maxLength: 12 }),
    }),
  );
  fc.assert(
    fc.property(body, value => {
      const omni = parseOmni(value);
      if (omni instanceof Problem || !('entries' in omni.source)) return;
      const compiled = compileFlow(omni.source.entries);
      if (compiled instanceof Problem) return;
      for (const destination of omni.destinations) {
        if ('words' in destination) compiled.flowFor(destination.words);
      }
    }),
    { numRuns: 500 },
  );
});

test('a flow without placeholders is read once and for all', () => {
  const compiled = compileFlow([{ sms: { from: '021', text: 'hello' } }]);
  assert.ok(!(compiled instanceof Problem));
  assert.equal(compiled.isTemplate, false);
  assert.equal(compiled.flowFor({}), compiled.flow);
});

test('a placeholder is measured when its word is put in', () => {
  const compiled = compileFlow([{ sms: { from: '021', text: `#{name}${'x'.repeat(80)}` } }]);
  assert.ok(!(compiled instanceof Problem));
  assert.ok(!(compiled.flowFor({ name: 'x'.repeat(10) }) instanceof Problem));
  assert.ok(compiled.flowFor({ name: 'x'.repeat(11) }) instanceof Problem);
});
