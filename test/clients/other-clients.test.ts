/**
 * What the public clients in Java, Go, C#, Python and PHP put on the wire where it differs from the specification,
 * request by request. Some of them refuse an answer with a member they do not know, so every answer is checked for
 * exactly the members that all of them take.
 */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { bongsu, newClient, type ServerProcess, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { greyJpeg } from './jpeg.ts';
import {
  MESSENGER_BODIES,
  OMNI_BODIES,
  PYTHON_BODIES,
  RCS_BODIES,
  TEXT_BODIES,
} from './other-clients-bodies.ts';
import { type RawAnswer, type RawRequest, rawRequest } from './raw-http.ts';

const PASSWORD = 'password-of-the-client-test';
const FROM = '0316281500';
const TO = '01012341234';
const SMS = { from: FROM, to: TO, text: 'hello' };
const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const CREDENTIALS = [
  ['X-IB-Client-Id', 'demo'],
  ['X-IB-Client-Passwd', PASSWORD],
] as const;

const ENV = { BONGSU_HEADER_PREFIXES: 'SVC,IB', BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}` };

class RawClient {
  readonly server: ServerProcess;
  readonly token: string;

  constructor(server: ServerProcess, token: string) {
    this.server = server;
    this.token = token;
  }

  async raw(request: RawRequest): Promise<RawAnswer> {
    const answer = await rawRequest(this.server.url, request);
    assert.match(answer.contentType, /^application\/json/);
    return answer;
  }

  /** A call with a token; `headers` stand in for whatever the client adds. */
  call(
    method: string,
    path: string,
    body?: object | string,
    headers: RawRequest['headers'] = [JSON_TYPE],
  ): Promise<RawAnswer> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return this.raw({
      method,
      path,
      headers: [
        ['Authorization', `Bearer ${this.token}`],
        ...headers,
        ...(text === undefined ? [] : [['Content-Length', String(Buffer.byteLength(text))] as const]),
      ],
      ...(text !== undefined && { body: text }),
    });
  }

  upload(
    path: string,
    part: { readonly fileName: string; readonly headers: string; readonly image: Buffer },
  ): Promise<RawAnswer> {
    const boundary = 'boundary-of-the-test';
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${part.fileName}"`,
      `Content-Type: image/jpeg${part.headers}`,
    ].join('\r\n');
    const body = Buffer.concat([
      Buffer.from(`${head}\r\n\r\n`),
      part.image,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    return this.raw({
      method: 'POST',
      path,
      headers: [
        ['Authorization', `Bearer ${this.token}`],
        ['Content-Type', `multipart/form-data; boundary=${boundary}`],
        ['Content-Length', String(body.length)],
      ],
      body,
    });
  }

  async recordsOf(msgKey: string, count = 1): Promise<object[]> {
    return until(`${msgKey} has ${count} records`, async () => {
      const { body } = await this.call('GET', `/v1/report/inquiry/${msgKey}`);
      return body.data.report.length === count && body.data.report;
    });
  }
}

const shared = await startServer({ after }, ENV);

async function rawClient(
  server = shared,
  credentials: RawRequest['headers'] = CREDENTIALS,
): Promise<RawClient> {
  const { body } = await rawRequest(server.url, tokenRequest([...credentials, ['Content-Length', '0']]));
  return new RawClient(server, body.data.token);
}

/** A client whose account is not shared with other tests. */
async function rawClientAs(id: string): Promise<RawClient> {
  const { BONGSU_CLIENT_PASSWORD: password } = await newClient(shared, id);
  return rawClient(shared, [
    ['X-IB-Client-Id', id],
    ['X-IB-Client-Passwd', password],
  ]);
}

function tokenRequest(headers: RawRequest['headers'], body?: string): RawRequest {
  return { method: 'POST', path: '/v1/auth/token', headers, ...(body !== undefined && { body }) };
}

/** Members in any order; those in `optional` may be left out, no others may be there. */
function assertMembers(value: object, needed: readonly string[], optional: readonly string[] = []): void {
  const names = Object.keys(value);
  const missing = needed.filter(name => !names.includes(name));
  const extra = names.filter(name => !needed.includes(name) && !optional.includes(name));
  assert.deepEqual({ missing, extra }, { missing: [], extra: [] }, JSON.stringify(value));
}

