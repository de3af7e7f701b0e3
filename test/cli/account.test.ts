import assert from 'node:assert/strict';
import test from 'node:test';
import { bearer } from '../harness/credentials.ts';
import type { Answer } from '../harness/gateway.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

type Run = (args: string, input?: string) => ReturnType<typeof bongsu>;

/** The command line on a store of its own. */
function onStore(dataDir: string): Run {
  return (args, input = '') => bongsu(args.split(' '), { BONGSU_DATA_DIR: dataDir }, { input });
}

function scratchStore(): Run {
  return onStore(scratchDirectory());
}

async function settingsOf(run: Run, id: string) {
  return JSON.parse((await run(`account show ${id} --json`)).stdout).settings;
}

const DEFAULTS = {
  pull: true,
  channels: null,
  sendRate: null,
  callRate: null,
  addresses: [],
  recipientLimit: 10,
  duplicateWindow: null,
  formLimit: 1000,
  reservationLimit: 10_000,
  reservationRecipients: 2_000_000,
  reservationBytes: 2_000_000_000,
  fileLimit: 10_000,
  fileBytes: 2_000_000_000,
  tokenLimit: null,
  webhookCalls: 8,
  reportMode: 'polling',
  webhookUrl: null,
  reportRecords: 'every',
  reportFormat: 'spec',
  lateReports: false,
  enforceRegistry: false,
  adGuard: false,
  advertisements: 'asIs',
  adHours: '08:00-20:50',
  optOutKeywords: ['수신거부', '무료수신거부', '수신거부요청', '거부', 'STOP', 'STOPALL', 'UNSUBSCRIBE'],
};

async function bodyOf(response: Response): Promise<Answer['body']> {
  return (await response.json()) as Answer['body'];
}

function tokenAt(url: string, id: string, password: string): Promise<Response> {
  const headers = { 'x-svc-client-id': id, 'x-svc-client-passwd': password };
  return fetch(`${url}/v1/auth/token`, { method: 'POST', headers });
}

test('an account made beside a running server can be used at once, and blocked with its live token', async t => {
  const server = await startServer(t);
  const run = onStore(server.dataDir);
  const { password } = JSON.parse((await run('account create shop --json')).stdout);

  const issued = await tokenAt(server.url, 'shop', password);
  assert.equal(issued.status, 200);
  let { token } = (await bodyOf(issued)).data;
  const renew = async (words: string) => {
    token = (await bodyOf(await tokenAt(server.url, 'shop', words))).data.token;
  };
  const poll = async () => {
    const headers = bearer(token);
    return (await bodyOf(await fetch(`${server.url}/v1/report/polling`, { headers }))).code;
  };
  assert.equal(await poll(), 'A000');

  assert.equal((await run('account block shop')).stdout, 'account shop is blocked\n');
  assert.equal(await poll(), 'A110');
  assert.equal((await run('account unblock shop')).stdout, 'account shop is not blocked\n');
  assert.equal(await poll(), 'A002');
  await renew(password);
  assert.equal(await poll(), 'A000');
  assert.equal((await run('account revoke-tokens shop')).stdout, 'tokens of account shop revoked\n');
  assert.equal(await poll(), 'A002');
  await renew(password);
  assert.equal((await run('account set shop --no-pull')).code, 0);
  assert.equal(await poll(), 'A802');

  assert.equal((await run('account set-password shop --password-stdin', 'a new password\n')).code, 0);
  assert.equal((await tokenAt(server.url, 'shop', password)).status, 401);
  assert.equal((await tokenAt(server.url, 'shop', 'a new password')).status, 200);
  assert.equal(await poll(), 'A002');
});

test('flags change their settings and absent flags change nothing', async () => {
  const run = scratchStore();
  await run('account create plain');
  assert.deepEqual(await settingsOf(run, 'plain'), DEFAULTS);

  const all =
    '--no-pull --channels sms,rcs --send-rate 50 --call-rate 5 --addresses 192.0.2.0/24,2001:db8::1 --recipient-limit 100 --duplicate-window 300 --form-limit 20 --reservation-limit 40 --reservation-recipients 5000 --reservation-bytes 6000000 --file-limit 30 --file-bytes 5000000 --token-limit 7 --webhook-calls 2 --report-mode webhook ' +
    '--webhook-url https://shop.example/r ' +
    '--report-records final --report-format legacy --late-reports --enforce-registry --advertisements defer ' +
    '--ad-hours 09:00-20:00 --opt-out-keywords STOP,그만';
  const everything = {
    pull: false,
    channels: ['sms', 'rcs'],
    sendRate: 50,
    callRate: 5,
    addresses: ['192.0.2.0/24', '2001:db8::1'],
    recipientLimit: 100,
    duplicateWindow: 300,
    formLimit: 20,
    reservationLimit: 40,
    reservationRecipients: 5000,
    reservationBytes: 6_000_000,
    fileLimit: 30,
    fileBytes: 5_000_000,
    tokenLimit: 7,
    webhookCalls: 2,
    reportMode: 'webhook',
    webhookUrl: 'https://shop.example/r',
    reportRecords: 'final',
    reportFormat: 'legacy',
    lateReports: true,
    enforceRegistry: true,
    adGuard: true,
    advertisements: 'defer',
    adHours: '09:00-20:00',
    optOutKeywords: ['STOP', '그만'],
  };
  await run(`account create shop ${all}`);
  assert.deepEqual(await settingsOf(run, 'shop'), everything);
  await run('account set shop');
  assert.deepEqual(await settingsOf(run, 'shop'), everything);
  await run('account set shop --send-rate 70');
  assert.deepEqual(await settingsOf(run, 'shop'), { ...everything, sendRate: 70 });

  await run(
    'account set shop --pull --channels all --send-rate none --call-rate none --addresses all --recipient-limit 10 --duplicate-window none --form-limit 1000 --report-mode polling ' +
      '--reservation-limit 10000 --reservation-recipients 2000000 --reservation-bytes 2000000000 --file-limit 10000 --file-bytes 2000000000 --token-limit default --webhook-calls 8 ' +
      '--webhook-url none ' +
      '--report-records every --report-format spec --no-late-reports --no-enforce-registry --no-ad-guard ' +
      `--ad-hours 08:00-20:50 --opt-out-keywords ${DEFAULTS.optOutKeywords.join(',')}`,
  );
  assert.deepEqual(await settingsOf(run, 'shop'), DEFAULTS);
});

