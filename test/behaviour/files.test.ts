import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createFiles, type FileRow, type Files } from '../../src/accept/files.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { fileKeyIn } from '../../src/domain/images/file-references.ts';
import { parseImagePath } from '../../src/domain/images/image-rules.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import type { Blobs } from '../../src/store/blobs.ts';
import { fileSystemBlobs } from '../../src/store/file-system/blobs.ts';
import { bearer } from '../harness/credentials.ts';
import { type Answer, type Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { image, jpgSegment, jpgWithSegments, type MadeFormat } from '../harness/images.ts';
import { Multipart } from '../harness/multipart.ts';
import { until } from '../harness/until.ts';

const DAY_MS = 24 * 3_600_000;
const KB = 1024;

const { filePart } = Multipart;
type Part = ReturnType<typeof filePart>;

interface Bench {
  readonly dataDir: string;
  readonly running: TestGateway;
  readonly client: Client;
}

async function open(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Bench> {
  // Of all places the one to look into: what is kept, and what is left behind. The others are in test/store/blobs.test.ts.
  const running = await testGateway(t, { BONGSU_FILES: 'directory', ...env });
  return { dataDir: running.dataDir, running, client: await running.account('acme') };
}

function upload(client: Client, path: string, ...parts: readonly Part[]): Promise<Answer> {
  return send(client, path, new Multipart(...parts).bytes);
}

function send(
  client: Client,
  path: string,
  body: Buffer | string,
  type: string = Multipart.TYPE,
): Promise<Answer> {
  return client.call('POST', `/v1/file/${path}`, body, { 'content-type': type, host: 'msg.test' });
}

/** Files below the data directory's folder for files, by its own folders. */
function filesIn(dataDir: string): string[] {
  const root = join(dataDir, 'files');
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1));
}

async function refuses(bench: Bench, path: string, parts: readonly Part[], expected: [string, RegExp]) {
  const before = filesIn(bench.dataDir);
  const { status, body } = await upload(bench.client, path, ...parts);
  assert.deepEqual([status, body.code], [400, expected[0]], `${path}: ${body.result}`);
  assert.match(body.result, expected[1]);
  assert.deepEqual(Object.keys(body), ['code', 'result']);
  assert.deepEqual(filesIn(bench.dataDir), before);
}

async function accepts(client: Client, path: string, content: Buffer, name = 'image.jpg') {
  const { status, body } = await upload(client, path, filePart(content, name));
  assert.deepEqual([status, body.code], [200, 'A000'], `${path}: ${body.result}`);
  return body.data;
}

/** The files of a gateway from inside. */
function filesOf(
  { dataDir, running }: Bench,
  parts: { readonly blobs?: Blobs; readonly clock?: ManualClock } = {},
): Files {
  const { blobs = fileSystemBlobs(dataDir), clock = running.clock } = parts;
  const { store } = running.gateway;
  const events = { fileStored() {}, filesForgotten() {}, failed() {} };
  const roomProblem = () => undefined;
  return createFiles({
    ...{ store, blobs, clock, random: systemRandomness(), events, fileLifetimeMs: DAY_MS, roomProblem },
  });
}

async function acceptInside({ running }: Bench, files: Files, content: Buffer): Promise<FileRow> {
  const account = await running.gateway.store.accounts.find('acme' as AccountId);
  const rule = parseImagePath('MMS');
  assert.ok(account && !(rule instanceof Problem));
  const file = await files.accept(account, rule, {
    name: 'image.jpg',
    chunks: Readable.from([content]),
    ended: async () => undefined,
  });
  assert.ok(!(file instanceof Problem));
  return file;
}

async function get(running: TestGateway, fileKey: string) {
  return running.gateway.http.inject({ method: 'GET', url: `/files/${fileKey}` });
}

interface Row {
  readonly path: string;
  readonly formats: readonly MadeFormat[];
  readonly maxBytes: number;
  readonly size: readonly [number, number];
  readonly wrongSizes: readonly (readonly [number, number])[];
}