function assertSuccess({ status, body }: RawAnswer): void {
  assert.equal(body.code, 'A000', body.result);
  assert.equal(body.result, 'Success');
  assert.equal(status, 200);
}

function assertToken(answer: RawAnswer): void {
  assertSuccess(answer);
  assertMembers(answer.body, ['code', 'result', 'data']);
  assertMembers(answer.body.data, ['schema', 'expired', 'token']);
}

function assertSent(answer: RawAnswer): void {
  assertSuccess(answer);
  assertMembers(answer.body, ['code', 'result', 'msgKey'], ['ref']);
}

function assertOmniSent(answer: RawAnswer): void {
  assertSuccess(answer);
  assertMembers(answer.body, ['code', 'result', 'data'], ['ref']);
  assertMembers(answer.body.data, ['destinations']);
  for (const destination of answer.body.data.destinations) {
    assertMembers(destination, ['to', 'msgKey', 'code', 'result']);
    assert.equal(destination.code, 'A000', destination.result);
  }
}

function assertRefused(answer: RawAnswer, status: number, code: string): void {
  assertMembers(answer.body, ['code', 'result']);
  assert.deepEqual([answer.status, answer.body.code], [status, code], answer.body.result);
}

const TOKEN_REQUESTS: Readonly<Record<string, RawRequest>> = {
  'Java, without any length': tokenRequest([...CREDENTIALS, ['Accept', 'application/json']]),
  'JavaScript and Go, with a type and no bytes': tokenRequest([
    ...CREDENTIALS,
    JSON_TYPE,
    ['Content-Length', '0'],
  ]),
  'Go, with header names in its canonical case': tokenRequest([
    ['X-Ib-Client-Id', 'demo'],
    ['X-Ib-Client-Passwd', PASSWORD],
    ['Content-Length', '0'],
  ]),
  'a proxy, with header names in lower case': tokenRequest([
    ['x-ib-client-id', 'demo'],
    ['x-ib-client-passwd', PASSWORD],
    ['content-length', '0'],
  ]),
  'the specification, with its own prefix': tokenRequest([
    ['X-SVC-Client-Id', 'demo'],
    ['X-SVC-Client-Passwd', PASSWORD],
    ['Content-Length', '0'],
  ]),
  'third parties, with an empty object': tokenRequest(
    [...CREDENTIALS, JSON_TYPE, ['Content-Length', '2']],
    '{}',
  ),
  'third parties, with null': tokenRequest([...CREDENTIALS, JSON_TYPE, ['Content-Length', '4']], 'null'),
  'Python and Go, with a doubled slash': {
    ...tokenRequest([...CREDENTIALS, ['Content-Length', '0']]),
    path: '//v1/auth/token',
  },
  'PHP, which waits for 100-continue': {
    ...tokenRequest([...CREDENTIALS, ['Expect', '100-continue'], ['Content-Length', '2']], '{}'),
    awaitsContinue: true,
  },
};

test('a token is given to every client as it asks', async t => {
  const client = await rawClient();
  for (const [name, request] of Object.entries(TOKEN_REQUESTS)) {
    await t.test(name, async () => assertToken(await client.raw(request)));
  }
});

test('a client that asks for a token before every call, as Go does, is never slowed down', async () => {
  const client = await rawClient();
  const request = tokenRequest([
    ['X-Ib-Client-Id', 'demo'],
    ['X-Ib-Client-Passwd', PASSWORD],
    JSON_TYPE,
    ['Content-Length', '0'],
  ]);
  for (let call = 0; call < 200; call++) {
    const answer = await client.raw(request);
    assertToken(answer);
    assertSent(await new RawClient(client.server, answer.body.data.token).call('POST', '/v1/send/sms', SMS));
  }
});

