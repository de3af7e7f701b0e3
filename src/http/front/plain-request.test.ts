import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { type PlainHead, plainReaders } from './plain-request.ts';

const BODY = '{"text":"안녕"}';
const LENGTH = Buffer.byteLength(BODY);
const LINE = 'POST /v1/send/sms HTTP/1.1\r\n';

function packet(lines: readonly string[], body = BODY, line = LINE): Buffer {
  return Buffer.from(`${line}${lines.map(text => `${text}\r\n`).join('')}\r\n${body}`);
}

const createRead = plainReaders(['authorization', 'content-type', 'idempotency-key']);
const read = (bytes: Buffer) => createRead()(bytes);

test('the head of a plain request is read, with the headers that mean something', () => {
  const bytes = packet([
    'Host: gateway',
    'AUTHORIZATION: Bearer abc',
    `content-length:  ${LENGTH} \t`,
    'X-Other: 1',
    'x-other: 2',
    'connection: Keep-Alive',
  ]);
  assert.deepEqual(read(bytes), {
    method: 'POST',
    target: '/v1/send/sms',
    headers: { authorization: 'Bearer abc', 'content-length': String(LENGTH) },
    length: bytes.length - LENGTH,
    bodyLength: LENGTH,
  });
});

test('one without a body is plain, too', () => {
  assert.equal(read(packet(['host: x'], '', 'GET /v1/report/polling HTTP/1.1\r\n'))?.bodyLength, 0);
});

test('a head that is known is found again, whatever follows it, and another head is read by itself', () => {
  const readHead = createRead();
  const whole = packet([`content-length: ${LENGTH}`]);
  const found = readHead(whole);
  assert.equal(found?.bodyLength, LENGTH);
  assert.equal(readHead(Buffer.concat([whole, whole])), found);
  assert.equal(readHead(whole.subarray(0, -1)), found);
  assert.equal(readHead(whole.subarray(0, 20)), undefined);
  assert.equal(readHead(packet(['content-length: 7']))?.bodyLength, 7);
  assert.equal(readHead(packet([`content-length: ${LENGTH}`, 'expect: 100-continue'])), undefined);
  assert.deepEqual(readHead(whole), found);
});

const NOT_PLAIN: Readonly<Record<string, Buffer>> = {
  'half a head': Buffer.from(`${LINE}host: x\r\n`),
  'two lengths': packet([`content-length: ${LENGTH}`, `content-length: ${LENGTH}`]),
  'a length with a sign': packet([`content-length: +${LENGTH}`]),
  'a length in hexadecimal': packet([`content-length: 0x${LENGTH.toString(16)}`]),
  'an empty length': packet(['content-length:'], ''),
  chunks: packet(['transfer-encoding: chunked'], '0\r\n\r\n'),
  'a length and chunks': packet([`content-length: ${LENGTH}`, 'Transfer-Encoding: chunked']),
  'a name with a space behind it': packet([`content-length : ${LENGTH}`]),
  'a header that goes on in the next line': packet([`content-length: ${LENGTH}`, ' 1']),
  'a line that ends without a return': Buffer.from(`${LINE}host: x\ncontent-length: 0\r\n\r\n`),
  'a return within a value': packet([`content-length: ${LENGTH}`, 'x: a\rb']),
  'a NUL in a value': packet([`content-length: ${LENGTH}`, 'x: a\0b']),
  'a value that is not ASCII': packet([`content-length: ${LENGTH}`, 'authorization: Bearer 봉수']),
  'a line without a colon': packet([`content-length: ${LENGTH}`, 'nothing']),
  'two tokens': packet([`content-length: ${LENGTH}`, 'authorization: a', 'Authorization: b']),
  'a client that waits to be asked': packet([`content-length: ${LENGTH}`, 'expect: 100-continue']),
  'another protocol': packet([`content-length: ${LENGTH}`, 'upgrade: h2c', 'connection: upgrade']),
  'a connection that ends': packet([`content-length: ${LENGTH}`, 'connection: close']),
  'HTTP/1.0': packet([`content-length: ${LENGTH}`], BODY, 'POST /v1/send/sms HTTP/1.0\r\n'),
  'a target with a space': packet([`content-length: ${LENGTH}`], BODY, 'POST /v1/send /sms HTTP/1.1\r\n'),
  'a whole address': packet([`content-length: ${LENGTH}`], BODY, 'POST http://x/v1/send/sms HTTP/1.1\r\n'),
  'a method that nobody uses': packet(['host: x'], '', 'BREW /pot HTTP/1.1\r\n'),
  'an empty line before it': Buffer.concat([Buffer.from('\r\n'), packet([`content-length: ${LENGTH}`])]),
  'a head without end': packet([`content-length: ${LENGTH}`, `x: ${'a'.repeat(9_000)}`]),
};
for (const [what, bytes] of Object.entries(NOT_PLAIN)) {
  test(`not plain: ${what}`, () => assert.equal(read(bytes), undefined));
}

test('whatever is plain, Node reads the same', async t => {
  const ask = await nodeReader(t);
  const whole = packet([
    'host: x',
    'authorization: Bearer abc',
    `content-length: ${LENGTH}`,
    'content-type: application/json',
  ]);
  let plain = 0;
  for (const [index, changed] of variationsOf(whole).entries()) {
    const head = read(changed);
    // Bytes that are missing Node would wait for, and what follows is another request.
    if (!head || changed.length !== head.length + head.bodyLength) continue;
    plain++;
    assert.deepEqual(await ask(changed), comparable(head, changed), `variation ${index}`);
  }
  assert.ok(plain > 100, `${plain} were plain`);
});

interface Comparable {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function comparable({ method, target, headers, length }: PlainHead, bytes: Buffer): Comparable {
  return { method, target, headers, body: bytes.toString('latin1', length) };
}

/** What Node's parser makes of the bytes. */
async function nodeReader(t: TestContext): Promise<(bytes: Buffer) => Promise<Comparable | undefined>> {
  let take: (read: Comparable | undefined) => void = () => {};
  const server = createServer({ requireHostHeader: false }, async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = await request.toArray();
    const names = ['authorization', 'content-type', 'content-length', 'idempotency-key', 'accept-language'];
    const given = names.filter(name => request.headers[name] !== undefined);
    const headers = Object.fromEntries(given.map(name => [name, request.headers[name]]));
    const { method, url: target } = request;
    take({ method, target, headers, body: Buffer.concat(chunks).toString('latin1') });
    response.end();
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // Not because an earlier connection ended.
    if (code?.startsWith('HPE')) take(undefined);
    socket.destroy();
  });
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return async bytes => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const answered = new Promise<Comparable | undefined>(resolve => {
      take = resolve;
    });
    socket.write(bytes);
    const found = await answered;
    socket.destroy();
    return found;
  };
}

/** Each byte of the head replaced by one that means something in HTTP, or left out, or doubled. */
function variationsOf(whole: Buffer): Buffer[] {
  const headEnd = whole.indexOf('\r\n\r\n') + 4;
  const others = [...'\r\n\t\0 :;,aA0/'].map(text => Buffer.from(text));
  return Array.from({ length: headEnd }, (_, at) => {
    const [before, byte, after] = [whole.subarray(0, at), whole.subarray(at, at + 1), whole.subarray(at + 1)];
    const put = [others[at % others.length], others[(at * 7 + 3) % others.length], Buffer.alloc(0)];
    return [...put, Buffer.concat([byte, byte])].map(other => Buffer.concat([before, other ?? byte, after]));
  }).flat();
}