const BOTH: readonly MadeFormat[] = ['jpg', 'png'];
const PHOTO = {
  formats: BOTH,
  size: [500, 666],
  wrongSizes: [
    [499, 499],
    [500, 667],
    [1001, 500],
  ],
} as const;
const WIDE = {
  formats: BOTH,
  size: [800, 600],
  wrongSizes: [
    [801, 600],
    [800, 599],
  ],
} as const;
const LIST = {
  formats: BOTH,
  size: [800, 400],
  wrongSizes: [
    [801, 400],
    [399, 400],
    [600, 401],
  ],
} as const;

const ROWS: readonly Row[] = [
  {
    path: 'MMS',
    formats: ['jpg'],
    maxBytes: 300 * KB,
    size: [1500, 1440],
    wrongSizes: [
      [1501, 1440],
      [1500, 1441],
    ],
  },
  {
    path: 'RCS',
    formats: ['jpg', 'png', 'gif', 'bmp'],
    maxBytes: 1024 * KB,
    size: [568, 528],
    wrongSizes: [],
  },
  { path: 'FRIENDTALK/FI', maxBytes: 500 * KB, ...PHOTO },
  { path: 'FRIENDTALK/FW', maxBytes: 2048 * KB, ...WIDE },
  { path: 'FRIENDTALK/FL', maxBytes: 2048 * KB, ...LIST },
  { path: 'FRIENDTALK/FC', maxBytes: 2048 * KB, ...PHOTO },
  { path: 'FRIENDTALK/FA', maxBytes: 2048 * KB, ...PHOTO },
  { path: 'BRANDMESSAGE/default', maxBytes: 500 * KB, ...PHOTO },
  { path: 'BRANDMESSAGE/wide', maxBytes: 2048 * KB, ...WIDE },
  { path: 'BRANDMESSAGE/wideItemList', maxBytes: 2048 * KB, ...LIST },
  { path: 'BRANDMESSAGE/carouselFeed', maxBytes: 2048 * KB, ...PHOTO },
  { path: 'BRANDMESSAGE/carouselCommerce', maxBytes: 2048 * KB, ...PHOTO },
];

for (const { path, formats, maxBytes, size, wrongSizes } of ROWS) {
  test(`takes images within the limits of ${path} and no others`, async t => {
    const bench = await open(t);
    const [width, height] = size;
    for (const format of ['jpg', 'png', 'gif', 'bmp'] as const) {
      const content = image(format, width, height);
      if (formats.includes(format)) await accepts(bench.client, path, content);
      else await refuses(bench, path, [filePart(content)], ['A206', new RegExp(`was ${format}`)]);
    }
    await accepts(bench.client, path, image('jpg', width, height, maxBytes));
    const tooBig = image('jpg', width, height, maxBytes + 1);
    await refuses(bench, path, [filePart(tooBig)], ['A200', new RegExp(`larger than ${maxBytes} bytes`)]);
    for (const [wrongWidth, wrongHeight] of wrongSizes) {
      const content = image('jpg', wrongWidth, wrongHeight);
      const rule = new RegExp(`image is ${wrongWidth}x${wrongHeight}, .+ must be`);
      await refuses(bench, path, [filePart(content)], ['A203', rule]);
    }
  });
}

test('answers with exactly the members of each service', async t => {
  const { client } = await open(t);
  const expired = '2026-04-05 12:00:00';
  const photo = image('jpg', 600, 600);
  const mms = await accepts(client, 'MMS', photo);
  assert.match(mms.fileKey, /^[0-9A-Z]{32}$/);
  assert.deepEqual(mms, { fileKey: mms.fileKey, expired });
  const rcs = await accepts(client, 'RCS', photo);
  assert.deepEqual(rcs, { fileKey: rcs.fileKey, media: `maapfile://${rcs.fileKey}`, expired });
  for (const service of ['FRIENDTALK', 'BRANDMESSAGE']) {
    const data = await accepts(client, service, photo);
    assert.deepEqual(data, {
      fileKey: data.fileKey,
      imgUrl: `http://msg.test/files/${data.fileKey}`,
      expired,
    });
  }
});

