/** Uploads: bodies of several parts, and the images in them. */
import { API_OPERATIONS } from '../../../src/http/openapi/document.ts';
import { image, type MadeFormat } from '../../harness/images.ts';
import type { SeededRandom } from '../../simulation/seeded-random.ts';
import { bytesOf, contentOf, type HttpInput } from '../http-input.ts';
import { mutatedBytes } from '../mutation.ts';
import { ODD_TEXTS, oddText } from '../oddities.ts';
import { requestFor } from '../requests.ts';
import type { Target } from '../target.ts';
import { HttpSender } from './http.ts';

const UPLOADS = API_OPERATIONS.filter(({ request }) => request?.type === 'multipart/form-data');
const FROM_CORPUS = 0.3;
const FORMATS: readonly MadeFormat[] = ['jpg', 'png', 'gif', 'bmp'];
const SIZES = [0, 1, 100, 336, 400, 568, 640, 800, 1080, 65_535];

export const multipartUploads: Target = {
  name: 'multipart',
  concurrency: 6,
  async prepare(room) {
    return new HttpSender(room).target((random, corpus) =>
      corpus.length > 0 && random.chance(FROM_CORPUS)
        ? mutatedUpload(random, random.pick(corpus) as HttpInput)
        : upload(random),
    );
  },
};

function upload(random: SeededRandom): HttpInput {
  const request = requestFor(random, random.pick(UPLOADS));
  const boundary = random.pick(['b', 'test-boundary', 'x'.repeat(70), 'x'.repeat(200), 'a b', '--', '.']);
  const count = Number(random.weighted({ 0: 3, 1: 80, 2: 10, 20: 4, 500: 3 }));
  const parts = Array.from({ length: count }, () => part(random, boundary, count === 1));
  const end = random.chance(0.9)
    ? `--${boundary}--\r\n`
    : random.pick(['', `--${boundary}`, '--', `--${boundary}--`]);
  const body = Buffer.concat([
    Buffer.from(random.chance(0.03) ? 'preamble\r\n' : ''),
    ...parts,
    Buffer.from(end),
    Buffer.from(random.chance(0.03) ? oddText(random) : ''),
  ]);
  const type = random.chance(0.92)
    ? `multipart/form-data; boundary=${/^[\w-]+$/.test(boundary) ? boundary : `"${boundary}"`}`
    : random.pick([
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/mixed; boundary=b',
        'image/png',
        'x',
      ]);
  return {
    ...request,
    headers: [...request.headers, ['content-type', type]],
    body: contentOf(random.chance(0.2) ? mutatedBytes(random, body) : body),
  };
}

/** Only a part by itself may be large: the rest is many small inputs. */
function part(random: SeededRandom, boundary: string, isAlone: boolean): Buffer {
  const name = random.chance(0.9) ? 'file' : oneLine(random.pick(ODD_TEXTS));
  const fileName = random.chance(0.7) ? 'image.jpg' : oneLine(oddText(random).slice(0, 3000));
  const disposition = random.chance(0.9)
    ? `form-data; name="${name}"; filename="${fileName}"`
    : random.pick([
        `form-data; name=${name}; filename*=utf-8''%00%ff%zz`,
        `form-data; name="${name}"`,
        `attachment; name="${name}"; name="file"; filename="a"; filename="b"`,
        'form-data',
        `form-data; name="file"; filename="../../etc/passwd"`,
        `form-data; ${'a="b";'.repeat(500)}`,
      ]);
  const headers = [
    `Content-Disposition: ${disposition}`,
    ...(random.chance(0.3)
      ? [`Content-Type: ${random.pick(['image/jpeg', 'text/plain; charset=utf-7', 'x/y', ''])}`]
      : []),
    ...(random.chance(0.05) ? ['Content-Transfer-Encoding: base64'] : []),
    ...(random.chance(0.02) ? Array.from({ length: 3000 }, (_, index) => `x-${index}: y`) : []),
    ...(random.chance(0.02) ? [oneLine(oddText(random))] : []),
  ];
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`),
    picture(random, isAlone),
    Buffer.from('\r\n'),
  ]);
}

function picture(random: SeededRandom, mayBeLarge: boolean): Buffer {
  const format = random.pick(FORMATS);
  // The two small formats have two bytes for a side, one of them signed.
  const made = image(format, random.pick(SIZES), random.pick(SIZES));
  if (random.chance(0.05)) return Buffer.alloc(0);
  const padded =
    mayBeLarge && random.chance(0.03)
      ? Buffer.concat([made, Buffer.alloc(random.pick([300_000, 1_200_000]))])
      : made;
  return random.chance(0.5) ? mutatedBytes(random, padded) : padded;
}

function mutatedUpload(random: SeededRandom, input: HttpInput): HttpInput {
  return { ...input, body: contentOf(mutatedBytes(random, bytesOf(input.body))) };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n"]/g, '');
}
