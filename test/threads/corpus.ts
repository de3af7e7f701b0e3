/** Requests as bytes: as the contract has them, odd, broken, and several on one connection. */
export interface Sample {
  readonly what: string;
  /** `{token}` stands for a valid token, `{password}` for the password of the account. */
  readonly bytes: string;
  /** It is answered wherever it is split. */
  readonly isSound: boolean;
  /** Where a front reads it in another way than Node does, and why that does no harm. */
  readonly ofFronts?: { readonly answers: RegExp; readonly why: string };
}

/** Follows each sample: after it the connection ends. */
export const LAST = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

const SMS = '{"from":"0212345678","to":"01012345678","text":"hello"}';
const OMNI =
  '{"messageFlow":[{"sms":{"from":"0212345678","text":"hi"}}],"destinations":[{"to":"01012345678"}]}';
const SEND = 'POST /v1/send/sms';
const POLL = 'GET /v1/report/polling';
const OWN = 'authorization: Bearer {token}';
const JSON_TYPE = 'content-type: application/json';

function request(line: string, headers: readonly string[] = [], body = ''): string {
  return `${line} HTTP/1.1\r\n${['host: x', ...headers].map(text => `${text}\r\n`).join('')}\r\n${body}`;
}

function sized(line: string, headers: readonly string[], body: string): string {
  return request(line, [...headers, `content-length: ${Buffer.byteLength(body, 'latin1')}`], body);
}

const send = (headers: readonly string[] = [], body = SMS) => sized(SEND, [OWN, JSON_TYPE, ...headers], body);
const poll = request(POLL, [OWN]);
const smuggled = request('GET /v1/smuggled');

