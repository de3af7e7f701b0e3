import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { bongsu, newClient, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'demo-password-of-the-test';

const server = await startServer({ after });
const store = { BONGSU_DATA_DIR: server.dataDir };

/** `bongsu send` as an account of its own. */
async function sender(id: string) {
  const env = await newClient(server, id);
  return (args: readonly string[], input = '', options: { readonly process?: true } = {}) =>
    bongsu(['send', '--from', '0212345678', ...args], env, { input, ...options });
}

test('send --wait prints the key and the delivered record, and an operator finds the message', async () => {
  const send = await sender('finder');
  const message = ['--to', '01087654321', '--text', '안녕', '--ref', 'r-1'];
  // In a process: no connection that is kept open keeps it from ending.
  const { code, stdout, stderr } = await send([...message, '--wait'], '', { process: true });
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const [key, head, record] = stdout.split('\n');
  assert.match(key ?? '', /^[0-9A-Z]{32}$/);
  assert.match(head ?? '', /^MSGKEY +TYPE +CODE +OUTCOME /);
  assert.match(record ?? '', new RegExp(`^${key} +SMS/SM +10000 +Delivered .* r-1$`));

  const search = ['messages', 'search', '--to', '+82 10-8765-4321', '--json'];
  const found = await until('it is indexed', async () => {
    const { messages } = JSON.parse((await bongsu(search, store)).stdout);
    return messages[0];
  });
  assert.deepEqual([found.msgKey, found.state, found.ref], [key, 'delivered', 'r-1']);
  const shown = (await bongsu(['messages', 'show', key ?? ''], store)).stdout;
  assert.match(shown, /^msgKey .*\naccount +finder\nto +01087654321\n/);
  assert.match(shown, /\n[-\d]+T[\d:.]+\+09:00 +1 +1 +receivedDelivered +simulator +10000/);
  const unknown = await bongsu(['messages', 'show', 'nothing'], store);
  assert.equal(unknown.stderr, `bongsu: there is no message nothing in ${server.dataDir}\n`);
});

test('the number decides the channel unless it is named', async () => {
  const send = await sender('channels');
  const channelOf = async (...args: string[]) => {
    const { stdout } = await send(['--text', 'hi', '--wait', '--json', ...args]);
    return JSON.parse(stdout).report[0].serviceType;
  };
  assert.equal(await channelOf('--to', '+14155550123'), 'INTERNATIONAL');
  assert.equal(await channelOf('--to', '+821012345678'), 'SMS');
  assert.equal(await channelOf('--to', '010-1234-5678'), 'SMS');
  assert.equal(await channelOf('--to', '+821012345678', '--channel', 'international'), 'INTERNATIONAL');
});

test('any channel is sent from a body in a file, and checked without sending', async () => {
  const send = await sender('bodies');
  const file = join(scratchDirectory(), 'body.json');
  writeFileSync(file, JSON.stringify({ mms: { title: 'news', text: 'from a file' } }));
  const sent = await send(['--body', file, '--to', '01012345678', '--wait', '--json']);
  assert.equal(sent.stderr, '');
  assert.equal(JSON.parse(sent.stdout).report[0].msgType, 'LM');

  writeFileSync(
    file,
    JSON.stringify({ senderKey: 'k', msgType: 'AT', templateCode: 't', text: 'Hi #{name}' }),
  );
  const unnamed = await send(['--body', file, '--to', '01012345678']);
  assert.equal(unnamed.code, 2);
  assert.match(unnamed.stderr, /--body needs --channel, one of sms, mms/);
  const channel = ['--channel', 'alimtalk', '--body', file];
  const wrong = await send([...channel, '--dry-run', '--to', '1']);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /warning: #\{name\} has no value in a single send and is sent literally/);
  assert.match(wrong.stderr, /would be refused: A306/);
  const fine = await send([...channel, '--dry-run', '--to', '01012345678', '--text', 'Hi Kim', '--json']);
  assert.deepEqual([fine.code, fine.stderr, JSON.parse(fine.stdout).isOk], [0, '', true]);
});

test('a message that no network delivers is sent with a warning', async () => {
  const send = await sender('warned');
  const file = join(scratchDirectory(), 'rcs.json');
  const rcs = { brandKey: 'BR.1', formatId: 'SS00000', content: { standalone: { text: 'hi' } } };
  writeFileSync(file, JSON.stringify(rcs));
  const sent = await send(['--channel', 'rcs', '--body', file, '--to', '01012345678']);
  assert.equal(sent.code, 0);
  assert.match(
    sent.stderr,
    /warning: "formatId" SS00000 .* nearest format is SS000000: networks fail .* 33121\n/,
  );
  assert.match(sent.stderr, /warning: "content" holds "standalone", .* 33124\n/);
  writeFileSync(file, JSON.stringify({ mms: { text: '#{a}', fileKey: ['photo.jpg'] } }));
  const list = join(scratchDirectory(), 'list.csv');
  writeFileSync(list, 'to,a\n01012345678,b\n');
  const { stderr } = await send(['--body', file, '--csv', list, '--dry-run']);
  assert.match(stderr, /^bongsu: warning: photo\.jpg is not an uploaded file .* 23034\n$/);
});

test('send --json has msgKey and ref, and the records once they were waited for', async () => {
  const send = await sender('json');
  const message = ['--to', '01012345678', '--text', '-', '--ref', 'r-2', '--json'];
  const sent = JSON.parse((await send(message, 'from a pipe\n')).stdout);
  assert.deepEqual(Object.keys(sent), ['msgKey', 'ref']);
  const waited = JSON.parse((await send([...message, '--wait'], 'from a pipe\n')).stdout);
  assert.deepEqual(Object.keys(waited), ['msgKey', 'ref', 'report']);
  assert.equal(waited.report[0].msgKey, waited.msgKey);
  assert.equal(waited.report[0].reportCode, '10000');
});

test('a message that is not delivered is shown, and the exit code is 1', async () => {
  const send = await sender('undelivered');
  const { code, stdout, stderr } = await send(['--to', '01012340001', '--text', 'hi', '--wait', '--json']);
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stderr), { error: 'not delivered: 23001 No such subscriber' });
  assert.equal(JSON.parse(stdout).report[0].reportCode, '23001');
});

