import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { jsonBudgetProblem, MAX_DEPTH, MAX_VALUES } from './json-budget.ts';

function resultOf(json: string): string | undefined {
  return jsonBudgetProblem(Buffer.from(json))?.result;
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
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
  const numbers = (count: number) => `[${Array(count).fill(0).join(',')}]`;
  assert.equal(resultOf(numbers(MAX_VALUES - 1)), undefined);
  assert.equal(resultOf(numbers(MAX_VALUES + 1)), tooMany);
  assert.equal(
    resultOf(
      `{${Array(MAX_VALUES + 1)
        .fill('"a":0')
        .join(',')}}`,
    ),
    tooMany,
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