test('names images by the public address when one is set', async t => {
  const { client } = await open(t, { BONGSU_PUBLIC_URL: 'https://msg.example.com/gateway/' });
  const data = await accepts(client, 'FRIENDTALK', image('jpg', 600, 600));
  assert.equal(data.imgUrl, `https://msg.example.com/gateway/files/${data.fileKey}`);
});

test('reads paths as the public clients write them', async t => {
  const { client } = await open(t);
  const photo = image('jpg', 600, 600);
  for (const path of [
    ...['MMS/', 'mms', '%20MMS%20', 'Rcs//', 'friendtalk', 'friendtalk/fi', 'FRIENDTALK/FC/first'],
    ...[
      'BRANDMESSAGE',
      'BRANDMESSAGE/defalut',
      'brandmessage/CAROUSELFEED',
      'BRANDMESSAGE/carouselCommerce%20',
    ],
    ...['BRANDMESSAGE/carouselFeed/whatever'],
  ]) {
    await accepts(client, path, photo);
  }
  await accepts(client, 'BRANDMESSAGE/wideItemList/first', image('png', 400, 400));
});

test('refuses paths that choose no kind of image', async t => {
  const bench = await open(t);
  const parts = [filePart(image('jpg', 600, 600))];
  await refuses(bench, 'FAX', parts, ['A219', /serviceType must be one of MMS, RCS/]);
  await refuses(bench, 'FRIENDTALK/XX', parts, ['A220', /msgType of FRIENDTALK must be one of FI, FW/]);
  await refuses(bench, `FRIENDTALK/FI/${'x'.repeat(41)}`, parts, ['A220', /subType is longer than 40/]);
});

test('counts 40 characters of the base name', async t => {
  const bench = await open(t);
  const photo = image('jpg', 600, 600);
  const names = [`${'a'.repeat(36)}.jpg`, `${'봉'.repeat(36)}.jpg`, `/home/${'x'.repeat(80)}/사진.jpg`];
  const keys = [];
  for (const name of [...names, 'C:\\Users\\someone\\Pictures\\a long holiday by the sea\\photo.jpg']) {
    keys.push((await accepts(bench.client, 'MMS', photo, name)).fileKey);
  }
  const described = await filesOf(bench).describeFiles('acme' as AccountId, keys);
  assert.deepEqual(
    keys.map(key => described.get(key)?.name),
    [names[0], names[1], '사진.jpg', 'photo.jpg'],
  );
  const tooLong = filePart(photo, `${'a'.repeat(37)}.jpg`);
  await refuses(bench, 'MMS', [tooLong], ['A201', /longer than 40 characters \(was 41\)/]);
});

test('refuses bodies without a usable file', async t => {
  const bench = await open(t);
  const photo = image('jpg', 600, 600);
  const field = { headers: ['Content-Disposition: form-data; name="imageName"'], content: 'x' };
  const otherName = {
    headers: ['Content-Disposition: form-data; name="image"; filename="a.jpg"'],
    content: photo,
  };
  const unnamed = { headers: ['Content-Disposition: form-data; name="file"'], content: photo };
  await refuses(bench, 'MMS', [], ['A204', /no part named "file"/]);
  await refuses(bench, 'MMS', [field, otherName], ['A204', /no part named "file"/]);
  await refuses(bench, 'MMS', [unnamed], ['A208', /no file name/]);
  await refuses(bench, 'MMS', [filePart(photo, '')], ['A208', /no file name/]);
  await refuses(bench, 'MMS', [filePart(photo, 'a\0.jpg')], ['A208', /NUL/]);
  const encoded = { ...unnamed, headers: [`${unnamed.headers}; filename*=utf-8''a%00.jpg`] };
  await refuses(bench, 'MMS', [encoded], ['A208', /NUL/]);
  await refuses(
    bench,
    'MMS',
    [{ headers: ['Content-Type: image/jpeg'], content: photo }],
    ['A207', /Content-Disposition/],
  );
  await refuses(bench, 'MMS', [filePart('')], ['A202', /empty/]);
  await refuses(bench, 'MMS', [filePart('hello')], ['A202', /not an image/]);
  await refuses(bench, 'MMS', [filePart(photo.subarray(0, 25))], ['A202', /not an image/]);
  await refuses(bench, 'RCS', [filePart(image('png', 2 ** 31, 1))], ['A202', /not an image/]);
});

