import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import Fastify from 'fastify';
import { consoleRoutes } from '../../src/http/service/console.ts';
import { testGateway } from '../harness/gateway.ts';
import { scratchDirectory } from '../harness/scratch.ts';

test('the console is served with its types, for ever where names carry a hash, and never framed', async t => {
  const directory = scratchDirectory();
  const built = join(directory, 'dist');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(directory, 'secret.txt'), 'hidden words');
  writeFileSync(join(built, 'index.html'), '<p>console');
  writeFileSync(join(built, 'assets', 'app-4f1d.js'), 'start()');
  const app = Fastify();
  t.after(() => app.close());
  consoleRoutes(app, pathToFileURL(`${built}/`));

  const script = await app.inject({ url: '/console/assets/app-4f1d.js' });
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable');
  for (const url of ['/console/', '/console/messages/x', '/console/index.html', '/console/assets/none.js']) {
    const page = await app.inject({ url });
    assert.equal(page.body, '<p>console', url);
    assert.equal(page.headers['cache-control'], 'no-cache');
    assert.match(
      String(page.headers['content-security-policy']),
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
  }
  for (const url of [
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/assets/..%2f..%2fsecret.txt',
  ]) {
    assert.doesNotMatch((await app.inject({ url })).body, /hidden words/, url);
  }
});

test('a browser that asks for / is led to the console, a program is told that there is nothing', async t => {
  const { http } = (await testGateway(t)).gateway;
  const person = await http.inject({ url: '/', headers: { accept: 'text/html,*/*' } });
  assert.deepEqual([person.statusCode, person.headers.location], [302, '/console/']);
  const short = await http.inject({ url: '/console' });
  assert.deepEqual([short.statusCode, short.headers.location], [302, '/console/']);
  const program = await http.inject({ url: '/' });
  assert.deepEqual([program.statusCode, program.json().code], [404, 'A300']);
  assert.equal((await http.inject({ url: '/consolefoo' })).statusCode, 404);
});
