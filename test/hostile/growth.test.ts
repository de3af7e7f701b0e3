/**
 * Every function that a stranger's text reaches takes time that grows with the text and not faster: one request or one inbound
 * message must not hold the gateway. A new function that takes a text is measured, or this file names it.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { compileFlow } from '../../src/domain/request/omni.ts';
import { SEND_KINDS } from '../../src/domain/request/send-kinds.ts';
import { readSend } from '../../src/http/contract/read-send.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { CALLS, NOT_FED } from './calls.ts';
import { outsideFunctions } from './functions.ts';
import { excessiveGrowth } from './growth.ts';
import { FEW_HOSTILE_TEXTS, HOSTILE_TEXTS } from './hostile-texts.ts';

const LENGTH = 1 << 12;

/** On a busy machine one measurement may miss the square. */
const MOST_TRIES = 10;

const FUNCTIONS = outsideFunctions();
const notFed = new Set(Object.values(NOT_FED).flat());

test('every function that takes a text is measured, or it is said why not', () => {
  const decided = (name: string) => Object.hasOwn(CALLS, name) || notFed.has(name);
  assert.deepEqual(
    FUNCTIONS.filter(({ name, isOfOneText }) => !isOfOneText && !decided(name)).map(({ name }) => name),
    [],
    'add them to CALLS or NOT_FED in calls.ts',
  );
});

test('no function takes quadratic time for a hostile text', async t => {
  const calls = new Map(Object.entries(CALLS));
  for (const { name, file, exportName, isOfOneText } of FUNCTIONS) {
    if (!isOfOneText || calls.has(name) || notFed.has(name)) continue;
    const module: Record<string, unknown> = await import(file);
    const found = module[exportName];
    if (typeof found === 'function') calls.set(name, text => found(text));
  }
  assert.ok(calls.size > 120, String(calls.size));
  for (const [name, call] of calls) {
    for (const [kind, textOf] of Object.entries(HOSTILE_TEXTS))
      checkGrowth(`${name} on ${kind}`, textOf, call);
  }
  t.diagnostic(`${calls.size} functions, ${Object.keys(HOSTILE_TEXTS).length} texts`);
});

test('no member of a request takes quadratic time for a hostile text', () => {
  for (const kind of SEND_KINDS) {
    for (const [title, example] of Object.entries<unknown>(SEND_EXAMPLES[kind])) {
      for (const path of leavesOf(example)) {
        for (const hostile of FEW_HOSTILE_TEXTS) {
          const textOf = HOSTILE_TEXTS[hostile];
          assert.ok(textOf, hostile);
          checkGrowth(`${kind} ${title}: ${path.join('.')} as ${hostile}`, textOf, text => {
            const body = withLeaf(example, path, text);
            readSend({
              kind,
              contentType: undefined,
              idempotencyKey: undefined,
              traceparent: undefined,
              body: Buffer.from(JSON.stringify(body)),
            });
            if (kind === 'omni') compileFlow((body as { messageFlow: unknown }).messageFlow);
          });
        }
      }
    }
  }
});

test('the measurement detects quadratic time, and accepts a slow linear function', () => {
  const square = (text: string) => {
    let sum = 0;
    for (let start = 0; start < text.length; start++) for (let at = start; at < text.length; at++) sum += at;
    return sum;
  };
  const slow = (text: string) => Array.from({ length: 200 }, () => [...text].length);
  const isSeen = () => excessiveGrowth(length => 'a'.repeat(length), LENGTH / 4, square) !== undefined;
  assert.ok(Array.from({ length: MOST_TRIES }).some(isSeen));
  assert.equal(
    excessiveGrowth(length => 'a'.repeat(length), LENGTH, slow),
    undefined,
  );
});

function checkGrowth(
  about: string,
  textOf: (length: number) => string,
  call: (text: string) => unknown,
): void {
  const growth = excessiveGrowth(textOf, LENGTH, call);
  assert.equal(growth, undefined, `${about}: twice the text, ${growth?.toFixed(1)} times the time`);
}

function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** A copy with another text at the place. */
function withLeaf(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  const copy: Record<string, unknown> = { ...(value as object) };
  copy[name] = withLeaf(copy[name], rest, text);
  return Array.isArray(value) ? Object.values(copy) : copy;
}
