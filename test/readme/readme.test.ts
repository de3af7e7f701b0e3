import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { promisify } from 'node:util';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);
const CHECKOUT = new URL('../../', import.meta.url);

/** The shell blocks of the README, in order. */
function shellBlocks(): string[] {
  const readme = readFileSync(new URL('README.md', CHECKOUT), 'utf8');
  return [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(match => match[1] ?? '');
}

test('the commands of the README work as printed, from token to command line', async t => {
  const [clone, start, _password, token, send, watch, poll, commandLine, tests, ...rest] = shellBlocks();
  assert.equal(clone, 'git clone REPOSITORY_URL bongsu && cd bongsu\n');
  assert.equal(start, 'npm ci && npm start\n');
  assert.equal(tests, 'npm ci && npm test\n');
  assert.deepEqual(rest, [], 'every block of the README is checked');
  const server = await startServer(t, { BONGSU_DEMO_ACCOUNT: 'demo:printed-password' });

  /** Runs blocks in one shell, as a reader would, and shows what the last one printed. */
  async function shell(...blocks: (string | undefined)[]): Promise<string> {
    const setUp = `set -e; URL=${server.url} ID=demo PASSWORD=printed-password`;
    const script = [setUp, ...blocks.slice(0, -1), 'echo; echo LAST', blocks.at(-1)].join('\n');
    const { stdout } = await run('bash', ['-c', script], { cwd: CHECKOUT });
    return stdout.split('LAST\n')[1]?.trim() ?? '';
  }

  assert.match(await shell(token, 'echo $TOKEN'), /^[0-9A-Z]{42}$/);
  const sent = await shell(token, send);
  assert.match(sent, /"code":"A000".*"ref":"first"/);
  const msgKey = JSON.parse(sent).msgKey;
  await until('the record is there', async () => {
    const shown = await shell(token, `MSGKEY=${msgKey}`, watch);
    return shown.includes('"reportCode":"10000"');
  });
  const polled = (await shell(token, poll)).split('\n');
  assert.match(polled[0] ?? '', /"reportId":"[0-9A-Z]{28}"/);
  assert.equal(polled[1], '{"code":"A000","result":"Success"}');
  assert.match(await shell(commandLine), /10000/);
});
