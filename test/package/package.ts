import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { before } from 'node:test';
import { readLock } from '../../tools/production-tree.ts';
import { productionPackages } from '../../tools/supply-chain.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { packInto, unpackInto } from './pack.ts';

/** The installed package. */
let home: string;
before(async () => {
  const directory = scratchDirectory();
  home = await unpackInto(directory, await packInto(directory));
});

test('holds the program and the packages that run in production, and nothing else', () => {
  assert.deepEqual(readdirSync(home).toSorted(), [
    'LICENSE',
    'README.ko.md',
    'README.md',
    'bin',
    'console',
    'deploy',
    'dist',
    'docs',
    'node_modules',
    'package.json',
    'src',
  ]);
  const own = globSync(['bin/**', 'console/**', 'dist/**', 'src/**'], { cwd: home, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name);
  assert.deepEqual(
    own.filter(name => !/\.(js|sql|html|css|svg|json|woff2|png|webmanifest)$/.test(name)),
    [],
  );
  assert.deepEqual(
    own.filter(name => /\.test\./.test(name)),
    [],
  );
  const bundled = globSync(['node_modules/*/package.json', 'node_modules/@*/*/package.json'], { cwd: home })
    .map(path => JSON.parse(readFileSync(join(home, path), 'utf8')))
    .map(({ name, version }) => `${name}@${version}`);
  const needed = productionPackages(readLock()).map(({ name, version }) => `${name}@${version}`);
  assert.deepEqual(
    bundled.filter(id => !needed.includes(id)),
    [],
  );
  for (const name of Object.keys(readLock().packages['']?.dependencies ?? {})) {
    assert.ok(
      bundled.some(id => id.startsWith(`${name}@`)),
      name,
    );
  }
});

test('has every page and example that its pages for operators lead to', () => {
  const pages = [
    'README.md',
    'README.ko.md',
    'deploy/README.md',
    'docs/operations.md',
    'docs/deploy-without-docker.md',
    'docs/configuration.md',
  ];
  const missing = pages.flatMap(page =>
    [...readFileSync(join(home, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map(([, link = '']) => join(dirname(page), link))
      .filter(path => /^(docs|deploy)\//.test(path) && !existsSync(join(home, path)))
      .map(path => `${page}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('serves, sends and reports from an empty folder, with its console and its command line', async t => {
  const server = await startServer(t, { BONGSU_DEMO_ACCOUNT: 'demo:of-the-package' }, [
    join(home, 'bin/start.js'),
  ]);
  const call = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${server.url}${path}`, init)).text();
  const headers = { 'X-SVC-Client-Id': 'demo', 'X-SVC-Client-Passwd': 'of-the-package' };
  const { token } = JSON.parse(await call('/v1/auth/token', { method: 'POST', headers })).data;
  const authorization = { Authorization: `Bearer ${token}` };
  const { msgKey } = JSON.parse(
    await call('/v1/send/sms', {
      method: 'POST',
      headers: { ...authorization, 'Content-Type': 'application/json' },
      body: '{"from":"0212345678","to":"01012345678","text":"hello"}',
    }),
  );
  await until('the report is there', async () =>
    (await call(`/v1/report/inquiry/${msgKey}`, { headers: authorization })).includes('"10000"'),
  );
  const page = await call('/console/');
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
  assert.equal((await fetch(new URL(script, `${server.url}/console/`))).status, 200);
  assert.match(await call('/docs'), /<html/);

  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const launcher = join(home, 'bin/bongsu.js');
  const shown = await bongsu(['--version'], {}, { launcher });
  assert.equal(shown.stdout, `bongsu ${version} (Node ${process.version})\n`);
  const accounts = await bongsu(['account', 'list'], { BONGSU_DATA_DIR: server.dataDir }, { launcher });
  assert.match(accounts.stdout, /^demo /m);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});
