import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { after, before, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { selfSigned } from '../harness/certificates.ts';
import { pathOf, unlessInstalled } from '../harness/debian.ts';
import { freePorts } from '../harness/peer-process.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);
const VERSION: string = JSON.parse(readFileSync('package.json', 'utf8')).version;
const example = (path: string) => readFileSync(join('deploy', path), 'utf8');

test('every way to start keeps the young generation small, and one thread to collect it', () => {
  const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
  for (const [where, text] of [
    ['npm start', start],
    ['bongsu', readFileSync('bin/bongsu.js', 'utf8')],
    ['the image', example('image/Dockerfile')],
    ['the unit', example('systemd/bongsu.service')],
  ]) {
    for (const flag of ['--max-semi-space-size=8', '--v8-pool-size=1'])
      assert.ok(text.includes(flag), `${where}: ${flag}`);
  }
});

/** Names of our variables in a text. */
function settingsIn(text: string): string[] {
  return [...new Set(text.match(/\bBONGSU_[A-Z_]+/g) ?? [])];
}

test('every setting that an example names is one', () => {
  const known = Object.values(SETTINGS).map(({ env }) => env);
  const files = ['image/Dockerfile', 'compose/compose.yaml', 'compose/example.env', 'kubernetes/bongsu.yaml'];
  for (const file of [
    ...files,
    'systemd/bongsu',
    'systemd/bongsu.service',
    'nginx/bongsu.conf',
    'haproxy/haproxy.cfg',
  ]) {
    const unknown = settingsIn(example(file)).filter(name => !known.includes(name));
    assert.deepEqual(unknown, [], file);
  }
});

test('the command line beside the service has the settings of the service, as systemd reads them', async () => {
  const directory = scratchDirectory();
  const environment = join(directory, 'environment');
  writeFileSync(
    environment,
    '# BONGSU_PORT=1\nBONGSU_MODE=production\n\nSKY_PASSWORD="a $b `c` \\d"\nEMPTY=\nBONGSU_DATA_DIR=/data',
  );
  const script = join(directory, 'bongsu');
  const text = example('systemd/bongsu')
    .replaceAll('/etc/bongsu/environment', environment)
    .replaceAll('setpriv --reuid=bongsu --regid=bongsu --init-groups ', '')
    .replaceAll('/usr/bin/node /opt/bongsu/bin/bongsu.js', '/usr/bin/env');
  writeFileSync(script, text, { mode: 0o755 });
  const { stdout } = await run(script, ['--', 'sh', '-c', 'env; echo "arguments: $1 $2"', 'sh', 'a b', 'c'], {
    env: { PATH: process.env.PATH },
  });
  const lines = stdout.split('\n');
  for (const line of [
    'BONGSU_MODE=production',
    'SKY_PASSWORD=a $b `c` \\d',
    'EMPTY=',
    'BONGSU_DATA_DIR=/data',
    'BONGSU_CONFIG=/etc/bongsu/bongsu.yaml',
    'arguments: a b c',
  ]) {
    assert.ok(lines.includes(line), line);
  }
  assert.ok(!lines.some(line => line.startsWith('BONGSU_PORT')));
  const elsewhere = { PATH: process.env.PATH, BONGSU_DATA_DIR: '/restored' };
  const { stdout: chosen } = await run(script, ['--', 'env'], { env: elsewhere });
  assert.match(chosen, /^BONGSU_DATA_DIR=\/restored$/m);
  await assert.rejects(run('sh', ['-c', 'exec "$0" -- false', script], { env: { PATH: process.env.PATH } }));
});

test('the settings of the compose file and of the manifests are taken by production', () => {
  const compose = parse(example('compose/compose.yaml'), { merge: true });
  const objects = parseAllDocuments(example('kubernetes/bongsu.yaml')).map(document => document.toJS());
  const [container] = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;
  const map = objects.find(({ kind }) => kind === 'ConfigMap').data['bongsu.yaml'];
  const secrets = {
    BONGSU_DATABASE_URL: 'postgres://bongsu:x@127.0.0.1:5432/bongsu',
    BONGSU_SECRET_KEY: 'ab'.repeat(32),
    BONGSU_DATA_KEY: 'cd'.repeat(32),
    BONGSU_ADMIN_TOKEN: 'a-token-of-twenty-four-characters',
    BONGSU_PUBLIC_URL: 'https://msg.example.com',
  };
  const fromImage = { BONGSU_HOST: '0.0.0.0', BONGSU_PORT: '8080' };
  const manifests = Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );
  for (const [given, network] of [
    [compose.services.node1.environment, example('compose/bongsu.yaml')],
    [manifests, map],
  ]) {
    const file = join(scratchDirectory(), 'bongsu.yaml');
    writeFileSync(file, network);
    const config = loadConfig({ ...given, ...secrets, ...fromImage, BONGSU_CONFIG: file }, CHANNELS);
    assert.equal(config.mode, 'production');
    assert.equal(config.proxyHops, 1);
  }
});

