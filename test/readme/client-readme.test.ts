import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const CLIENT = new URL('../../client/', import.meta.url);

test("the example of the client's README runs as printed", async t => {
  const readme = readFileSync(new URL('README.md', CLIENT), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const server = await startServer(t, { BONGSU_DEMO_ACCOUNT: 'demo:the-password-it-printed' });
  const file = join(scratchDirectory(), 'example.ts');
  const program = example
    .replace('./bongsu-client.ts', new URL('bongsu-client.ts', CLIENT).href)
    .replace('http://127.0.0.1:8080', server.url);
  assert.notEqual(program, example);
  writeFileSync(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    file,
  ]);
  assert.match(stdout, /^sent \w{32}\n(.*\n)*first 10000 Delivered\n$/);
});
