import assert from 'node:assert/strict';
import test from 'node:test';
import { AREAS, EXPECTED_SURVIVORS } from './areas.ts';
import { mutantsOf } from './mutants.ts';

const names = new Set<string>();

for (const [area, { rules }] of Object.entries(AREAS)) {
  test(`every rule of ${area} finds code to change`, () => {
    const mutants = mutantsOf(area);
    for (const { name } of mutants) names.add(name);
    assert.deepEqual(
      rules.filter((_, rule) => !mutants.some(mutant => mutant.rule === rule)),
      [],
    );
  });
}

test('every survivor that is expected is a mutant', () => {
  assert.deepEqual(
    [...EXPECTED_SURVIVORS.keys()].filter(name => !names.has(name)),
    [],
  );
});

/** Each was tried once, and every test passed. How the name of its mutant begins. */
const UNNOTICED_ONCE = {
  'SQLite commits without waiting for its disk':
    'database.ts: PRAGMA synchronous = FULL → PRAGMA synchronous = OFF',
  'the sender of an inbound message is stored in clear':
    "inbound-columns.ts: sealed(text('sender'), 'inbound.sender'",
  'the text of an inbound message is stored in clear':
    "inbound-columns.ts: sealed(text('content'), 'inbound.content'",
  'the sender of an inbound part is stored in clear':
    "inbound-columns.ts: sealed(text('sender'), 'inbound_part.sender'",
  'the octets of an inbound part are stored in clear':
    "inbound-columns.ts: sealed(text('octets'), 'inbound_part.octets'",
  'tokens of clients are stored in clear': "hashing.ts: hash('sha256', text, 'base64url') → String(text)",
  'the webhook of a blocked account is called': 'lane.ts: || account.blocked → nothing',
  'idempotency keys are ignored': 'idempotency.ts: return idempotency ? → return false && idempotency ?',
};

for (const [bug, beginning] of Object.entries(UNNOTICED_ONCE)) {
  test(`a bug that was not noticed once is a mutant: ${bug}`, () => {
    const [name = ''] = [...names].filter(each => each.startsWith(beginning));
    assert.notEqual(name, '');
    assert.ok(!EXPECTED_SURVIVORS.has(name));
  });
}