test('the manifests fit together', () => {
  const objects = parseAllDocuments(example('kubernetes/bongsu.yaml')).map(document => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
  const of = (kind: string) => objects.find(object => object.kind === kind);
  const deployment = of('Deployment').spec;
  const pod = deployment.template.spec;
  const [container] = pod.containers;
  const { labels } = deployment.template.metadata;
  assert.deepEqual(deployment.selector.matchLabels, labels);
  assert.deepEqual(of('PodDisruptionBudget').spec.selector.matchLabels, labels);
  assert.deepEqual(of('Service').spec.selector, labels);
  assert.equal(container.image, `bongsu:${VERSION}`);
  assert.equal(container.ports[0].containerPort, 8080);
  assert.equal(of('Service').spec.ports[0].targetPort, container.ports[0].name);
  for (const mount of container.volumeMounts) {
    assert.ok(pod.volumes.some(({ name }: { name: string }) => name === mount.name));
  }
  const config = loadConfig({}, CHANNELS);
  const pause = Number(container.lifecycle.preStop.exec.command[1]);
  assert.ok(pod.terminationGracePeriodSeconds * 1000 > pause * 1000 + config.shutdownTimeoutMs);
});

test('compose builds the image of this version, and waits longer than a node takes to stop', () => {
  const { services } = parse(example('compose/compose.yaml'), { merge: true });
  for (const node of [services.node1, services.node2]) {
    assert.equal(node.image, `bongsu:${VERSION}`);
    assert.ok(
      Number.parseInt(node.stop_grace_period, 10) * 1000 > loadConfig({}, CHANNELS).shutdownTimeoutMs,
    );
  }
  const wanted = [...example('compose/compose.yaml').matchAll(/\$\{([A-Z_]+):\?\}/g)].map(([, name]) => name);
  const offered = example('compose/example.env').match(/^[A-Z_]+(?==)/gm) ?? [];
  assert.deepEqual(offered.toSorted(), [...new Set(wanted)].toSorted());
});

test('systemd accepts the unit, and finds it closed', {
  skip: unlessInstalled('systemd-analyze'),
}, async () => {
  const file = join(scratchDirectory(), 'bongsu.service');
  writeFileSync(file, example('systemd/bongsu.service').replace('/usr/bin/node', process.execPath));
  const verified = await run('systemd-analyze', ['verify', '--man=no', file]);
  assert.equal(verified.stderr.replaceAll(/^.*(SO_PASSSEC|bus).*\n/gm, ''), '');
  // Exposure from 0 to 10, here times ten; a unit without any hardening has 9.6.
  await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', file]);
});

/** What the proxy answers, asked from this machine, so from the inside. */
function ask(
  port: number,
  path: string,
  options: { readonly localAddress?: string; readonly method?: string } = {},
) {
  return new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, ...options }, async answer => {
      const text = (await answer.toArray()).join('');
      resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
    })
      .on('error', reject)
      .end();
  });
}

