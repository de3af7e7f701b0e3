import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { bongsu, newClient, startServer } from '../harness/process.ts';

const server = await startServer({ after });

test('reports are polled, shown by key, and acknowledged once', async () => {
  const env = await newClient(server, 'shop');
  const run = (args: string) => bongsu(args.split(' '), env);
  const json = async (args: string) => JSON.parse((await run(`${args} --json`)).stdout);

  assert.equal((await run('reports poll')).stdout, 'no records\n');
  assert.deepEqual(await json('reports poll'), { reportId: '', report: null });

  const sent = await json('send --from 0212345678 --to 01012345678 --text hello --ref r-7 --wait');
  const batch = await json('reports poll');
  assert.deepEqual(Object.keys(batch), ['reportId', 'report']);
  assert.deepEqual(batch.report, sent.report);

  const human = (await run('reports poll')).stdout;
  assert.match(human, new RegExp(`^MSGKEY .*\n${sent.msgKey} +SMS/SM +10000 +Delivered .* r-7\n`));
  assert.match(human, new RegExp(`bongsu reports ack ${batch.reportId}\n$`));

  assert.deepEqual(await json(`reports show ${sent.msgKey}`), { report: sent.report });
  assert.match((await run(`reports show ${sent.msgKey}`)).stdout, new RegExp(`\n${sent.msgKey} `));
  const unknown = await run('reports show 00000000000000000000000000000000');
  assert.equal(unknown.code, 0);
  assert.match(unknown.stdout, /^no records: /);

  assert.deepEqual(await json(`reports ack ${batch.reportId}`), { reportId: batch.reportId });
  const again = await run(`reports ack ${batch.reportId}`);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^bongsu: refused: A805 /);
  assert.equal((await run('reports poll')).stdout, 'no records\n');
});

test('a reference cannot steer the terminal it is shown on', async () => {
  const env = await newClient(server, 'prankster');
  const message = ['--from', '0212345678', '--to', '01012345678', '--text', 'hi', '--ref', '\u001b[2Jgone'];
  const { stdout } = await bongsu(['send', ...message, '--wait'], env);
  assert.match(stdout, / \?\[2Jgone\n$/);
});