test('webhook mode without a URL is warned of, and a URL holds no password', async () => {
  const run = scratchStore();
  const created = await run('account create shop --report-mode webhook --json');
  assert.equal(created.code, 0);
  assert.match(created.stderr, /warning: account shop has no webhook URL/);
  assert.equal(JSON.parse(created.stdout).settings.reportMode, 'webhook');
  const other = await run('account set shop --webhook-url https://shop.example/r --pull');
  assert.equal(other.stderr, '');
  const secret = await run('account set shop --webhook-url https://me:secret@shop.example/r');
  assert.equal(secret.code, 2);
});

test('list and show have one shape as JSON, and a table for people', async () => {
  const run = scratchStore();
  await run('account create beta --channels sms');
  await run('account create alpha');
  await run('account block beta');
  const listed = JSON.parse((await run('account list --json')).stdout);
  assert.deepEqual(
    listed.map(({ id, blocked }: { id: string; blocked: boolean }) => [id, blocked]),
    [
      ['alpha', false],
      ['beta', true],
    ],
  );
  assert.deepEqual(Object.keys(listed[0]), ['id', 'blocked', 'createdAt', 'settings']);
  assert.match(listed[0].createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  const { usage, ...shown } = JSON.parse((await run('account show beta --json')).stdout);
  assert.deepEqual(listed[1], shown);
  assert.deepEqual(usage.files, { used: 0, limit: 10_000 });

  const table = (await run('account list')).stdout.split('\n');
  assert.match(table[0] ?? '', /^ACCOUNT +BLOCKED +PULL +CHANNELS /);
  assert.match(table[2] ?? '', /^beta +yes +yes +sms /);
  const lines = (await run('account show beta')).stdout;
  assert.match(lines, /^account +beta\nblocked +yes\n/);
  assert.match(
    lines,
    /^forms used +0 of 1000\nreservations used +0 of 10000\nreservation recipients used +0 of 2000000\n/m,
  );

  const refused = await run('account delete alpha --yes');
  assert.equal(refused.stderr, 'bongsu: Block the account "alpha" first, so that its clients stop\n');
  assert.match(
    (await run('account delete beta --yes')).stdout,
    /^account beta deleted; its messages are kept until 2/,
  );
  assert.equal((await run('account show beta')).code, 1);
});

test('an account that is not there, or there already, ends with 1', async () => {
  const run = scratchStore();
  await run('account create shop --send-rate 5');
  for (const command of ['show', 'set', 'block', 'unblock', 'set-password', 'revoke-tokens']) {
    const { code, stdout, stderr } = await run(`account ${command} nobody`);
    assert.equal(code, 1, command);
    assert.match(stderr, /^bongsu: there is no account "nobody"/);
    assert.equal(stdout, '');
  }
  const again = await run('account create shop');
  assert.equal(again.code, 1);
  assert.equal(again.stderr, 'bongsu: account "shop" already exists\n');
  assert.equal((await settingsOf(run, 'shop')).sendRate, 5);
});

test('a given password is never shown, a generated one once, and a hash never', async () => {
  const run = scratchStore();
  const given = 'correct horse battery staple';
  const made = await run('account create given --password-stdin', `${given}\n`);
  assert.equal(made.stdout, 'account given created\n');
  const generated = /^password {2}([0-9A-Z]{20}) /m.exec((await run('account create generated')).stdout)?.[1];
  assert.ok(generated);
  const renewed = JSON.parse((await run('account set-password given --json')).stdout);
  assert.deepEqual(Object.keys(renewed), ['id', 'password']);

  const outputs = [
    made,
    await run('account create piped --password-stdin --json', given),
    await run('account set-password piped --password-stdin --json', given),
    await run('account show given'),
    await run('account show generated --json'),
    await run('account set generated --pull --json'),
    await run('account list'),
    await run('account list --json'),
  ];
  for (const { code, stdout, stderr } of outputs) {
    assert.equal(code, 0);
    for (const secret of [given, generated, renewed.password, 'scrypt', 'passwordHash']) {
      assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
  }
});