test('takes the file among other parts, whatever their order', async t => {
  const { client } = await open(t);
  const field = { headers: ['Content-Disposition: form-data; name="imageName"'], content: 'x' };
  const file = filePart(image('jpg', 600, 600));
  const binary = { ...file, headers: [...file.headers, 'Content-Transfer-Encoding: binary'] };
  assert.equal((await upload(client, 'MMS', field, binary, field)).body.code, 'A000');
});

test('an image is what its bytes say, whatever its name and its declared type', async t => {
  const { client, running } = await open(t);
  const photo = image('jpg', 600, 600);
  for (const type of ['image/png', 'image/webp', 'text/html', 'image/jpeg', 'application/octet-stream']) {
    const { body } = await upload(client, 'RCS', filePart(photo, 'a.png', type));
    assert.equal(body.code, 'A000', type);
    const shown = await running.gateway.http.inject({ url: `/files/${body.data.fileKey}` });
    assert.equal(shown.headers['content-type'], 'image/jpeg', type);
  }
  const picture = filePart(image('png', 600, 600), 'a.jpg', 'image/jpeg');
  const { body } = await upload(client, 'MMS', picture);
  assert.deepEqual([body.code, body.result], ['A206', 'MMS takes jpg (was png)']);
});

test('refuses bodies that are no multipart, or a broken one', async t => {
  const { client, dataDir } = await open(t);
  const whole = Multipart.ofFile(image('jpg', 600, 600)).bytes;
  const noHeaderEnd = new Multipart({ headers: [], content: '' }).bytes
    .toString()
    .replace('\r\n\r\n', 'x: y');
  for (const [body, type] of [
    ['{}', 'application/json'],
    [whole, 'image/jpeg'],
    [whole, 'multipart/form-data'],
    [whole, 'multipart/form-data; boundary=other'],
    ['', Multipart.TYPE],
    ['nonsense', Multipart.TYPE],
    [whole.subarray(0, whole.length - 20), Multipart.TYPE],
    [whole.subarray(0, 60), Multipart.TYPE],
    [noHeaderEnd, Multipart.TYPE],
  ] as const) {
    const answer = await send(client, 'MMS', body, type);
    assert.deepEqual([answer.status, answer.body.code], [400, 'A213'], `${type} ${answer.text}`);
    assert.equal(answer.headers['content-type'], 'application/json');
  }
  assert.deepEqual(filesIn(dataDir), []);
});

test('asks who is calling before anything else', async t => {
  const { running, client, dataDir } = await open(t);
  const body = Multipart.ofFile(image('jpg', 600, 600, 300 * KB + 1));
  const answer = await running.request('POST', '/v1/file/FAX', { headers: bearer('nonsense'), body });
  assert.deepEqual([answer.status, answer.body.code], [403, 'A002']);
  assert.deepEqual(filesIn(dataDir), []);
  const limited = await running.account('limited', { callRate: 1 });
  await accepts(limited, 'MMS', image('jpg', 600, 600));
  assert.equal((await upload(limited, 'MMS')).body.code, 'A020');
  assert.equal((await upload(client, 'MMS')).body.code, 'A204');
});

test('keeps the same content once, and the files of each upload apart', async t => {
  const { running, client, dataDir } = await open(t);
  const photo = image('jpg', 600, 600);
  const [one, two] = await Promise.all([accepts(client, 'MMS', photo), accepts(client, 'RCS', photo)]);
  assert.notEqual(one.fileKey, two.fileKey);
  const [path, ...others] = filesIn(dataDir);
  assert.match(path ?? '', /^[0-9a-f]{2}\/[0-9a-f]{62}$/);
  assert.deepEqual(others, []);
  for (const { fileKey } of [one, two]) assert.deepEqual((await get(running, fileKey)).rawPayload, photo);
});