const SOUND: Readonly<Record<string, string>> = {
  'a token': request('POST /v1/auth/token', ['x-svc-client-id: shop', 'x-svc-client-passwd: {password}']),
  'a token with an ignored body': sized(
    'POST /v1/auth/token',
    ['x-svc-client-id: shop', 'x-svc-client-passwd: {password}'],
    'null',
  ),
  'no credentials': sized('POST /v1/auth/token', [], ''),
  'a send': send(),
  'a combined send': sized('POST /v1/send/omni', [OWN, JSON_TYPE], OMNI),
  'a send with a key, twice': send(['idempotency-key: one']).repeat(2),
  'another body with the same key': send(['idempotency-key: one'], SMS.replace('hello', 'bye')),
  'a poll': poll,
  'an acknowledgement of nothing': request('DELETE /v1/report/polling/0000000000000000000000000000', [OWN]),
  'an acknowledgement with an empty body': sized('DELETE /v1/report/polling/0000', [OWN, JSON_TYPE], ''),
  'an acknowledgement with a body': sized('DELETE /v1/report/polling/0000', [OWN, JSON_TYPE], '{}'),
  'an inquiry': request('GET /v1/report/inquiry/0000000000000000000000000000', [OWN]),
  'an inquiry with an odd id': request('GET /v1/report/inquiry/%41%00', [OWN]),
  'a poll with a body': sized(POLL, [OWN], '{}'),
  'a poll with an empty body': sized(POLL, [OWN], ''),
  'a poll with a parameter': request(`${POLL}?limit=1`, [OWN]),
  'a poll with a slash': request(`${POLL}/`, [OWN]),
  'a poll by HEAD': request('HEAD /v1/report/polling', [OWN]),
  'a poll of nobody': request(POLL),
  'a poll of a stranger': request(POLL, ['authorization: Bearer nobody']),
  'a send of nobody': sized(SEND, [JSON_TYPE], SMS),
  'a send in Korean': send(['accept-language: ko'], SMS.replace('010', '999')),
  'a poll in Korean': request(POLL, ['accept-language: ko']),
  'a send without a type': sized(SEND, [OWN], SMS),
  'a send of another type': sized(SEND, [OWN, 'content-type: text/plain'], SMS),
  'a type with a charset': sized(SEND, [OWN, 'content-type: application/json; charset=utf-8'], SMS),
  'another type of JSON': sized(SEND, [OWN, 'content-type: application/vnd.api+json'], SMS),
  'a type in capitals': sized(SEND, [OWN, 'content-type: Application/JSON'], SMS),
  'a type that is none': sized(SEND, [OWN, 'content-type: json'], SMS),
  'a type without an end': sized(SEND, [OWN, 'content-type: application/'], SMS),
  'an empty type': sized(SEND, [OWN, 'content-type:'], SMS),
  'two types in one': sized(SEND, [OWN, 'content-type: application/json, text/plain'], SMS),
  'a type with a broken parameter': sized(SEND, [OWN, 'content-type: application/json; charset'], SMS),
  'a type with a quote': sized(SEND, [OWN, 'content-type: application/json; charset="utf-8'], SMS),
  'a type with an odd byte': sized(SEND, [OWN, 'content-type: application/json\t;'], SMS),
  'a type that is none, of nobody': sized(SEND, ['content-type: json'], SMS),
  'a type that is none, in a combined send': sized('POST /v1/send/omni', [OWN, 'content-type: json'], OMNI),
  'a token with a type that is none': sized(
    'POST /v1/auth/token',
    ['x-svc-client-id: shop', 'x-svc-client-passwd: {password}', 'content-type: json'],
    '{}',
  ),
  'a token with a type that is none and no body': request('POST /v1/auth/token', [
    'x-svc-client-id: shop',
    'x-svc-client-passwd: {password}',
    'content-type: json',
  ]),
  'a poll with a type that is none': request(POLL, [OWN, 'content-type: json']),
  'an acknowledgement with a type that is none': request('DELETE /v1/report/polling/0000', [
    OWN,
    'content-type: json',
  ]),
  'an acknowledgement with an empty body of a type that is none': sized(
    'DELETE /v1/report/polling/0000',
    [OWN, 'content-type: json'],
    '',
  ),
  'a wrong field': send([], SMS.replace('010', '999')),
  'no JSON': send([], SMS.slice(1)),
  'bytes that are no text': send([], '{"text":"\xff"}'),
  'an empty body': send([], ''),
  'a bad key': send(['idempotency-key: \xe4']),
  'a long body': send([], `${SMS.slice(0, -1)},"u":"${'x'.repeat(20_000)}"}`),
  chunks: request(
    SEND,
    [OWN, JSON_TYPE, 'transfer-encoding: chunked'],
    `${SMS.length.toString(16)}\r\n${SMS}\r\n0\r\n\r\n`,
  ),
  'chunks with a trailer': request(
    SEND,
    [OWN, JSON_TYPE, 'transfer-encoding: chunked', 'trailer: x-a'],
    `${SMS.length.toString(16)};a=b\r\n${SMS}\r\n0\r\nx-a: 1\r\n\r\n`,
  ),
  'a double slash': sized('POST //v1/send/sms', [OWN, JSON_TYPE], SMS),
  'an absolute target': sized('POST http://x/v1/send/sms', [OWN, JSON_TYPE], SMS),
  'another method': sized('PUT /v1/send/sms', [OWN, JSON_TYPE], SMS),
  dots: request('GET /v1/report/../report/polling', [OWN]),
  'an unknown path': request('GET /v1/pigeon', [OWN]),
  'a client that names its address': send(['x-forwarded-for: 203.0.113.9']),
  'two addresses': send(['x-forwarded-for: 203.0.113.9', 'x-forwarded-for: 203.0.113.8']),
  'two tokens': send(['authorization: Bearer nobody']),
  'two keys': send(['idempotency-key: two', 'idempotency-key: three']),
  'no host': `${POLL} HTTP/1.1\r\n${OWN}\r\n\r\n`,
  'an empty line before it': `\r\n${poll}`,
  'a tab in a value': request(POLL, ['authorization:\tBearer {token}\t']),
  'pipelined: plain, plain, other, plain': send() + poll + request('GET /v1/reservation', [OWN]) + send(),
  'pipelined: other, plain, plain': request('GET /v1/pigeon', [OWN]) + send() + poll,
  'pipelined: as many as may be': poll.repeat(15),
  'a body that looks like a request': send([], smuggled),
  'a connection that is kept': poll.replace('\r\n\r\n', '\r\nconnection: keep-alive\r\n\r\n'),
};

