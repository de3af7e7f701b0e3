import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { parseCsv } from '../../src/platform/csv.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { bongsu, newClient, type ServerProcess, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const FLOW = [{ sms: { from: '0212345678', text: 'Hello #{name}' } }];

const SETTINGS = { BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
const shared = await startServer({ after }, SETTINGS);

/** A list, and an account of its own that sends to it. */
async function listOf(id: string, count: number, server: ServerProcess = shared) {
  const env = await newClient(server, id);
  const directory = scratchDirectory();
  const flow = join(directory, 'flow.json');
  const list = join(directory, 'recipients.csv');
  const results = join(directory, 'recipients.results.csv');
  writeFileSync(flow, JSON.stringify(FLOW));
  const rows = Array.from(
    { length: count },
    (_, index) => `0101234${String(index + 100).padStart(4, '0')},n${index}`,
  );
  writeFileSync(list, `to,name\n${rows.join('\n')}\n`);
  const run = (...more: string[]) => bongsu(['send', '--omni', flow, '--csv', list, '--json', ...more], env);
  const accepted = async () => {
    const headers = bearer(ADMIN_TOKEN);
    const response = await fetch(`${server.url}/admin/v1/messages?account=${id}&limit=200`, { headers });
    const { data } = (await response.json()) as { data: { messages: { msgKey: string }[] } };
    return data.messages.map(({ msgKey }) => msgKey);
  };
  const textOf = async (msgKey: string) => {
    const headers = bearer(ADMIN_TOKEN);
    const response = await fetch(`${server.url}/admin/v1/messages/${msgKey}`, { headers });
    const { data } = (await response.json()) as { data: { rendered: { text: string }[] } };
    return data.rendered[0]?.text;
  };
  return { flow, list, results, run, accepted, textOf, env };
}

test('a flow goes to every row of a list, and the results stand beside it', async () => {
  const { list, results, run, accepted } = await listOf('whole', 25);
  const first = await run();
  assert.deepEqual(
    [first.code, JSON.parse(first.stdout)],
    [0, { rows: 25, skipped: 0, refused: 0, replayed: 0, codes: { A000: 25 }, results }],
  );
  assert.match(first.stderr, /25 of 25 rows/);
  const [head, length, ...rows] = parseCsv(readFileSync(results, 'utf8'));
  assert.deepEqual(head, ['to', 'msgKey', 'code', 'reason', 'run']);
  assert.deepEqual(length?.slice(0, 4), ['', '', '', 'list of 25 rows']);
  assert.deepEqual(
    rows.map(([to]) => to),
    readFileSync(list, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.split(',')[0]),
  );
  assert.equal((await accepted()).length, 25);
  const again = await run();
  assert.equal(JSON.parse(again.stdout).skipped, 25);
  assert.match(again.stderr, /every row was sent before by the same command: nothing was sent now/);
  assert.equal((await accepted()).length, 25);
});

test('rows that are appended to a list are sent, and those before are not sent again', async () => {
  const { list, results, run, accepted } = await listOf('appended', 14);
  await run();
  appendFileSync(list, '01012349001,a\n01012349002,b\n');
  const more = JSON.parse((await run()).stdout);
  assert.deepEqual([more.rows, more.skipped, more.replayed], [16, 14, 0]);
  assert.equal((await accepted()).length, 16);
  // The answer of the last request of the first run was lost, and so was that of the second: both are asked for again.
  const lines = readFileSync(results, 'utf8').split('\n');
  writeFileSync(results, `${lines.filter(line => !/"0101234(011[0-3]|9002)"/.test(line)).join('\n')}\n`);
  appendFileSync(list, '01012349003,c\n');
  const last = JSON.parse((await run()).stdout);
  assert.deepEqual([last.rows, last.skipped, last.replayed], [17, 10, 6]);
  assert.equal((await accepted()).length, 17);
});

test('another text to the same list is another run, and the first run is still known', async () => {
  const { flow, run, accepted } = await listOf('campaigns', 12);
  await run();
  writeFileSync(flow, JSON.stringify([{ sms: { from: '0212345678', text: 'Good bye #{name}' } }]));
  const second = await run();
  assert.deepEqual(
    [second.code, JSON.parse(second.stdout).skipped, JSON.parse(second.stdout).replayed],
    [0, 0, 0],
  );
  assert.equal((await accepted()).length, 24);
  const again = await run('--run', 'again');
  assert.deepEqual(
    [again.code, JSON.parse(again.stdout).skipped, JSON.parse(again.stdout).replayed],
    [0, 0, 0],
  );
  writeFileSync(flow, JSON.stringify(FLOW));
  assert.equal(JSON.parse((await run()).stdout).skipped, 12);
  assert.equal((await accepted()).length, 36);
});

test('a broken list, and results that do not say what was sent, are refused before anything is sent', async () => {
  const { list, results, run, accepted } = await listOf('broken', 3);
  writeFileSync(list, 'to,name\n01012345678,Kim\n01087654321,"Lee\n01011112222,Park\n');
  const open = await run();
  assert.equal(open.code, 2);
  assert.match(open.stderr, /recipients\.csv, line 3, column 13: the quote that opens here is never closed/);
  writeFileSync(list, 'to,name\n01012345678,Kim\n01087654321,Lee, Chul\n');
  const shifted = await run();
  assert.equal(shifted.code, 2);
  assert.match(shifted.stderr, /row 2 after the names: expected 2 cells, one for each name \(has 3\)/);
  writeFileSync(list, 'to,name,name\n01012345678,Kim,Lee\n');
  const repeated = await run();
  assert.equal(repeated.code, 2);
  assert.match(repeated.stderr, /recipients\.csv: the first line has two columns .*name/);
  writeFileSync(list, 'to,name\r01012345678,Kim\r01087654321,Lee\r');
  writeFileSync(results, 'to,msgKey,code,reason\n01012345678,key,A000,\n');
  const older = await run();
  assert.equal(older.code, 1);
  assert.match(older.stderr, /recipients\.results\.csv was written by an older version/);
  assert.equal((await accepted()).length, 0);
  writeFileSync(results, '');
  assert.equal(JSON.parse((await run()).stdout).rows, 2);
});

test('an interrupted run continues where it stopped and sends nothing twice', async () => {
  const { results, run, accepted } = await listOf('interrupted', 35);
  await run();
  const whole = readFileSync(results, 'utf8');
  // Interrupted after 14 rows: one whole batch, and a part of the next whose answer was not written to the end.
  writeFileSync(results, `${whole.split('\n').slice(0, 16).join('\n')}\n`);
  const resumed = await run();
  const { skipped, replayed } = JSON.parse(resumed.stdout);
  assert.deepEqual([resumed.code, skipped, replayed], [0, 10, 25]);
  assert.match(resumed.stderr, /warning: 25 of 35 rows are replays: .*--run NAME sends them again/);
  assert.equal(readFileSync(results, 'utf8').replaceAll('replay: sent before, not sent again', ''), whole);
  assert.equal((await accepted()).length, 35);
});

test('rows that equal rows of another file are sent', async () => {
  const { list, run, accepted, flow, env } = await listOf('copied', 3);
  await run();
  const copy = list.replace('.csv', '-2.csv');
  writeFileSync(copy, readFileSync(list));
  const second = await bongsu(['send', '--omni', flow, '--csv', copy, '--json'], env);
  assert.deepEqual([second.code, JSON.parse(second.stdout).replayed], [0, 0]);
  assert.equal((await accepted()).length, 6);
});

test('a list in CP949 is checked by a dry run and sent, and a placeholder without a column is reported', async () => {
  const { list, results, accepted, textOf, env } = await listOf('cp949', 0);
  // As Excel in Korean saves it: "to,이름", "01012345678,김" and a row without a number.
  const rows = (last: string) => {
    const parts = ['to,', [0xc0, 0xcc, 0xb8, 0xa7], '\r\n01012345678,', [0xb1, 0xe8], last];
    return Buffer.concat(
      parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
    );
  };
  writeFileSync(list, rows('\r\nnobody,x\r\n'));
  const send = (text: string, ...more: string[]) =>
    bongsu(['send', '--from', '0212345678', '--text', text, '--csv', list, '--json', ...more], env);

  const dry = await send('안녕하세요 #{이름}님', '--dry-run');
  assert.equal(dry.code, 1);
  assert.deepEqual(JSON.parse(dry.stdout), {
    rows: 2,
    requests: 1,
    refused: 1,
    codes: { A306: 1 },
    problems: [
      { row: 2, to: 'nobody', code: 'A306', reason: '"to" must be a domestic number such as 01012345678' },
    ],
  });
  const missing = await send('Dear #{name}', '--dry-run');
  assert.deepEqual([missing.code, missing.stdout], [2, '']);
  assert.match(missing.stderr, /has no column for #\{name\}: every row would be refused/);
  assert.equal((await accepted()).length, 0);

  writeFileSync(list, rows('\r\n'));
  assert.equal((await send('안녕하세요 #{이름}님')).code, 0);
  const [key] = await accepted();
  assert.match(readFileSync(results, 'utf8'), new RegExp(`^"01012345678","${key}","A000","",`, 'm'));
  assert.equal(await textOf(key ?? ''), '안녕하세요 김님');
});

test('the same list under another name is another run', async () => {
  const { run, accepted } = await listOf('named', 3);
  await run();
  await run('--run', 'second');
  assert.equal((await accepted()).length, 6);
});

test('a refused row is told with its code, and the others go out', async () => {
  const { list, results, run } = await listOf('refused', 3);
  writeFileSync(list, 'to,name\n01012345678,Kim\nnobody,Lee\n');
  const { code, stdout, stderr } = await run();
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout).codes, { A000: 1, A306: 1 });
  assert.match(stderr, /1 of 2 rows were refused/);
  assert.match(readFileSync(results, 'utf8'), /^"nobody","","A306","""to"" must be a domestic number/m);
});

test('a cell of the list that begins a formula is text in the results, and still the same row', async () => {
  const { list, results, run } = await listOf('formula', 3);
  writeFileSync(list, 'to,name\n01012345678,Kim\n=cmd|calc,Lee\n');
  assert.equal((await run()).code, 1);
  assert.match(readFileSync(results, 'utf8'), /^"'=cmd\|calc","","A306",/m);
  assert.equal(JSON.parse((await run()).stdout).skipped, 2);
});

test('results of another list are refused', async () => {
  const { list, run } = await listOf('foreign', 12);
  await run();
  writeFileSync(list, `to,name\n${'01099998888,Kim\n'.repeat(12)}`);
  const { code, stderr } = await run();
  assert.equal(code, 1);
  assert.match(stderr, /recipients.results.csv does not belong to this list \(row 1 differs\)/);
});

test('an unreachable gateway stops the run, and the rows so far are kept', async t => {
  const server = await startServer(t, SETTINGS);
  const { run } = await listOf('stopped', 12, server);
  await server.stop();
  const { code, stderr } = await run();
  assert.equal(code, 1);
  assert.match(stderr, /stopped after 0 of 12 rows; run the same command to continue/);
});