test('a token that a client keeps for the life of its process outlives a restart', async t => {
  const client = await rawClient(await startServer(t, ENV));
  await client.server.stop();
  const restarted = await startServer(t, { ...ENV, BONGSU_DATA_DIR: client.server.dataDir });
  assertSent(await new RawClient(restarted, client.token).call('POST', '/v1/send/sms', SMS));
});

const SMS_HEADERS: Readonly<Record<string, RawRequest['headers']>> = {
  'C#, with a character set': [['Content-Type', 'application/json; charset=utf-8']],
  'a third party, with a character set and no blank': [['Content-Type', 'application/json;charset=UTF-8']],
  'Go, without Accept': [JSON_TYPE],
  'C#, which accepts what its first call did': [
    JSON_TYPE,
    ['Accept', 'multipart/form-data, application/json'],
  ],
  'C#, with its credentials on every call': [JSON_TYPE, ...CREDENTIALS],
};

test('a send is taken with the headers of every client', async t => {
  const client = await rawClient();
  for (const [name, headers] of Object.entries(SMS_HEADERS)) {
    await t.test(name, async () => assertSent(await client.call('POST', '/v1/send/sms', SMS, headers)));
  }
  await t.test('Python and C#, in many lines', async () => {
    assertSent(await client.call('POST', '/v1/send/sms', JSON.stringify(SMS, null, 4)));
  });
  await t.test('Python and Go, with a doubled slash', async () => {
    assertSent(await client.call('POST', '//v1/send/sms', SMS));
  });
  for (const scheme of ['bearer', 'BEARER']) {
    await t.test(`the scheme word ${scheme}`, async () => {
      const text = JSON.stringify(SMS);
      const headers = [
        ['Authorization', `${scheme} ${client.token}`],
        JSON_TYPE,
        ['Content-Length', String(text.length)],
      ] as const;
      assertSent(await client.raw({ method: 'POST', path: '/v1/send/sms', headers, body: text }));
    });
  }
  await t.test('PHP, which waits for 100-continue', async () => {
    const body = JSON.stringify(SMS);
    const headers = [
      ['Authorization', `Bearer ${client.token}`],
      JSON_TYPE,
      ['Content-Length', String(body.length)],
      ['Expect', '100-continue'],
    ] as const;
    const request = { method: 'POST', path: '/v1/send/sms', headers, body, awaitsContinue: true };
    assertSent(await client.raw(request));
  });
});

const SINGLE_BODIES = [TEXT_BODIES, RCS_BODIES, MESSENGER_BODIES, PYTHON_BODIES];

test('every body that a client sends is accepted, and delivered where it names what is there', async t => {
  const client = await rawClient();
  for (const [name, { channel, body, reportCode = '10000' }] of SINGLE_BODIES.flatMap(bodies =>
    Object.entries(bodies),
  )) {
    await t.test(`${channel}: ${name}`, async () => {
      const answer = await client.call('POST', `/v1/send/${channel}`, body);
      assertSent(answer);
      const [record] = await client.recordsOf(answer.body.msgKey);
      assert.equal((record as { reportCode: string }).reportCode, reportCode);
    });
  }
});

test('every combined send of a client is accepted, and its flow can be a form', async t => {
  const client = await rawClient();
  for (const [name, body] of Object.entries(OMNI_BODIES)) {
    await t.test(name, async () => {
      assertOmniSent(await client.call('POST', '/v1/send/omni', body));

      const created = await client.call('POST', '/v1/form', { messageForm: body.messageFlow });
      assertSuccess(created);
      assertMembers(created.body, ['code', 'result', 'data']);
      assertMembers(created.body.data, ['formId'], ['expired']);
      const { formId } = created.body.data;
      const { messageFlow, ...others } = body;
      assertOmniSent(await client.call('POST', '/v1/send/omni', { ...others, messageForm: formId }));
      assertOmniSent(await client.call('POST', '/v1/send/omni', { ...body, messageForm: 'no such form' }));

      const read = await client.call('GET', `/v1/form/${formId}`);
      assertSuccess(read);
      assertMembers(read.body.data, ['formId', 'messageForm'], ['expired']);
      const updated = await client.call('PUT', `/v1/form/${formId}`, { messageForm: messageFlow });
      assertSuccess(updated);
      assertMembers(updated.body.data, ['formId'], ['expired']);
      const deleted = await client.call('DELETE', `/v1/form/${formId}`, '', [
        ['Content-Type', 'application/json; charset=utf-8'],
      ]);
      assertSuccess(deleted);
      assertMembers(deleted.body, ['code', 'result']);
    });
  }
});

