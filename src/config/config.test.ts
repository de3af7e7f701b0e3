import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { ConfigProblems, loadConfig } from './config.ts';

const CHANNELS = ['sms', 'international'];

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env, CHANNELS);
  } catch (error) {
    assert.ok(error instanceof ConfigProblems);
    return error.problems;
  }
  return [];
}

function file(t: TestContext, source: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-config-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'bongsu.yaml');
  writeFileSync(path, source);
  return path;
}

test('nothing configured is a sandbox on the loopback address', () => {
  const config = loadConfig({}, CHANNELS);
  assert.deepEqual(
    [config.mode, config.host, config.port, config.dataDir, config.secrets.databaseUrl],
    ['sandbox', '127.0.0.1', 8080, './data', undefined],
  );
  assert.equal(config.tokenLifetimeMs, 24 * 3_600_000);
  assert.deepEqual(config.simulatorLatency, { minMs: 50, maxMs: 300 });
});

test('an empty variable is one that is not set', () => {
  assert.equal(loadConfig({ BONGSU_PORT: '' }, CHANNELS).port, 8080);
});

test('tells every problem at once, with the key and the expected form', () => {
  assert.deepEqual(
    problemsOf({
      BONGSU_MODE: 'test',
      BONGSU_PORT: '99999',
      BONGSU_TOKEN_LIFETIME: 'soon',
      BONGSU_TIME_ZONE: 'Mars/Olympus',
      BONGSU_SIMULATOR_LATENCY: '300-50ms',
      BONGSU_HEADER_PREFIXES: 'SVC,',
      BONGSU_MASKING: 'nobody',
      BONGSU_COLOUR: 'red',
    }),
    [
      'BONGSU_MODE: expected sandbox or production (was "test")',
      'BONGSU_PORT: expected a whole number from 0 to 65535 (was "99999")',
      'BONGSU_HEADER_PREFIXES: expected a list of words, separated by commas (was "SVC,")',
      'BONGSU_TIME_ZONE: expected an IANA zone such as Asia/Seoul (was "Mars/Olympus")',
      'BONGSU_MASKING: expected everyone or non-admins (was "nobody")',
      'BONGSU_TOKEN_LIFETIME: expected a duration from 1s to 3650d (was "soon")',
      'BONGSU_SIMULATOR_LATENCY: expected 0, or a range such as 50-300ms, up to 999999ms (was "300-50ms")',
      'BONGSU_COLOUR: there is no such setting; see docs/configuration.md',
    ],
  );
});

test('never shows a secret, not even a wrong one', () => {
  const problems = problemsOf({ BONGSU_DATABASE_URL: 'mysql://me:hunter2@db', BONGSU_ADMIN_TOKEN: 'short' });
  assert.equal(problems.length, 2);
  assert.ok(!problems.join().includes('hunter2') && !problems.join().includes('short'));
});

test('production refuses risky settings', () => {
  const problems = problemsOf({
    BONGSU_MODE: 'production',
    BONGSU_DEMO_ACCOUNT: 'demo:demo',
    BONGSU_ADMIN_TOKEN: 'short-token',
  });
  assert.equal(problems.length, 2);
});

test('reads carriers and routes, and variables in them', t => {
  const path = file(
    t,
    [
      'carriers:',
      '  sky: { kind: simulator, latency: "${SKY_LATENCY}" }',
      '  sea: { kind: simulator }',
      'routes:',
      '  - { channel: international, prefix: ["+1", "+44"], via: [sky, sea] }',
      '  - { channel: sms, via: [sea] }',
    ].join('\n'),
  );
  const config = loadConfig({ BONGSU_CONFIG: path, SKY_LATENCY: '0' }, CHANNELS);
  assert.deepEqual(config.secrets.carriers.reveal(), [
    { name: 'sky', kind: 'simulator', latency: { minMs: 0, maxMs: 0 } },
    { name: 'sea', kind: 'simulator', latency: undefined },
  ]);
  assert.deepEqual(config.routes, [
    { channel: 'international', prefix: ['+1', '+44'], account: [], weight: undefined, via: ['sky', 'sea'] },
    { channel: 'sms', prefix: [], account: [], weight: undefined, via: ['sea'] },
  ]);
});

const SMPP = 'kind: smpp, host: smsc.example.com, systemId: bongsu';