/** Gives what it has said. */
async function startProxy(t: TestContext, program: string, args: readonly string[], port: number, env = {}) {
  const child = spawn(pathOf(program) ?? program, args, { env: { ...process.env, ...env } });
  const said: string[] = [];
  for (const stream of [child.stderr, child.stdout]) stream.on('data', chunk => said.push(String(chunk)));
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  await until('the proxy passes requests on', async () => {
    assert.equal(child.exitCode, null, said.join(''));
    const answer = await ask(port, '/healthz').catch(() => undefined);
    return answer?.status === 200;
  });
  return said;
}

/** A node that a test plays, with the paths of the sends that it got. */
async function standIn(t: TestContext, answerSend: (path: string, answer: ServerResponse) => void) {
  const sends: string[] = [];
  const server = createServer(({ method, url = '' }, answer) => {
    if (method !== 'POST') return void answer.end();
    sends.push(url);
    answerSend(url, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, sends };
}

/** Runs a proxy in front of one node that is there and one that is not, and asks through it. */
async function tryProxy(t: TestContext, program: string, args: readonly string[], port: number, env = {}) {
  const said = await startProxy(t, program, args, port, env);
  for (let call = 0; call < 6; call++) {
    const { status, text } = await ask(port, '/v1/report/polling');
    assert.equal(status, 403, text);
  }
  assert.equal((await ask(port, '/console/')).status, 200);
  assert.equal((await ask(port, '/other')).status, 404);
  assert.match((await ask(port, '/optout/calls?token=secret-token&to=01012345678')).text, /"code"/);
  const outside = { localAddress: '127.0.0.2' };
  for (const path of ['/v1/report/polling', '/files/none']) {
    assert.match((await ask(port, path, outside)).text, /"code"/, path);
  }
  for (const path of [
    '/admin/v1/accounts',
    '/admin/v1/accounts/..%2f..%2f..%2fv1/x',
    '/console/../v1/x',
    '/console/%2e%2e/v1/x',
    '/v1/..%2fadmin/v1/accounts',
    '/v1/../admin/v1/accounts',
  ]) {
    const { status, text } = await ask(port, path, outside);
    assert.ok([400, 403, 404].includes(status), `${path} ${status}`);
    assert.doesNotMatch(text, /A002|A000|<title>Bongsu/, path);
  }
  return () => said.join('');
}

/** The node that is there. */
let node: string;
const ends: (() => unknown)[] = [];
before(async () => {
  const t = { after: (end: () => unknown) => void ends.push(end) } as TestContext;
  const { url } = await startServer(t, { BONGSU_PROXY_HOPS: '1' });
  node = url.replace('http://', '');
});
after(async () => {
  for (const end of ends) await end();
});

/** An address where none is, a port for the proxy, and files with a certificate. */
async function surroundings() {
  const directory = scratchDirectory();
  const { key, cert } = selfSigned();
  const files = ['fullchain.pem', 'privkey.pem', 'both.pem'].map(name => join(directory, name));
  const [fullchain = '', privkey = '', both = ''] = files;
  writeFileSync(fullchain, cert);
  writeFileSync(privkey, key);
  writeFileSync(both, cert + key);
  const [port = 0, redirect = 0, nobody = 0] = await freePorts(3);
  return {
    directory,
    fullchain,
    privkey,
    both,
    port,
    redirect,
    nobody: `127.0.0.1:${nobody}`,
  };
}

/** The example for two nodes, at places of the test. */
async function nginxFor(...nodes: readonly [string, string]) {
  const { directory, fullchain, privkey, port, redirect } = await surroundings();
  const log = join(directory, 'access.log');
  const site = example('nginx/bongsu.conf')
    .replace('/etc/ssl/bongsu/fullchain.pem', fullchain)
    .replace('/etc/ssl/bongsu/privkey.pem', privkey)
    .replaceAll('127.0.0.1:8081', nodes[0])
    .replaceAll('127.0.0.1:8082', nodes[1])
    .replaceAll('/var/log/nginx/bongsu.log', log)
    .replace('127.0.0.0/8', '127.0.0.1/32')
    .replaceAll(/^.*listen \[::\].*\n/gm, '')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${redirect}`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${directory}/${name};`,
  );
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; user root; pid ${directory}/pid; error_log stderr;
     events {} http { ${places.join(' ')} ${site} }`,
  );
  return { file, log, port };
}

test('nginx passes requests on to the node that is there', { skip: unlessInstalled('nginx') }, async t => {
  const [nobody] = await freePorts(1);
  const { file, log, port } = await nginxFor(`127.0.0.1:${nobody}`, node);
  const checked = await run(pathOf('nginx') ?? 'nginx', ['-t', '-c', file]);
  assert.match(checked.stderr, /test is successful/);
  assert.doesNotMatch(checked.stderr, /warn/);
  await tryProxy(t, 'nginx', ['-c', file], port);
  const logged = readFileSync(log, 'utf8');
  assert.match(logged, /GET \/optout\/calls HTTP/);
  assert.doesNotMatch(logged, /secret-token|01012345678/);
});

test('behind nginx a send that a node could not store goes to the next one, and no send that may have been stored does', {
  skip: unlessInstalled('nginx'),
}, async t => {
  const well = await standIn(t, (_path, answer) => answer.end('{"code":"A000"}'));
  const ill = await standIn(t, (path, answer) => {
    if (path.endsWith('/cut')) return void answer.destroy();
    const isDoubtful = path.endsWith('/doubtful');
    answer.writeHead(503, { 'Retry-After': '1', ...(isDoubtful && { 'X-Outcome': 'unknown' }) });
    answer.end('{"code":"A920"}');
  });
  const { file, port } = await nginxFor(ill.address, well.address);
  await startProxy(t, 'nginx', ['-c', file], port);
  // As many as both nodes get some of, whatever nginx counts.
  const send = (kind: string) =>
    Promise.all(
      Array.from({ length: 20 }, (_, id) => ask(port, `/v1/send/${id}/${kind}`, { method: 'POST' })),
    );

  const stored = await send('not-stored');
  assert.deepEqual(new Set(stored.map(({ status }) => status)), new Set([200]));
  assert.ok(ill.sends.length > 0);
  for (const [kind, status] of [
    ['doubtful', 503],
    ['cut', 502],
  ] as const) {
    const answers = await send(kind);
    const reached = ill.sends.filter(path => path.endsWith(kind));
    assert.ok(reached.length > 0, kind);
    assert.deepEqual(
      well.sends.filter(path => reached.includes(path)),
      [],
      kind,
    );
    assert.equal(answers.filter(answer => answer.status === status).length, reached.length, kind);
    const doubts = answers.filter(answer => answer.status === 503);
    for (const { text, headers } of doubts) {
      assert.match(text, /^\{"code":"A920",/);
      assert.equal(headers['x-outcome'], 'unknown');
      assert.equal(headers['content-type'], 'application/json');
    }
  }
});

test('HAProxy passes requests on to the node that is there', {
  skip: unlessInstalled('haproxy'),
}, async t => {
  const { directory, both, port, redirect, nobody } = await surroundings();
  const file = join(directory, 'haproxy.cfg');
  const text = example('haproxy/haproxy.cfg')
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('maxconn 20000', 'maxconn 100')
    .replace('127.0.0.0/8', '127.0.0.1/32')
    .replace('bind :80', `bind 127.0.0.1:${redirect}`);
  writeFileSync(file, text);
  const env = { NODE1: nobody, NODE2: node, CERTIFICATE: both };
  const checked = await run(pathOf('haproxy') ?? 'haproxy', ['-c', '-f', file], {
    env: { ...process.env, ...env },
  });
  assert.doesNotMatch(checked.stderr, /WARNING|ALERT/);
  const said = await tryProxy(t, 'haproxy', ['-db', '-f', file], port, env);
  await until('requests are logged', () => / GET \/optout\/calls HTTP/.test(said()));
  assert.doesNotMatch(said(), /secret-token|01012345678/);
});