test('a wait that times out shows the key and where to look later', async () => {
  const send = await sender('impatient');
  const silent = ['--to', '01012340006', '--text', 'hi', '--wait', '--timeout', '200ms'];
  const human = await send(silent);
  assert.equal(human.code, 1);
  const key = human.stdout.trim();
  assert.match(key, /^[0-9A-Z]{32}$/);
  assert.equal(human.stderr, `bongsu: no record within 0.2 s; look again with: bongsu reports show ${key}\n`);
  const machine = await send([...silent, '--json']);
  assert.equal(machine.code, 1);
  assert.deepEqual(JSON.parse(machine.stdout).report, []);
});

test('what the gateway refuses is shown with code and result', async () => {
  const client = await newClient(server, 'refused');
  const message = ['--from', '0212345678', '--to', '12', '--text', 'hi'];
  const wrongNumber = await bongsu(['send', ...message], client);
  assert.equal(wrongNumber.code, 1);
  assert.match(wrongNumber.stderr, /^bongsu: refused: A306 "to" must be a domestic number/);
  assert.equal(wrongNumber.stdout, '');

  const args = ['reports', 'poll', '--url', server.url, '--id', 'refused', '--password-stdin'];
  const wrongPassword = await bongsu(args, {}, { input: 'guess-the-password' });
  assert.equal(wrongPassword.code, 1);
  assert.equal(wrongPassword.stderr, 'bongsu: refused: A100 Invalid authentication information\n');
  const rightPassword = await bongsu(args, {}, { input: `${client.BONGSU_CLIENT_PASSWORD}\n` });
  assert.deepEqual([rightPassword.code, rightPassword.stdout], [0, 'no records\n']);
});

test('the first header prefix of the configuration is used', async t => {
  const settings = { BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`, BONGSU_HEADER_PREFIXES: 'IB' };
  const { url } = await startServer(t, settings);
  const env = { BONGSU_URL: `${url}/`, BONGSU_CLIENT_ID: 'demo', BONGSU_CLIENT_PASSWORD: PASSWORD };
  assert.equal((await bongsu(['reports', 'poll'], { ...env, BONGSU_HEADER_PREFIXES: 'IB,SVC' })).code, 0);
  assert.match((await bongsu(['reports', 'poll'], env)).stderr, /A100/);
});

test('an unreachable gateway, or another program in its place, is reported with its address', async t => {
  const other = createServer((_request, response) => response.writeHead(404).end('<html>')).listen(
    0,
    '127.0.0.1',
  );
  t.after(() => other.close());
  await new Promise(resolve => other.once('listening', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const env = { BONGSU_URL: url, BONGSU_CLIENT_ID: 'demo', BONGSU_CLIENT_PASSWORD: PASSWORD };
  const foreign = await bongsu(['reports', 'poll'], env);
  assert.equal(foreign.code, 1);
  assert.match(
    foreign.stderr,
    new RegExp(`^bongsu: no gateway answers at ${url} \\(HTTP 404 without a result code`),
  );

  await new Promise(resolve => other.close(resolve));
  const nobody = await bongsu(['reports', 'poll'], env);
  assert.equal(nobody.code, 1);
  assert.match(nobody.stderr, new RegExp(`^bongsu: no gateway answers at ${url} \\(ECONNREFUSED\\)`));
  assert.match(nobody.stderr, /npx bongsu serve.*BONGSU_URL/);
  for (const { stdout, stderr } of [foreign, nobody]) assert.ok(!`${stdout}${stderr}`.includes(PASSWORD));
});