test('an SMPP carrier needs a host and a name, and has defaults for the rest', t => {
  const path = file(t, `carriers: { sky: { ${SMPP} } }`);
  const [sky] = loadConfig({ BONGSU_CONFIG: path }, CHANNELS).secrets.carriers.reveal();
  assert.ok(sky?.kind === 'smpp');
  assert.deepEqual(
    [sky.port, sky.bind, sky.window, sky.rate, sky.responseTimeout, sky.enquireLink, sky.longMessages],
    [2775, 'transceiver', 10, 0, 60_000, 30_000, 'udh'],
  );
});

const WRONG_FILES: [string, string, string][] = [
  [
    'a channel of an HTTP carrier with an unknown key',
    `carriers: { sky: { kind: http, submit: {}, outcomes: [], channels: { sms: { uri: x } } } }`,
    'carriers.sky.channels.sms: "uri" is not a key here; expected method, url, query, headers, json, form',
  ],
  [
    'channels of an HTTP carrier that are a list',
    `carriers: { sky: { kind: http, submit: {}, outcomes: [], channels: [sms] } }`,
    'carriers.sky.channels: expected a map by channel',
  ],
  [
    'a status that is none',
    `carriers: { sky: { kind: http, submit: {}, channels: {}, outcomes: [{ status: 2x, result: accepted }] } }`,
    'carriers.sky.outcomes[0].status: expected a list of statuses such as 202 or 2xx',
  ],
  [
    'a regular expression that does not compile',
    `carriers: { sky: { kind: http, submit: {}, channels: {}, outcomes: [{ matches: "(", result: accepted }] } }`,
    'carriers.sky.outcomes[0].matches: expected a regular expression',
  ],
  [
    'a timeout shorter than its window takes',
    `carriers: { sky: { ${SMPP}, window: 1000, rate: 10 } }`,
    'carriers.sky.responseTimeout: a window of 1000 at a rate of 10 takes 100s',
  ],
  [
    'a certificate without its key',
    `carriers: { sky: { ${SMPP}, tls: true, cert: /etc/cert.pem } }`,
    'carriers.sky.cert, key: expected both or neither',
  ],
  [
    'parameters that its version of SMPP lacks',
    `carriers: { sky: { ${SMPP}, interfaceVersion: "3.3", longMessages: sar } }`,
    'carriers.sky.longMessages: SMPP 3.3 has no optional parameters',
  ],
  [
    'CP949 where UCS-2 is',
    `carriers: { sky: { ${SMPP}, cp949DataCoding: 8 } }`,
    'carriers.sky.cp949DataCoding: 8 is UCS-2',
  ],
  ['no host', 'carriers: { sky: { kind: smpp, systemId: x } }', 'carriers.sky.host: missing'],
  ['an unknown key', 'colour: red', 'the file: "colour" is not a key here; expected carriers, routes'],
  ['an unknown kind', 'carriers: { sky: { kind: pigeon } }', 'carriers.sky.kind: expected simulator'],
  [
    'an unknown channel',
    'routes: [{ channel: fax, via: [] }]',
    'routes[0].channel: expected one of sms, international',
  ],
  [
    'a route to nowhere',
    'routes: [{ channel: sms, via: [sky] }]',
    'routes[0].via: no carrier is named "sky"',
  ],
  [
    'a variable that is not set',
    'carriers: { sky: { kind: "${NOPE}" } }',
    'carriers.sky.kind: the environment variable NOPE is not set',
  ],
  ['a list for a map', 'carriers: []', 'carriers: expected a map'],
  ['no YAML', 'carriers: [', 'not valid YAML'],
  [
    'a key twice',
    'carriers: {}\ncarriers: {}',
    'not valid YAML: Map keys must be unique at line 2, column 1',
  ],
  ['a list for a key', 'carriers: { ? [a] : b }', 'not valid YAML: A key must be a text at line 1'],
  ['an alias of nothing', 'carriers: *nobody', 'not valid YAML: Unresolved alias'],
  ['an alias of what it is in', 'carriers: &a { sim: *a }', 'the file: expected at most 64 levels'],
  ['an alias of what it is in, as a merge', 'carriers: &a\n  <<: *a', 'the file: expected at most 64 levels'],
  ['aliases of aliases', aliasBomb(), 'not valid YAML: Excessive alias count'],
  ['many levels', `carriers: ${'['.repeat(3000)}${']'.repeat(3000)}`, 'the file: expected at most 64 levels'],
  ['many levels that do not end', '['.repeat(3000), 'the file: expected at most 64 levels'],
  ['a tag that nobody knows', 'carriers: !!js/function "x"', 'not valid YAML: Unresolved tag'],
  [
    'bytes',
    `carriers: !!binary ${'/'.repeat(60_000)}`,
    'the file: expected only strings, numbers, booleans, lists',
  ],
  ['a set', 'carriers: !!set {a, b}', 'the file: expected only strings, numbers, booleans, lists'],
  ['no end', 'x'.repeat(200_000), 'the file: expected at most 65536 characters'],
  ['a bad name', 'carriers: { "Sky!": { kind: simulator } }', 'carriers.Sky!: a name is'],
];
/** A few hundred bytes that would be gigabytes. */
function aliasBomb(): string {
  const lines = Array.from(
    { length: 9 },
    (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`,
  );
  return ['a0: &a0 [x]', ...lines].join('\n');
}

for (const [title, source, expected] of WRONG_FILES) {
  test(`a file with ${title} is refused`, t => {
    const path = file(t, source);
    const problems = problemsOf({ BONGSU_CONFIG: path });
    assert.ok(
      problems.some(problem => problem.startsWith(`${path}: ${expected}`)),
      problems.join('\n'),
    );
  });
}

test('a file that was named must be there', () => {
  assert.match(problemsOf({ BONGSU_CONFIG: '/nowhere/bongsu.yaml' })[0] ?? '', /^BONGSU_CONFIG: cannot read/);
});

test('secrets are apart from settings, and whatever prints the configuration does not show them', t => {
  const path = file(
    t,
    'carriers:\n  sky: { kind: smpp, host: smsc.example, systemId: bongsu, password: skypass }\n',
  );
  const config = loadConfig(
    {
      BONGSU_CONFIG: path,
      BONGSU_ADMIN_TOKEN: 'admin-token',
      BONGSU_DATABASE_URL: 'postgres://bongsu:dbpass@db/bongsu',
      BONGSU_DEMO_ACCOUNT: 'shop:shoppass',
      BONGSU_SECRET_KEY: Buffer.alloc(32, 'k').toString('base64'),
      BONGSU_DATA_KEY: `plain,${Buffer.alloc(32, 'k').toString('base64')}`,
    },
    CHANNELS,
  );
  const secret = /admin-token|dbpass|shoppass|skypass|a2tr|6b, ?6b|kkk|107/;
  for (const shown of [inspect(config, { depth: null }), JSON.stringify(config)]) {
    assert.doesNotMatch(shown, secret);
  }
  assert.equal(config.secrets.adminToken?.reveal(), 'admin-token');
  assert.equal(config.secrets.demoAccount?.reveal().password, 'shoppass');
});

test('texts are kept no longer than their messages', () => {
  const problem =
    'BONGSU_TEXT_RETENTION: expected at most BONGSU_INQUIRY_WINDOW, after which the whole message is deleted';
  assert.deepEqual(problemsOf({ BONGSU_TEXT_RETENTION: '31d' }), [problem]);
  assert.deepEqual(problemsOf({ BONGSU_TEXT_RETENTION: '2d', BONGSU_INQUIRY_WINDOW: '2d' }), []);
  assert.deepEqual(problemsOf({ BONGSU_INQUIRY_WINDOW: '3d' }), [], 'the default is shortened by it');
});

test('settings that contradict each other are refused with both names', () => {
  assert.deepEqual(problemsOf({ BONGSU_REPORT_RETENTION: '5d', BONGSU_INQUIRY_WINDOW: '4d' }), [
    'BONGSU_REPORT_RETENTION: expected at most BONGSU_INQUIRY_WINDOW, after which the whole message is deleted',
  ]);
  assert.deepEqual(problemsOf({ BONGSU_REPORT_RETENTION: '5d', BONGSU_INQUIRY_WINDOW: '5d' }), []);
});

test('what is refused in a file is shown only if it is a duration', t => {
  const path = file(t, `carriers: { sky: { ${SMPP}, bindTimeout: hunter2 } }`);
  assert.deepEqual(problemsOf({ BONGSU_CONFIG: path }), [
    `${path}: carriers.sky.bindTimeout: expected a duration from 1s to 1d`,
  ]);
});

test('a certificate needs its key, and a key its certificate', () => {
  assert.deepEqual(problemsOf({ BONGSU_TLS_CERT: 'a' }), ['BONGSU_TLS_KEY: needed with BONGSU_TLS_CERT']);
  assert.deepEqual(problemsOf({ BONGSU_TLS_KEY: 'a' }), ['BONGSU_TLS_CERT: needed with BONGSU_TLS_KEY']);
  assert.deepEqual(problemsOf({ BONGSU_TLS_CERT: 'a', BONGSU_TLS_KEY: 'b' }), []);
});

test('files are kept in the data directory, in PostgreSQL, or in a bucket with its keys', () => {
  assert.deepEqual(problemsOf({ BONGSU_FILES: 'database' }), [
    'BONGSU_FILES: database needs BONGSU_DATABASE_URL',
  ]);
  assert.deepEqual(problemsOf({ BONGSU_FILES: 's3://images' }), [
    'BONGSU_FILES: s3 needs BONGSU_S3_ACCESS_KEY_ID',
    'BONGSU_FILES: s3 needs BONGSU_S3_SECRET_ACCESS_KEY',
  ]);
  const env = {
    BONGSU_DATABASE_URL: 'postgres://db/bongsu',
    BONGSU_S3_ACCESS_KEY_ID: 'key',
    BONGSU_S3_SECRET_ACCESS_KEY: 'secret',
  };
  for (const [text, place] of [
    ['directory', { kind: 'directory' }],
    ['database', { kind: 'database' }],
    ['s3://images', { kind: 's3', bucket: 'images', prefix: '' }],
    ['s3://images/', { kind: 's3', bucket: 'images', prefix: '' }],
    ['s3://images/bongsu/prod', { kind: 's3', bucket: 'images', prefix: 'bongsu/prod/' }],
  ] as const) {
    assert.deepEqual(loadConfig({ ...env, BONGSU_FILES: text }, CHANNELS).files, place);
  }
  for (const text of ['s3://', 's3://A', 's3://images/../x', 's3://images//x', 'http://images', 'disk']) {
    assert.match(problemsOf({ ...env, BONGSU_FILES: text }).join(), /^BONGSU_FILES: expected directory, /);
  }
});

function passwordIn(env: Record<string, string>): unknown {
  const [carrier] = loadConfig(env, CHANNELS).secrets.carriers.reveal();
  return carrier && 'password' in carrier ? carrier.password : undefined;
}

test('a variable of the file that is empty is one that is not set', t => {
  const path = file(
    t,
    'carriers: { sky: { kind: smpp, host: h, systemId: b, password: "${SKY_PASSWORD}" } }',
  );
  const env = { BONGSU_CONFIG: path };
  const problem = `${path}: carriers.sky.password: the environment variable SKY_PASSWORD is not set`;
  assert.equal(problemsOf({ ...env, SKY_PASSWORD: '' })[0], problem);
  assert.equal(problemsOf(env)[0], problem);
  assert.equal(passwordIn({ ...env, SKY_PASSWORD: 'skypass' }), 'skypass');
});

test('a value of the file is read from a file of its own, anew each time', t => {
  const path = file(t, '');
  const secret = join(dirname(path), 'sky');
  const env = { BONGSU_CONFIG: path };
  const write = (place: string) =>
    writeFileSync(
      path,
      `carriers: { sky: { kind: smpp, host: h, systemId: b, password: "\${file:${place}}" }, sea: { kind: none } }`,
    );
  const problem = (place: string) => {
    write(place);
    const [first = '', second = ''] = problemsOf(env);
    assert.match(second, /carriers.sea.kind: expected/, 'with all others');
    assert.ok(first.startsWith(`${path}: carriers.sky.password: `), first);
    return first.slice(`${path}: carriers.sky.password: `.length);
  };
  assert.match(problem(secret), new RegExp(`^cannot read ${secret} \\(ENOENT`));
  assert.equal(problem('run/sky'), 'expected the absolute path of a file in ${file:…} (was "run/sky")');
  assert.equal(problem(dirname(path)), `${dirname(path)} is not a file`);
  assert.equal(problem('/dev/zero'), '/dev/zero is not a file');
  for (const [content, said] of [
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['x'.repeat(65_537), 'is longer than 65536 bytes'],
    [Buffer.from([0xff, 0xfe]), 'is not UTF-8'],
  ] as const) {
    writeFileSync(secret, content);
    assert.equal(problem(secret), `${secret} ${said}`);
  }
  writeFileSync(
    path,
    `carriers: { sky: { kind: smpp, host: h, systemId: b, password: "\${file:${secret}}" } }`,
  );
  for (const [content, password] of [
    ['first\n', 'first'],
    ['second\r\n', 'second'],
    [' third ', ' third '],
    ['$' + '{NOPE}', '$' + '{NOPE}'],
  ] as const) {
    writeFileSync(secret, content);
    assert.equal(passwordIn(env), password);
  }
});
