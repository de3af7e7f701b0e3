import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { ManualClock } from './clock.ts';
import { createOutbound, isPrivateAddress, type OutboundRequest } from './outbound.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function outbound(t: TestContext, allowPrivate = true) {
  const clock = new ManualClock();
  const client = createOutbound({ clock, allowPrivate });
  t.after(() => client.close());
  const call = (url: string, more: Partial<OutboundRequest> = {}) =>
    client.call({ method: 'GET', url, headers: {}, timeoutMs: 5000, maxBytes: 1000, ...more });
  return { clock, call };
}

test('gives status, headers and body', async t => {
  const url = await serve(t, (request, response) => {
    request.on('data', chunk => response.end(`got ${chunk}`));
    response.setHeader('x-answer', '42');
  });
  const { call } = outbound(t);
  const answer = await call(url, { method: 'POST', body: 'ping' });
  assert.ok(answer.kind === 'answered');
  assert.deepEqual([answer.status, answer.headers['x-answer'], answer.body], [200, '42', 'got ping']);
});

test('reads answers in what they are declared in, packed or not', async t => {
  const said = '{"결과":"똠"}';
  const utf16 = Buffer.from(said, 'utf16le');
  const answers: Record<string, readonly [headers: Record<string, string>, body: Buffer, reads?: string]> = {
    mark: [{}, Buffer.from(`\ufeff${said}`)],
    'utf-16 by its mark': [{}, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    'utf-16': [{ 'content-type': 'application/json; charset=UTF-16' }, Buffer.from(utf16).swap16()],
    cp949: [{ 'content-type': 'application/json;charset="EUC-KR"' }, iconv.encode(said, 'cp949')],
    gzip: [{ 'content-encoding': 'gzip' }, gzipSync(said)],
    brotli: [{ 'content-encoding': 'br' }, brotliCompressSync(said)],
    'damaged gzip': [{ 'content-encoding': 'gzip' }, Buffer.from('id=7'), 'id=7'],
    'longer than it may be': [
      { 'content-encoding': 'gzip' },
      gzipSync('x'.repeat(5000)),
      gzipSync('x'.repeat(5000)).toString(),
    ],
    'an unknown set': [{ 'content-type': 'text/plain; charset=klingon' }, Buffer.from('id=7'), 'id=7'],
    'octets that are not in it': [{}, Buffer.from([0x69, 0xff, 0x64]), 'i\ufffdd'],
  };
  const url = await serve(t, (request, response) => {
    const [headers, body] = answers[decodeURI(request.url ?? '').slice(1)] ?? [{}, Buffer.alloc(0)];
    response.writeHead(200, headers).end(body);
  });
  const { call } = outbound(t);
  for (const [name, [, , reads = said]] of Object.entries(answers)) {
    const answer = await call(url + encodeURI(name));
    assert.equal(answer.kind === 'answered' && answer.body, reads, name);
  }
});

test('does not follow a redirect', async t => {
  const url = await serve(t, (_, response) =>
    response.writeHead(302, { location: 'http://example.com/' }).end(),
  );
  const answer = await outbound(t).call(url);
  assert.equal(answer.kind === 'answered' && answer.status, 302);
});

test('an answer that does not come in time may have had an effect', async t => {
  const arrived = Promise.withResolvers<void>();
  const url = await serve(t, () => arrived.resolve());
  const { clock, call } = outbound(t);
  const answering = call(url, { timeoutMs: 5000 });
  await arrived.promise;
  clock.advance(5000);
  assert.deepEqual(await answering, {
    kind: 'failed',
    isUnsent: false,
    reason: 'no answer within 5000 ms',
    timing: { sentMs: 0, answeredMs: null },
  });
});

test('a refused connection surely had none', async t => {
  const closed = createTcpServer().listen(0, '127.0.0.1');
  await new Promise(resolve => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise(resolve => closed.close(resolve));
  const answer = await outbound(t).call(`http://127.0.0.1:${port}/`);
  assert.ok(answer.kind === 'failed' && answer.isUnsent, JSON.stringify(answer));
});

test('stops reading an answer that is too long', async t => {
  const url = await serve(t, (_, response) => response.end('x'.repeat(5000)));
  const answer = await outbound(t).call(url);
  assert.deepEqual(answer, {
    kind: 'failed',
    isUnsent: false,
    reason: 'the answer is longer than 1000 bytes',
    timing: { sentMs: 0, answeredMs: 0 },
  });
});

test('refuses private addresses, written or resolved', async t => {
  let calls = 0;
  const url = await serve(t, (_, response) => {
    calls++;
    response.end();
  });
  const { port } = new URL(url);
  const { call } = outbound(t, false);
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0',
  ]) {
    const answer = await call(`http://${host}:${port}/`);
    assert.ok(answer.kind === 'failed' && answer.isUnsent, `${host}: ${JSON.stringify(answer)}`);
    assert.match(answer.reason, /not a public address/, host);
  }
  assert.equal(calls, 0);
});

test('knows which addresses are private', () => {
  const hidden = [
    '10.1.2.3',
    '172.31.0.1',
    '192.168.9.9',
    '169.254.169.254',
    '100.64.0.1',
    '::',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    // Other ways to write an IPv4 address into one of IPv6, and ranges that are not given to anybody.
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '3fff::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '4000::1',
    '8000::1',
    '192.88.99.1',
  ];
  for (const address of hidden) assert.ok(isPrivateAddress(address), address);
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '2001:4860::1', '::ffff:8.8.8.8']) {
    assert.ok(!isPrivateAddress(address), address);
  }
});

test('refuses what is not http', async t => {
  const answer = await outbound(t).call('file:///etc/passwd');
  assert.deepEqual(answer, {
    kind: 'failed',
    isUnsent: true,
    reason: 'the address is not an http(s) URL',
    timing: { sentMs: null, answeredMs: null },
  });
});

test('a first call without a descriptor left does not spoil those after it', async t => {
  const url = await serve(t, (_, response) => response.end('here'));
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { systemClock } from ${JSON.stringify(new URL('clock.ts', import.meta.url))};
    import { createOutbound } from ${JSON.stringify(new URL('outbound.ts', import.meta.url))};
    const client = createOutbound({ clock: systemClock, allowPrivate: true });
    const call = () => client.call({ method: 'GET', url: '${url}', headers: {}, timeoutMs: 60_000, maxBytes: 1000 });
    const taken = [];
    try {
      for (;;) taken.push(openSync('/dev/null'));
    } catch {}
    const first = await call();
    for (const descriptor of taken) closeSync(descriptor);
    console.log(JSON.stringify([first, await call()]));
    await client.close();`;
  const limited =
    'ulimit -n 64 && exec "$0" --disable-warning=ExperimentalWarning --input-type=module --eval "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program]);
  const [first, second] = JSON.parse(stdout);
  assert.deepEqual([first.kind, first.isUnsent], ['failed', true]);
  assert.match(first.reason, /too many open files/i);
  assert.equal(second.body, 'here', JSON.stringify(second));
});
