/** The examples of docs/carriers-http.md are carriers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { httpCarrierProblems } from '../../../src/carriers/http/http-carrier.ts';
import { SUBMIT_NAMES } from '../../../src/carriers/http/placeholders.ts';
import { parseConfigFile } from '../../../src/config/file.ts';
import { CHANNELS } from '../../../src/domain/channels/channel.ts';

const PAGE = readFileSync(new URL('../../../docs/carriers-http.md', import.meta.url), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```yaml\n(.*?)```/gs)].map(([, source = '']) => source);

test('every example is read without a problem', () => {
  assert.equal(EXAMPLES.length, 4);
  for (const source of EXAMPLES) {
    const names = [...source.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name, 'a value of some length']);
    const problems: string[] = [];
    const { carriers } = parseConfigFile(source, CHANNELS, Object.fromEntries(names), problems);
    for (const carrier of carriers) {
      assert.ok(carrier.kind === 'http');
      problems.push(...httpCarrierProblems(carrier.name, carrier, undefined));
    }
    assert.deepEqual([carriers.length, problems], [1, []]);
  }
});

test('every placeholder of a submit is described', () => {
  for (const name of SUBMIT_NAMES) {
    if (name === 'message' || name.endsWith('.*')) continue;
    assert.ok(PAGE.includes(`\`${name}\``), name);
  }
});
