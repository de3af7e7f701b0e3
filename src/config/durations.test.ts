import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { durationMs, parseDurationMs } from '../platform/duration.ts';
import { ConfigProblems, loadConfig } from './config.ts';
import { CARRIER_KEYS } from './file.ts';
import type { FileKeys } from './file-key.ts';
import { SETTINGS } from './settings.ts';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env, []);
  } catch (error) {
    assert.ok(error instanceof ConfigProblems);
    return error.problems;
  }
  return [];
}

/** Added to or taken from a date, and never given to a timer. */
const DATES = /(_LIFETIME|_RETENTION|_WINDOW|_LEAD|_DEADLINE_\w+|\.(repeatableFor|lifetime|validity))$/;

/** The settings and keys of a file that are durations, with what a configuration says about one that has this value. */
function durations(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-durations-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'bongsu.yaml');
  const problemsOfKey = (keys: readonly string[], kind: string, value: string) => {
    const body = keys.reduceRight<unknown>((below, key) => ({ [key]: below }), value);
    writeFileSync(path, JSON.stringify({ carriers: { sky: { kind, ...(body as object) } } }));
    return problemsOf({ BONGSU_CONFIG: path }).map(problem => problem.slice(path.length + 2));
  };
  return [
    ...Object.values(SETTINGS).map(({ env, form }) => ({
      name: env as string,
      form,
      problems: (value: string) => problemsOf({ [env]: value }),
    })),
    ...Object.entries(CARRIER_KEYS).flatMap(([kind, keys]) =>
      leavesOf(keys).map(({ names, form }) => ({
        name: `carriers.sky.${names.join('.')}`,
        form,
        problems: (value: string) => problemsOfKey(names, kind, value),
      })),
    ),
  ].filter(({ form }) => form.includes('duration'));
}

function leavesOf(keys: FileKeys): { readonly names: readonly string[]; readonly form: string }[] {
  return Object.entries(keys).flatMap(([name, { form, keys: below }]) =>
    below === undefined
      ? [{ names: [name], form }]
      : leavesOf(below).map(leaf => ({ ...leaf, names: [name, ...leaf.names] })),
  );
}

test('a duration is refused outside its range, with its name, its value and the range', t => {
  const found = durations(t);
  assert.ok(found.length >= 30, String(found.length));
  for (const { name, form, problems } of found) {
    const [, min = '', max = ''] = /^a duration from (\d+\w+) to (\d+\w+)$/.exec(form) ?? [];
    const ofName = (value: string) =>
      problems(value).filter(problem => problem.startsWith(`${name}: expected a duration`));
    assert.deepEqual([ofName(min), ofName(max)], [[], []], name);
    const tooLong = max.replace(/\d+/, digits => String(Number(digits) + 1));
    for (const wrong of [tooLong, '999999999d', ...(name === 'BONGSU_RESERVATION_LEAD' ? [] : ['0s'])]) {
      assert.deepEqual(ofName(wrong), [`${name}: expected ${form} (was "${wrong}")`]);
    }
    const longestMs = parseDurationMs(max) ?? Number.NaN;
    assert.ok(longestMs <= durationMs(DATES.test(name) ? '3650d' : '1d'), `${name}: ${max}`);
  }
});