test('a fault answers with code and result alone, and with a status that every client knows', async () => {
  const client = await rawClient();
  const rcs = { content: { standalone: { text: 'hello' } }, from: FROM, to: TO, formatId: 'SS000000' };
  const friendtalk = { senderKey: 'key', msgType: 'FT', to: TO, text: 'hello' };
  const refused = async (code: string, channel: string, body: object | string) =>
    assertRefused(await client.call('POST', `/v1/send/${channel}`, body), 400, code);
  // Go leaves the brand out, and the sender of a messenger fallback.
  await refused('A420', 'rcs', { ...rcs, brandKey: null });
  await refused('A302', 'friendtalk', {
    ...friendtalk,
    fallback: { type: 'SMS', from: null, text: 'hello' },
  });
  await refused('A010', 'sms', '{');
  await refused('A011', 'sms', '[]');
  // Python expects this status for an id that is empty.
  assertRefused(await client.call('DELETE', '/v1/report/polling/'), 404, 'A300');
  assertRefused(await client.call('GET', '/v1/report/inquiry/'), 404, 'A300');
  assertRefused(await client.call('GET', '/v1/form/'), 404, 'A300');
  assertRefused(await client.call('PUT', '/v1/send/sms', SMS), 404, 'A300');
  const plain = await client.call('POST', '/v1/send/sms', SMS, [['Content-Type', 'text/plain']]);
  assertRefused(plain, 415, 'A300');
  const unknown = await new RawClient(client.server, 'unknown').call('POST', '/v1/send/sms', SMS);
  assertRefused(unknown, 403, 'A002');
});

/** How the clients ask for reports: C# attaches an empty JSON content, Python a length of nothing. */
const BODILESS: Readonly<Record<string, readonly [string | undefined, RawRequest['headers']]>> = {
  'C#': ['', [['Content-Type', 'application/json; charset=utf-8']]],
  Python: ['', [JSON_TYPE, ['Accept', 'application/json']]],
  'JavaScript and Go': [undefined, [JSON_TYPE]],
  Java: [undefined, []],
};

const REPORT_MEMBERS = ['msgKey', 'serviceType', 'msgType', 'reportTime', 'reportType', 'reportCode'];
const LEGACY_MEMBERS = ['reportText', 'carrier', 'ref'];
const SPEC_MEMBERS = [...LEGACY_MEMBERS, 'sendTime', 'resCnt'];

test('reports are polled, repeated and deleted as every client does it', async t => {
  const client = await rawClientAs('poller');
  for (const [name, [body, headers]] of Object.entries(BODILESS)) {
    await t.test(name, async () => {
      const nothing = await client.call('GET', '/v1/report/polling', body, headers);
      assertSuccess(nothing);
      assert.deepEqual(nothing.body.data, { reportId: '', report: null });

      const { msgKey } = (await client.call('POST', '/v1/send/sms', SMS)).body;
      await client.recordsOf(msgKey);
      const polled = await client.call('GET', '/v1/report/polling', body, headers);
      assertSuccess(polled);
      assertMembers(polled.body, ['code', 'result', 'data']);
      assertMembers(polled.body.data, ['reportId', 'report']);
      assert.match(polled.body.data.reportId, /^[\w.~-]+$/);
      for (const record of polled.body.data.report) {
        assertMembers(record, REPORT_MEMBERS, SPEC_MEMBERS);
        for (const [member, value] of Object.entries(record)) assert.equal(typeof value, 'string', member);
      }
      const again = await client.call('GET', '//v1/report/polling', body, headers);
      assert.deepEqual(again.body, polled.body);

      const deleted = await client.call(
        'DELETE',
        `/v1/report/polling/${polled.body.data.reportId}`,
        body,
        headers,
      );
      assertSuccess(deleted);
      assertMembers(deleted.body, ['code', 'result']);
      const found = await client.call('GET', `/v1/report/inquiry/${msgKey}`, body, headers);
      assertSuccess(found);
      assertMembers(found.body.data, ['report']);
    });
  }
});