const LENGTH = `content-length: ${SMS.length}`;
const OTHERS: Readonly<Record<string, string>> = {
  'a length and chunks': request(
    SEND,
    [OWN, JSON_TYPE, LENGTH, 'transfer-encoding: chunked'],
    `0\r\n\r\n${smuggled}`,
  ),
  'chunks and a length': request(
    SEND,
    [OWN, JSON_TYPE, 'transfer-encoding: chunked', 'content-length: 5'],
    `0\r\n\r\n${smuggled}`,
  ),
  'two equal lengths': request(SEND, [OWN, JSON_TYPE, LENGTH, LENGTH], SMS),
  'two lengths': request(SEND, [OWN, JSON_TYPE, LENGTH, 'content-length: 0'], SMS),
  'a list of lengths': request(SEND, [OWN, JSON_TYPE, `content-length: ${SMS.length}, ${SMS.length}`], SMS),
  'a length with a sign': request(SEND, [OWN, JSON_TYPE, `content-length: +${SMS.length}`], SMS),
  'a negative length': request(SEND, [OWN, JSON_TYPE, 'content-length: -1'], SMS),
  'a length in hexadecimal': request(
    SEND,
    [OWN, JSON_TYPE, `content-length: 0x${SMS.length.toString(16)}`],
    SMS,
  ),
  'an empty length': request(SEND, [OWN, JSON_TYPE, 'content-length:'], SMS),
  'a length of twenty digits': request(SEND, [OWN, JSON_TYPE, 'content-length: 99999999999999999999'], SMS),
  'a length with zeros': request(SEND, [OWN, JSON_TYPE, `content-length: 000${SMS.length}`], SMS),
  'a length that is too short': request(SEND, [OWN, JSON_TYPE, 'content-length: 5'], SMS),
  'no length': request(SEND, [OWN, JSON_TYPE], smuggled),
  'another transfer encoding': request(
    SEND,
    [OWN, JSON_TYPE, 'transfer-encoding: gzip, chunked'],
    '0\r\n\r\n',
  ),
  'a transfer encoding that is none': request(
    SEND,
    [OWN, JSON_TYPE, 'transfer-encoding: xchunked', LENGTH],
    SMS,
  ),
  'a transfer encoding with a space': request(
    SEND,
    [OWN, JSON_TYPE, 'transfer-encoding : chunked', LENGTH],
    SMS,
  ),
  'a bad chunk': request(SEND, [OWN, JSON_TYPE, 'transfer-encoding: chunked'], 'zz\r\n'),
  'a line feed alone': `${POLL} HTTP/1.1\nhost: x\n${OWN}\n\n`,
  'a line feed within': request(POLL, [OWN, 'x-a: 1\nx-b: 2']),
  'a return within': request(POLL, [OWN, 'x-a: 1\rx-b: 2']),
  'a header that goes on': request(POLL, [OWN, 'x-a: 1', ' x-b: 2']),
  'a length that goes on': request(SEND, [OWN, JSON_TYPE, 'content-length:', ` ${SMS.length}`], SMS),
  'a space before the colon': request(SEND, [OWN, JSON_TYPE, `content-length : ${SMS.length}`], SMS),
  'a space in the target': request('GET /v1/report/polling x', [OWN]),
  'a NUL': request(POLL, [OWN, 'x-a: \0']),
  'a line without a colon': request(POLL, [OWN, 'nothing']),
  'an empty name': request(POLL, [OWN, ': 1']),
  'HTTP/1.0': `${POLL} HTTP/1.0\r\n${OWN}\r\n\r\n`,
  'HTTP/2.0': `${POLL} HTTP/2.0\r\n${OWN}\r\n\r\n`,
  'small letters': request('get /v1/report/polling', [OWN]),
  'no HTTP': 'hello\r\n\r\n',
  'a method that nobody uses': request('BREW /pot'),
  'an expectation': send(['expect: 100-continue']),
  'an unknown expectation': send(['expect: 200-ok']),
  'an upgrade': request(POLL, [OWN, 'upgrade: h2c']),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a connection that ends': poll.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n') + smuggled,
  'a long head': request(POLL, [OWN, `x-a: ${'a'.repeat(9_000)}`]),
  'a head that is too long': request(POLL, [OWN, `x-a: ${'a'.repeat(20_000)}`]),
  'a target that is too long': request(`GET /v1/report/inquiry/${'a'.repeat(20_000)}`, [OWN]),
  'a body that is too long': send([], `"${'x'.repeat(1024 * 1024)}"`),
  'pipelined: more than may be': poll.repeat(40),
  'pipelined: plain, then broken': `${send()}hello\r\n\r\n`,
  'pipelined: plain, then a length and chunks': `${send()}${request(SEND, [OWN, LENGTH, 'transfer-encoding: chunked'], '0\r\n\r\n')}`,
};

const OF_FRONTS: Readonly<Record<string, NonNullable<Sample['ofFronts']>>> = {
  'a length that is too short': {
    answers: /^HTTP\/1\.1 400 .*"A010".*HTTP\/1\.1 400 .*not well-formed HTTP"\}$/s,
    why: 'The request ends where its length says. Node refuses what follows before the request is answered.',
  },
  'pipelined: plain, then broken': {
    answers: /^HTTP\/1\.1 200 .*"A000".*HTTP\/1\.1 400 .*not well-formed HTTP"\}$/s,
    why: 'The first is accepted by both. Node closes the connection before that is answered.',
  },
  'pipelined: plain, then a length and chunks': {
    answers: /^HTTP\/1\.1 200 .*"A000".*HTTP\/1\.1 400 .*not well-formed HTTP"\}$/s,
    why: 'As above.',
  },
};

export const CORPUS: readonly Sample[] = [
  ...Object.entries(SOUND).map(([what, bytes]) => ({ what, bytes, isSound: true })),
  ...Object.entries(OTHERS).map(([what, bytes]) => {
    const ofFronts = OF_FRONTS[what];
    return { what, bytes, isSound: false, ...(ofFronts && { ofFronts }) };
  }),
];
