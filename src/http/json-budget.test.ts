import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { jsonBudgetProblem, MAX_DEPTH, MAX_MEMBERS, MAX_VALUES } from './json-budget.ts';

function resultOf(json: string): string | undefined {
  return jsonBudgetProblem(Buffer.from(json))?.result;
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function listOf(count: number, item: string): string {
  return `[${Array(count).fill(item).join(',')}]`;
}

/** How deep a value is, and how many values it holds with its lists and objects. */
function sizeOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const inner = Object.values(value).map(sizeOf);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.reduce((sum, { values }) => sum + values, 1),
  };
}

test('refuses what is nested too deeply, closed or not', () => {
  const tooDeep = `The body is nested deeper than ${MAX_DEPTH} levels`;
  assert.equal(resultOf(nested(MAX_DEPTH)), undefined);
  assert.equal(resultOf(nested(MAX_DEPTH + 1)), tooDeep);
  assert.equal(resultOf('{"a":'.repeat(400_000)), tooDeep);
});

test('refuses too many values, members or entries of lists', () => {
  const tooMany = `The body holds more than ${MAX_VALUES} values`;
  const lists = MAX_VALUES / 100;
  assert.equal(resultOf(listOf(lists - 1, listOf(99, '0'))), undefined);
  assert.equal(resultOf(listOf(lists + 1, listOf(99, '0'))), tooMany);
});

test('refuses an object or a list of too many members', () => {
  const tooMany = `The body holds an object or a list of more than ${MAX_MEMBERS} members`;
  const object = (count: number) => `{${listOf(count, '"a":0').slice(1, -1)}}`;
  for (const make of [object, (count: number) => listOf(count, '0')]) {
    assert.equal(resultOf(make(MAX_MEMBERS)), undefined);
    assert.equal(resultOf(make(MAX_MEMBERS + 1)), tooMany);
    assert.equal(resultOf(`[[],${make(MAX_MEMBERS)},${make(MAX_MEMBERS)}]`), undefined);
    assert.equal(resultOf(`[[],{"a":${make(MAX_MEMBERS + 1)}}]`), tooMany);
  }
});

test('a body is counted by itself, whatever came before it', () => {
  const many = Array(MAX_MEMBERS - 10)
    .fill('1')
    .join(',');
  for (const before of [many, `[${many}`, `[[${many}]]`, `]]${many}`]) {
    resultOf(before);
    assert.equal(resultOf(`[[${many}],[${many}]]`), undefined, before.slice(0, 5));
    resultOf(before);
    assert.equal(resultOf(many), undefined, before.slice(0, 5));
  }
});

test('finds the end of a text wherever its quotes and backslashes are', () => {
  const piece = fc.constantFrom('\\\\', '\\"', '\\n', 'x', 'x'.repeat(63), 'x'.repeat(200), '가', '[', ',');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
      const text = `["${pieces.join('')}",${nested(MAX_DEPTH)}]`;
      assert.equal(resultOf(text), `The body is nested deeper than ${MAX_DEPTH} levels`);
      assert.equal(resultOf(`["${pieces.join('')}${nested(MAX_DEPTH)}"]`), undefined);
    }),
  );
});

test('text is not counted, whatever it holds', () => {
  const text = '[{,"\\'.repeat(MAX_VALUES);
  assert.equal(resultOf(JSON.stringify({ text })), undefined);
  assert.equal(resultOf(JSON.stringify([text]) + nested(MAX_DEPTH)), undefined);
});

test('never refuses JSON within the limits, and stands bytes that are no JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 100 }), value => {
      const { depth, values } = sizeOf(value);
      if (depth <= MAX_DEPTH && values < MAX_VALUES) assert.equal(resultOf(JSON.stringify(value)), undefined);
    }),
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), bytes => void jsonBudgetProblem(bytes)));
});