test('an account for Java and early Go clients gets records that they can read', async () => {
  const client = await rawClientAs('legacy');
  const set = await bongsu(['account', 'set', 'legacy', '--report-format', 'legacy'], {
    BONGSU_DATA_DIR: client.server.dataDir,
  });
  assert.equal(set.code, 0, set.stderr);
  const brand = { senderKey: 'key', sendType: 'basic', msgType: 'FT', templateCode: 'code', to: TO };
  const abroad = { ...SMS, to: '+14155550123' };
  const keys = [
    (await client.call('POST', '/v1/send/brandmessage', brand)).body.msgKey,
    (await client.call('POST', '/v1/send/international', abroad)).body.msgKey,
  ];
  for (const key of keys) {
    const [record] = await until('the record is legacy', async () => {
      // The running server learns of the change within a moment.
      const records = await client.recordsOf(key);
      return records.every(each => !('sendTime' in each)) && records;
    });
    assertMembers(record ?? {}, REPORT_MEMBERS, LEGACY_MEMBERS);
  }
  const { body } = await client.call('GET', '/v1/report/polling');
  assert.equal(body.data.report.length, 2);
  for (const record of body.data.report) assertMembers(record, REPORT_MEMBERS, LEGACY_MEMBERS);
});

interface Upload {
  readonly path: string;
  readonly fileName?: string;
  readonly headers?: string;
  readonly gives: readonly string[];
}

const UPLOADS: Readonly<Record<string, Upload>> = {
  'C#, with a trailing slash': { path: '/v1/file/MMS/', gives: [] },
  'Python and Go, with a doubled slash': { path: '//v1/file/MMS', gives: [] },
  'early Go, with its whole local path as the name': {
    path: '/v1/file/RCS',
    fileName: '/home/somebody/projects/messaging/assets/images/image.jpg',
    gives: ['media'],
  },
  'early Go on Windows, with backslashes in the name': {
    path: '/v1/file/MMS',
    fileName: 'C:\\\\Users\\\\somebody\\\\Pictures\\\\messaging\\\\image.jpg',
    gives: [],
  },
  'early Go, in lower case': { path: '/v1/file/friendtalk/FI', gives: ['imgUrl'] },
  'Java, with a transfer encoding': {
    path: '/v1/file/FRIENDTALK/FW',
    headers: '\r\nContent-Transfer-Encoding: binary',
    gives: ['imgUrl'],
  },
  'PHP, without a type': { path: '/v1/file/FRIENDTALK', gives: ['imgUrl'] },
  'PHP, without a type for a brand': { path: '/v1/file/BRANDMESSAGE', gives: ['imgUrl'] },
  'Python, with its misspelling': { path: '/v1/file/BRANDMESSAGE/defalut', gives: ['imgUrl'] },
  'Go, with a trailing blank': { path: '/v1/file/BRANDMESSAGE/carouselCommerce%20', gives: ['imgUrl'] },
  'Java, for the middle of a carousel': {
    path: '/v1/file/BRANDMESSAGE/carouselFeed/middle',
    gives: ['imgUrl'],
  },
};

test('an image is taken from every client as it uploads it', async t => {
  const client = await rawClient();
  for (const [name, upload] of Object.entries(UPLOADS)) {
    const { path, fileName = 'image.jpg', headers = '', gives } = upload;
    await t.test(name, async () => {
      // Each size is one that its service takes.
      const image = gives.includes('media') ? greyJpeg(568, 528) : greyJpeg(800, 600);
      const answer = await client.upload(path, { fileName, headers, image });
      assertSuccess(answer);
      assertMembers(answer.body, ['code', 'result', 'data']);
      assertMembers(answer.body.data, ['fileKey', 'expired', ...gives]);
    });
  }
});
