/** Answers to calls of the gateway, sound and less so. */
import type { SeededRandom } from '../simulation/seeded-random.ts';
import { type Content, contentOf } from './http-input.ts';
import { jsonText, mutatedBytes, mutatedTree } from './mutation.ts';
import { ODD_TEXTS, oddText } from './oddities.ts';

export interface AnswerInput {
  readonly answer: Content;
  readonly isKept: boolean;
}

const RETRY_AFTER = [
  ...['0', '1', '-1', '1.5', '1e9', '99999999999999999999', 'NaN', '', 'soon', '٣', ' 5 ', '5, 6', '0x5'],
  ...[
    'Wed, 21 Oct 2015 07:28:00 GMT',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    '2026-13-45T00:00:00Z',
    'x'.repeat(5000),
  ],
];
const STATUSES = [
  200, 200, 200, 201, 204, 206, 301, 304, 400, 401, 403, 404, 408, 410, 422, 429, 500, 502, 503, 599, 999,
  100, 103,
];

/** `good` is what the body should be. */
export function oddAnswer(random: SeededRandom, good: object): AnswerInput {
  const body = Buffer.from(bodyText(random, good));
  const status = random.pick(STATUSES);
  const isChunked = random.chance(0.1);
  const headers = [
    ...(random.chance(0.9)
      ? ['content-type: application/json']
      : [`content-type: ${oneLine(random.pick(ODD_TEXTS))}`]),
    ...(isChunked ? ['transfer-encoding: chunked'] : [`content-length: ${lengthWord(random, body.length)}`]),
    ...(random.chance(0.3) ? [`retry-after: ${random.pick(RETRY_AFTER)}`] : []),
    ...(random.chance(0.05) ? [`location: ${oneLine(random.pick(ODD_TEXTS))}`] : []),
    ...(random.chance(0.05) ? [`content-encoding: ${random.pick(['gzip', 'br', 'deflate', 'x'])}`] : []),
    ...(random.chance(0.05) ? [`connection: ${random.pick(['close', 'keep-alive', 'upgrade'])}`] : []),
    ...(random.chance(0.03) ? [`keep-alive: timeout=${random.pick(['0', '-1', '1e9', 'x'])}`] : []),
    ...(random.chance(0.03)
      ? [`${oneLine(oddText(random)).slice(0, 20_000)}: ${oneLine(oddText(random)).slice(0, 20_000)}`]
      : []),
    ...(random.chance(0.02) ? Array.from({ length: 2000 }, (_, index) => `x-${index}: y`) : []),
  ];
  const first = random.chance(0.95)
    ? `HTTP/1.1 ${status} ${random.pick(['OK', '', 'x'.repeat(3000)])}`
    : random.pick([
        'HTTP/1.0 200 OK',
        'HTTP/2 200',
        'HTTP/1.1 2000 OK',
        'HTTP/1.1',
        'ICY 200 OK',
        'HTTP/1.1 -1 x',
      ]);
  const head = Buffer.from(`${first}\r\n${headers.join('\r\n')}\r\n\r\n`);
  const whole = Buffer.concat([head, isChunked ? chunkedBody(random, body) : body]);
  const bytes = random.chance(0.1) ? mutatedBytes(random, whole) : whole;
  return { answer: contentOf(bytes), isKept: random.chance(0.05) && bytes === whole };
}

function bodyText(random: SeededRandom, good: object): string {
  if (random.chance(0.2)) return JSON.stringify(good);
  if (random.chance(0.03)) return 'x'.repeat(random.pick([65_536, 65_537, 1_000_000]));
  if (random.chance(0.1)) return oddText(random);
  return jsonText(random, mutatedTree(random, good));
}

/** Mostly right: with a wrong one the rest of the answer is not looked at. */
function lengthWord(random: SeededRandom, length: number): string {
  if (random.chance(0.93)) return String(length);
  return random.pick([
    String(length + 1),
    String(Math.max(0, length - 1)),
    '-1',
    '1e9',
    '9'.repeat(30),
    'x',
    `${length}, ${length}`,
  ]);
}

function chunkedBody(random: SeededRandom, body: Buffer): Buffer {
  const size = random.chance(0.8)
    ? body.length.toString(16)
    : random.pick(['ffffffffffffffff', '-1', 'x', '0', `${body.length}`]);
  return Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, '');
}