test('shows an image to whoever knows its key, in a way that lets nothing run', async t => {
  const { running, client } = await open(t);
  for (const [format, type] of [
    ['jpg', 'image/jpeg'],
    ['png', 'image/png'],
    ['gif', 'image/gif'],
    ['bmp', 'image/bmp'],
  ] as const) {
    const content = image(format, 300, 200);
    const { fileKey } = await accepts(client, 'RCS', content);
    const { statusCode, headers, rawPayload } = await get(running, fileKey);
    assert.equal(statusCode, 200);
    assert.deepEqual(rawPayload, content);
    assert.equal(headers['content-type'], type);
    assert.equal(headers['content-length'], String(content.length));
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "default-src 'none'");
    // It may be erased at any time.
    assert.equal(headers['cache-control'], 'public, max-age=600');
  }
});

test('an image may have more metadata than picture, and must not be cut off', async t => {
  const bench = await open(t);
  const metadata = Array.from({ length: 12 }, () => jpgSegment(0xe1, Buffer.alloc(65_000)));
  await accepts(bench.client, 'RCS', jpgWithSegments(568, 528, metadata));
  const whole = image('jpg', 600, 400);
  await refuses(bench, 'MMS', [filePart(whole.subarray(0, -2))], ['A202', /cut off/]);
});

test('knows no image under a key that was never given out', async t => {
  const { running } = await open(t);
  for (const [key, status] of [
    ['0'.repeat(32), 404],
    ['short', 404],
    ['%00', 404],
    ['..%2f..%2fbongsu.db', 400],
  ] as const) {
    const { statusCode, body, headers } = await get(running, key);
    assert.deepEqual([statusCode, JSON.parse(body).code], [status, 'A300'], key);
    assert.equal(headers['content-type'], 'application/json');
  }
});

test('describes files to their own account only', async t => {
  const bench = await open(t);
  const data = await accepts(bench.client, 'RCS', image('png', 568, 336));
  const key = fileKeyIn(data.media, 'media');
  assert.equal(key, data.fileKey);
  const files = filesOf(bench);
  const described = await files.describeFiles('acme' as AccountId, [data.fileKey, 'nonsense']);
  const row = key && described.get(key);
  assert.deepEqual(
    [described.size, row?.width, row?.height, row?.format, row?.service],
    [1, 568, 336, 'png', 'RCS'],
  );
  assert.equal((await files.describeFiles('globex' as AccountId, [data.fileKey])).size, 0);
});

test('finds a key of ours in a media reference, and in nothing else', () => {
  const key = 'A'.repeat(32);
  assert.equal(fileKeyIn(`maapfile://${key}`, 'media'), key);
  assert.equal(fileKeyIn(`MAAPFILE://${key}`, 'media'), key);
  for (const other of [key, `maapfile://${key}A`, 'maapfile://BR.abc', `https://x/${key}`, '']) {
    assert.equal(fileKeyIn(other, 'media'), undefined);
  }
});

test('forgets a file when its time is over, and its bytes when nobody needs them', async t => {
  const bench = await open(t, { BONGSU_FILE_LIFETIME: '2d' });
  const { running, client, dataDir } = bench;
  const photo = image('jpg', 600, 600);
  const first = await accepts(client, 'MMS', photo);
  running.clock.advance(DAY_MS);
  const second = await accepts(await running.account('globex'), 'MMS', photo);
  running.clock.advance(DAY_MS - 1);
  assert.equal((await get(running, first.fileKey)).statusCode, 200);
  running.clock.advance(1);
  assert.equal((await get(running, first.fileKey)).statusCode, 404);
  assert.equal((await filesOf(bench).describeFiles('acme' as AccountId, [first.fileKey])).size, 0);
  await until('the row is swept', async () => {
    running.clock.advance(60_000);
    return (await running.gateway.store.files.findByKey(first.fileKey)) === undefined;
  });
  assert.deepEqual((await get(running, second.fileKey)).rawPayload, photo);
  running.clock.advance(DAY_MS);
  await until('the bytes are gone', () => {
    running.clock.advance(60_000);
    return filesIn(dataDir).length === 0;
  });
  assert.equal((await get(running, second.fileKey)).statusCode, 404);
});

