import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const COMMANDS = [
  'serve',
  'status',
  'doctor',
  'console-link',
  'init',
  'send',
  'watch',
  ...['create', 'set', 'set-password', 'revoke-tokens', 'block', 'unblock', 'delete', 'show', 'list'].map(
    name => `account ${name}`,
  ),
  ...['list', 'add', 'remove', 'import'].map(name => `registry ${name}`),
  ...['poll', 'ack', 'show'].map(name => `reports ${name}`),
  ...['show', 'peek'].map(name => `queue ${name}`),
  ...['search', 'show', 'cancel'].map(name => `messages ${name}`),
  ...['show', 'add', 'deliveries', 'test', 'retry', 'replay', 'rotate', 'resume'].map(
    name => `webhook ${name}`,
  ),
  ...['add', 'list', 'revoke'].map(name => `operator ${name}`),
  ...['export', 'erase', 'orders'].map(name => `privacy ${name}`),
];

test('every command has help with examples, exit codes and --json', async () => {
  const helps = await Promise.all(COMMANDS.map(command => bongsu([...command.split(' '), '--help'])));
  for (const [index, { code, stdout, stderr }] of helps.entries()) {
    const command = COMMANDS[index];
    assert.equal(code, 0, command);
    assert.equal(stderr, '', command);
    assert.match(stdout, new RegExp(`Examples:\n {2}\\$ bongsu ${command}`));
    assert.match(stdout, /Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
    assert.match(stdout, /--json/);
  }
});

const WRONG: readonly (readonly [args: string, says: RegExp])[] = [
  ['account', /Usage: bongsu account/],
  ['acount list', /unknown command 'acount'.*\n.*account/],
  ['account create', /missing required argument 'id'/],
  ['account create no/slash', /1 to 64 letters/],
  ['account create shop extra', /too many arguments/],
  [
    'account delete shop',
    /what is deleted cannot be restored, and there is no terminal to confirm it: add --yes/,
  ],
  ['account set shop --colour red', /unknown option '--colour'/],
  ['account set shop --channels sms,pigeon', /no channel "pigeon"; expected all, or some of sms,/],
  ['account set shop --send-rate 0', /whole number from 1, or none/],
  ['account set shop --call-rate fast', /whole number from 1, or none/],
  ['account set shop --report-mode pigeon', /polling, webhook/],
  ['account set shop --webhook-url ftp://x', /http or https URL/],
  ['account create shop --password-stdin', /password of 8 to 256 ASCII characters/],
  ['registry add shop pigeon 1', /sender, senderProfile, alimtalkTemplate/],
  ['registry add shop sender no-number', /"number" must be a sender number of 3 to 15 digits/],
  ['registry add shop sender 0212345678 --text hello', /"text" is not a field of sender; expected number/],
  ['registry list shop --kind pigeon', /sender, senderProfile, alimtalkTemplate/],
  ['registry import shop /no/such/file.yaml', /cannot read \/no\/such\/file.yaml/],
  ['queue peek --limit 0', /whole number from 1 to 1000/],
  ['messages search --limit 201', /whole number from 1 to 200/],
  ['send --text hello', /required option '--to/],
  ['send --to 01012345678 --text hello --channel pigeon', /sms, mms, international/],
  ['send --to 01012345678 --text hello --timeout soon', /90s or 5m/],
  ['send --to 01012345678 --text - --password-stdin', /both read standard input/],
  ['reports poll --url here', /URL such as/],
  ['send --omni flow.json', /--omni and --csv must be used together/],
  ['send --csv list.csv', /--csv needs the message: --text, --body or --omni/],
  ['send --csv list.csv --omni flow.json --to 1', /--to cannot be used with --csv/],
  ['send --csv list.csv --omni flow.json --text hello', /not several of them/],
  ['webhook add shop ftp://x', /is not an http or https address/],
  ['webhook retry shop', /give --from and --until, or --delivery/],
  ['privacy export', /required option '--recipient/],
  ['privacy erase --recipient kim --yes', /Expected a phone number/],
  [
    'privacy erase --recipient 01012345678',
    /cannot be restored, and there is no terminal to confirm it: add --yes/,
  ],
  ['operator add kim', /required option '--role/],
  ['operator add kim --role root', /viewer, operator, admin/],
  ['operator add kim --role viewer --expires never', /days such as 90d, from 1d to 366d/],
  ['operator add admin --role viewer', /not "admin"/],
  ['completion csh', /bash, zsh, fish/],
  ['watch --rows 0', /whole number from 1/],
];

test('wrong usage ends with 2, says what is wrong, and writes nothing to standard output', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  const runs = await Promise.all(WRONG.map(([args]) => bongsu(args.split(' ').filter(Boolean), env)));
  for (const [index, { code, stdout, stderr }] of runs.entries()) {
    const [args, says] = WRONG[index] ?? ['', /./];
    assert.equal(code, 2, args);
    assert.match(stderr, says);
    assert.equal(stdout, '', args);
  }
});

test('with --json what went wrong is one line of JSON on standard error', async () => {
  const env = { BONGSU_DATA_DIR: join(scratchDirectory(), 'nowhere') };
  for (const [args, error, code] of [
    ['account list --json', /^there is no database at /, 1],
    ['operator add kim --json', /^required option '--role/, 2],
    ['watch --rows 0 --json', /whole number from 1/, 2],
  ] as const) {
    const run = await bongsu(args.split(' '), env);
    assert.deepEqual([run.code, run.stdout], [code, ''], args);
    const told: unknown = JSON.parse(run.stderr);
    assert.match(String(Reflect.get(Object(told), 'error')), error);
  }
});

const DATA_KEY = Buffer.alloc(32, 7).toString('base64');
const READING = [
  ...['account list', 'account show shop', 'account set shop --send-rate 5', 'operator list', 'queue show'],
  ...['registry list shop', 'webhook show shop', 'messages search', 'data-key status', 'privacy orders'],
];

test('a command without a database says where it looked, and creates none', async () => {
  const directory = join(scratchDirectory(), 'nowhere');
  const runs = await Promise.all(
    READING.map(args => bongsu(args.split(' '), { BONGSU_DATA_DIR: directory, BONGSU_DATA_KEY: DATA_KEY })),
  );
  for (const [index, { code, stdout, stderr }] of runs.entries()) {
    assert.deepEqual([code, stdout], [1, ''], READING[index]);
    assert.match(
      stderr,
      new RegExp(`^bongsu: there is no database at ${join(directory, 'bongsu.db')}\n.*BONGSU_DATA_DIR`),
    );
  }
  assert.equal(existsSync(directory), false);
});

test('credentials that are missing or wrong are told all at once', async () => {
  const missing = await bongsu(['reports', 'poll'], { BONGSU_URL: 'here', BONGSU_HEADER_PREFIXES: '!' });
  assert.equal(missing.code, 2);
  for (const name of ['URL', 'HEADER_PREFIXES', 'CLIENT_ID', 'CLIENT_PASSWORD']) {
    assert.match(missing.stderr, new RegExp(`BONGSU_${name}`));
  }
  const unusable = await bongsu(['reports', 'poll', '--id', 'shop'], { BONGSU_CLIENT_PASSWORD: 'señal\n' });
  assert.equal(unusable.code, 2);
  assert.match(unusable.stderr, /password of 1 to 256 ASCII characters/);
  assert.doesNotMatch(unusable.stderr, /señal/);
});

/** On a store with an account; one of each group. */
const ONE_OF_EACH = [
  ...[
    'account list',
    'operator list',
    'registry list shop',
    'queue show',
    'messages search',
    'webhook show shop',
  ],
  ...['carrier list', 'route explain --channel sms --to 01012345678', 'reservation list', 'inbound list'],
  ...['optout list shop', 'privacy orders', 'data-key status', 'completion bash', 'reports poll'],
];

test('a command ends by itself in a process of its own, with the answer of the command host', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory(), BONGSU_DATA_KEY: DATA_KEY };
  assert.equal((await bongsu(['account', 'create', 'shop'], env, { process: true })).code, 0);
  const client = { BONGSU_URL: 'http://127.0.0.1:9', BONGSU_CLIENT_ID: 'shop', BONGSU_CLIENT_PASSWORD: 'x' };
  await Promise.all(
    ONE_OF_EACH.map(async line => {
      const args = line.split(' ');
      const own = await bongsu(args, { ...env, ...client }, { process: true });
      assert.equal(own.code, args[0] === 'reports' ? 1 : 0, `${line}: ${own.stderr}`);
      assert.deepEqual(own, await bongsu(args, { ...env, ...client }), line);
    }),
  );
});
