import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

/** The command line on a store with the account `shop`, and files beside it. */
async function shopStore() {
  const dataDir = scratchDirectory();
  const run = (args: readonly string[], input = '') => bongsu(args, { BONGSU_DATA_DIR: dataDir }, { input });
  const file = (name: string, source: string): string => {
    const path = join(dataDir, name);
    writeFileSync(path, source);
    return path;
  };
  const entries = async () => JSON.parse((await run(['registry', 'list', 'shop', '--json'])).stdout);
  await run(['account', 'create', 'shop']);
  return { run, file, entries };
}

test('adds, lists, replaces and removes entries of every kind', async () => {
  const { run, entries } = await shopStore();
  assert.match((await run(['registry', 'list', 'shop'])).stdout, /^nothing is registered for shop in /);
  const add = (...args: string[]) => run(['registry', 'add', 'shop', ...args]);
  assert.equal((await add('sender', '0212345678')).stdout, 'sender 0212345678 registered for shop\n');
  await add('senderProfile', 'p1');
  await run(
    [
      'registry',
      'add',
      'shop',
      'alimtalkTemplate',
      'T1',
      '--sender-key',
      'p1',
      '--text-stdin',
      '--title',
      'Hi',
    ],
    '#{name}님,\nhi\n',
  );
  await add('rcsBrand', 'BR.1', '--brand-id', 'brand', '--senders', '0212345678,0312345678');
  await add('rcsTemplate', 'TPL1', '--template-kind', 'free', '--brand-key', 'BR.1');
  await add('rcsTemplate', 'TPL1', '--template-kind', 'cell');
  const added = await add('internationalSenderId', 'MyShop', '--prefix', '+1, +44', '--json');
  assert.deepEqual(JSON.parse(added.stdout), {
    kind: 'internationalSenderId',
    key: 'MyShop',
    senderId: 'MyShop',
    prefixes: ['+1', '+44'],
  });
  await add('internationalSignature', '[My Shop]', '--prefix', '+86');
  assert.deepEqual(await entries(), [
    {
      kind: 'alimtalkTemplate',
      key: 'p1/T1',
      senderKey: 'p1',
      templateCode: 'T1',
      text: '#{name}님,\nhi',
      title: 'Hi',
    },
    { kind: 'internationalSenderId', key: 'MyShop', senderId: 'MyShop', prefixes: ['+1', '+44'] },
    { kind: 'internationalSignature', key: '[My Shop]', text: '[My Shop]', prefixes: ['+86'] },
    {
      kind: 'rcsBrand',
      key: 'BR.1',
      brandKey: 'BR.1',
      brandId: 'brand',
      senders: ['0212345678', '0312345678'],
    },
    { kind: 'rcsTemplate', key: 'TPL1', formatId: 'TPL1', templateKind: 'cell' },
    { kind: 'sender', key: '0212345678', number: '0212345678' },
    { kind: 'senderProfile', key: 'p1', senderKey: 'p1' },
  ]);
  const some = await run(['registry', 'list', 'shop', '--kind', 'sender']);
  assert.match(some.stdout, /^KIND +KEY +FIELDS\nsender +0212345678 +\{"number":"0212345678"\}\n$/);

  const removed = await run(['registry', 'remove', 'shop', 'alimtalkTemplate', 'p1/T1']);
  assert.equal(removed.stdout, 'alimtalkTemplate p1/T1 removed from shop\n');
  const again = await run(['registry', 'remove', 'shop', 'alimtalkTemplate', 'p1/T1']);
  assert.deepEqual(
    [again.code, again.stderr],
    [1, 'bongsu: There is no alimtalkTemplate "p1/T1" of the account "shop"\n'],
  );
});

const YAML = `
- kind: sender
  number: 0212345678
- kind: internationalSenderId
  senderId: MyShop
  prefixes: [+1, +44]
- kind: alimtalkTemplate
  key: p1/T1
  text: |-
    #{name}님,
    hi
  buttons:
    - { type: WL, name: open, urlMobile: https://shop.example }
`;

test('imports a list in YAML, and what list wrote as JSON', async () => {
  const { run, file, entries } = await shopStore();
  const done = await run(['registry', 'import', 'shop', file('registry.yaml', YAML)]);
  assert.deepEqual([done.code, done.stdout], [0, '3 entries registered for shop\n']);
  const imported = await entries();
  assert.deepEqual(
    imported.map(({ key }: { key: string }) => key),
    ['p1/T1', 'MyShop', '0212345678'],
  );
  assert.equal(imported[0].text, '#{name}님,\nhi');

  await run(['account', 'create', 'other']);
  const copy = file('copy.json', JSON.stringify(imported));
  const copied = await run(['registry', 'import', 'other', copy, '--json']);
  assert.equal(copied.stdout, '{"imported":3}\n');
  const other = await run(['registry', 'list', 'other', '--json']);
  assert.deepEqual(JSON.parse(other.stdout), imported);
});

test('imports nothing when one entry is wrong, and tells of all that are', async () => {
  const { run, file, entries } = await shopStore();
  const path = file(
    'wrong.yaml',
    `${YAML}
- kind: pigeon
- kind: sender
  number: abc
- kind: sender
  number: 0212345678
- 5
`,
  );
  const { code, stdout, stderr } = await run(['registry', 'import', 'shop', path]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.deepEqual(stderr.trimEnd().split('\n').slice(1), [
    '  entry 4: "kind" must be one of sender, senderProfile, alimtalkTemplate, brandmessageTemplate, rcsBrand, logo, rcsTemplate, internationalSenderId, internationalSignature, inboundNumber',
    '  entry 5: "number" must be a sender number of 3 to 15 digits',
    '  entry 6: sender 0212345678 is the same as entry 1',
    '  entry 7: An entry must be a JSON object',
  ]);
  for (const [name, source, says] of [
    ['broken.yaml', '- [', /not valid YAML/],
    ['broken.json', '[', /not valid JSON/],
    ['map.yaml', 'kind: sender', /expected a list of entries/],
    ['map.json', '{}', /expected a list of entries/],
  ] as const) {
    const failed = await run(['registry', 'import', 'shop', file(name, source)]);
    assert.equal(failed.code, 1, name);
    assert.match(failed.stderr, says);
  }
  assert.deepEqual(await entries(), []);
});

test('an account that is not there ends with 1', async () => {
  const { run, file } = await shopStore();
  for (const args of [
    ['list', 'nobody'],
    ['add', 'nobody', 'sender', '0212345678'],
    ['remove', 'nobody', 'sender', '0212345678'],
    ['import', 'nobody', file('registry.yaml', YAML)],
  ]) {
    const { code, stdout, stderr } = await run(['registry', ...args]);
    assert.deepEqual([code, stdout, stderr], [1, '', 'bongsu: There is no account "nobody"\n'], args[0]);
  }
});