for (const moment of ['before they are set aside', 'after'] as const) {
  test(`keeps bytes that are uploaded again while they are being forgotten: ${moment}`, async t => {
    const bench = await open(t);
    const photo = image('jpg', 600, 600);
    await accepts(bench.client, 'MMS', photo);
    const blobs = fileSystemBlobs(bench.dataDir);
    // Its clock is ahead of the gateway's own, which would otherwise sweep too.
    const clock = new ManualClock(bench.running.clock.now() + 91 * DAY_MS);
    let again: FileRow | undefined;
    const reupload = async () => {
      again = await acceptInside(bench, filesOf(bench, { clock }), photo);
    };
    const interrupted = {
      ...blobs,
      async setAside(contentHash: string) {
        if (moment !== 'after') await reupload();
        const aside = await blobs.setAside(contentHash);
        if (moment === 'after') await reupload();
        return aside;
      },
    };
    await filesOf(bench, { clock, blobs: interrupted }).sweep();
    assert.ok(again);
    assert.deepEqual((await get(bench.running, again.fileKey)).rawPayload, photo);
    assert.equal(filesIn(bench.dataDir).length, 1);
  });
}

for (const moment of ['before its bytes are in place', 'after'] as const) {
  test(`keeps the bytes of an upload during which old ones are swept: ${moment}`, async t => {
    const bench = await open(t);
    const photo = image('jpg', 600, 600);
    await accepts(bench.client, 'MMS', photo);
    const blobs = fileSystemBlobs(bench.dataDir);
    const clock = new ManualClock(bench.running.clock.now() + 91 * DAY_MS);
    const { sweep } = filesOf(bench, { clock });
    const interrupted = {
      ...blobs,
      async begin() {
        const draft = await blobs.begin();
        const place = async () => {
          if (moment !== 'after') await sweep();
          await draft.place();
          if (moment === 'after') await sweep();
        };
        return { ...draft, place };
      },
    };
    const again = await acceptInside(bench, filesOf(bench, { clock, blobs: interrupted }), photo);
    assert.deepEqual((await get(bench.running, again.fileKey)).rawPayload, photo);
    assert.equal(filesIn(bench.dataDir).length, 1);
  });
}

test('decides after a crash about bytes that were set aside', async t => {
  const bench = await open(t);
  const { running, client, dataDir } = bench;
  const { fileKey } = await accepts(client, 'MMS', image('jpg', 600, 600));
  const [path = ''] = filesIn(dataDir);
  await fileSystemBlobs(dataDir).setAside(path.replace('/', ''));
  writeFileSync(join(dataDir, 'files', 'aside', `${'0'.repeat(64)}.x`), 'nobody names these');
  assert.equal((await get(running, fileKey)).statusCode, 500);
  await filesOf(bench).sweep();
  assert.equal((await get(running, fileKey)).statusCode, 200);
  assert.deepEqual(filesIn(dataDir), [path]);
});

test('leaves nothing of an upload that breaks off', async t => {
  const { running, client, dataDir } = await open(t);
  const url = await running.gateway.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(url).port);
  const socket = connect(port, '127.0.0.1');
  const body = Multipart.ofFile(image('jpg', 600, 600, 200 * KB)).bytes;
  socket.write(
    `POST /v1/file/MMS HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n` +
      `Content-Type: ${Multipart.TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 100 * KB));
  await until('the upload has begun', () => filesIn(dataDir).length > 0);
  socket.destroy();
  await once(socket, 'close');
  await until('nothing is left', () => filesIn(dataDir).length === 0);
});

test('answers a client that sends more than it may', async t => {
  const { running, client, dataDir } = await open(t);
  const url = await running.gateway.listen({ host: '127.0.0.1', port: 0 });
  const headers = { ...bearer(client.token), 'content-type': Multipart.TYPE };
  const body = Multipart.ofFile(image('jpg', 600, 600, 3072 * KB)).bytes;
  const chunked = ReadableStream.from([body.subarray(0, 400 * KB), body.subarray(400 * KB)]);
  for (const given of [body, chunked]) {
    const response = await fetch(`${url}/v1/file/MMS`, {
      method: 'POST',
      headers,
      body: given,
      duplex: 'half',
    } as RequestInit);
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { code: string }).code, 'A200');
  }
  const preamble = Buffer.concat([Buffer.alloc(400 * KB), Multipart.ofFile(image('jpg', 600, 600)).bytes]);
  assert.equal((await send(client, 'MMS', preamble)).body.code, 'A200');
  assert.deepEqual(filesIn(dataDir), []);
});

test('cuts off a client that sends on and on', async t => {
  const { running, client, dataDir } = await open(t);
  const url = await running.gateway.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(url).port);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let answer = '';
  socket.on('data', chunk => {
    answer += chunk;
  });
  socket.write(
    `POST /v1/file/MMS HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n` +
      `Content-Type: ${Multipart.TYPE}\r\nContent-Length: ${1024 ** 3}\r\n\r\n`,
  );
  const closed = new Promise(resolve => socket.once('close', resolve));
  const megabyte = Buffer.alloc(1024 * KB);
  const sendOn = () => {
    if (socket.writable) socket.write(megabyte, sendOn);
  };
  sendOn();
  await closed;
  assert.ok(socket.bytesWritten < 256 * 1024 * KB);
  assert.match(answer, /^(HTTP\/1\.1 400 .*"code":"A200".*)?$/s);
  assert.deepEqual(filesIn(dataDir), []);
});

test('a body with too many parts is refused, also one that is cut off', async t => {
  const { client } = await testAccount(t);
  const field = { headers: ['Content-Disposition: form-data; name="x"'], content: '1' };
  const file = filePart(image('jpg', 640, 480));
  const whole = new Multipart(file, ...Array.from({ length: 150 }, () => field));
  // Within a part beyond the limit of the parser, which then has nobody to tell: its error ended the process.
  for (const body of [whole.bytes.subarray(0, -60), whole.bytes]) {
    const answer = await send(client, 'MMS', body);
    assert.deepEqual(answer.body, { code: 'A213', result: 'the body has more than 100 parts' });
  }
  const few = Array.from({ length: 99 }, () => field);
  assert.equal((await upload(client, 'MMS', file, ...few)).body.code, 'A000');
});

test('a file that cannot be deleted does not block the deletion of others, and is deleted later', async t => {
  const bench = await open(t);
  const clock = new ManualClock(bench.running.clock.now());
  const place = fileSystemBlobs(bench.dataDir);
  const contents = [1000, 2000, 3000].map(size => image('jpg', 600, 600, size));
  const rows: FileRow[] = [];
  for (const content of contents) rows.push(await acceptInside(bench, filesOf(bench, { clock }), content));
  const stuck = new Set([...rows.map(({ contentHash }) => contentHash)].toSorted().slice(0, 1));
  const blobs: Blobs = {
    ...place,
    async setAside(contentHash) {
      if (stuck.has(contentHash)) throw new Error('permission denied');
      return place.setAside(contentHash);
    },
  };
  clock.advance(2 * DAY_MS);
  const { store } = bench.running.gateway;
  const left = async () => {
    const found = await Promise.all(rows.map(({ fileKey }) => store.files.findByKey(fileKey)));
    return found.flatMap(row => row?.contentHash ?? []);
  };
  await filesOf(bench, { clock, blobs }).sweep();
  assert.deepEqual(await left(), [...stuck]);
  stuck.clear();
  await filesOf(bench, { clock, blobs }).sweep();
  assert.deepEqual([await left(), filesIn(bench.dataDir)], [[], []]);
});
