import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { imageSize } from 'image-size';
import { image, jpgSegment, jpgWithSegments, type MadeFormat } from '../../../test/harness/images.ts';
import { ImageReader, readImageHeader } from './image-header.ts';

const FORMATS: readonly MadeFormat[] = ['jpg', 'png', 'gif', 'bmp'];

test('reads format and size as image-size does', () => {
  const side = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), side, side, (format, width, height) => {
      const bytes = image(format, width, height);
      assert.deepEqual(readImageHeader(bytes), { format, width, height });
      const { width: otherWidth, height: otherHeight, type } = imageSize(bytes);
      assert.deepEqual([type, otherWidth, otherHeight], [format, width, height]);
    }),
  );
});

test('finds the size of a JPEG behind other segments and fill bytes', () => {
  const segments = [
    ...Array.from({ length: 7 }, () => jpgSegment(0xe2, Buffer.alloc(65_000, 0xff))),
    Buffer.from([0xff, 0xff, 0xff]),
    jpgSegment(0xfe, Buffer.from('comment')),
  ];
  const bytes = jpgWithSegments(640, 480, segments);
  assert.deepEqual(readImageHeader(bytes), { format: 'jpg', width: 640, height: 480 });
});

/** What is seen of an image that comes in pieces of these lengths, and then as a whole. */
function readPieces(bytes: Buffer, lengths: readonly number[]): ImageReader {
  const reader = new ImageReader();
  let at = 0;
  for (const length of lengths) {
    reader.push(bytes.subarray(at, at + length));
    at += length;
  }
  reader.push(bytes.subarray(at));
  return reader;
}

test('finds the size behind two megabytes of metadata', () => {
  const segments = Array.from({ length: 32 }, () => jpgSegment(0xe1, Buffer.alloc(65_533, 0xff)));
  const bytes = jpgWithSegments(640, 480, segments);
  const reader = readPieces(bytes, [1, 2, 70_000, 3]);
  assert.deepEqual([reader.header, reader.isWhole], [{ format: 'jpg', width: 640, height: 480 }, true]);
});

test('an image is read the same, however its bytes arrive', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 });
  const segments = [jpgSegment(0xe2, Buffer.alloc(50, 0xff)), Buffer.from([0xff, 0xff, 0xff])];
  const images = [...FORMATS.map(format => image(format, 300, 200)), jpgWithSegments(300, 200, segments)];
  fc.assert(
    fc.property(fc.constantFrom(...images), pieces, (bytes, lengths) => {
      const reader = readPieces(bytes, lengths);
      assert.deepEqual([reader.header, reader.isWhole], [readImageHeader(bytes), true]);
    }),
  );
});

test('a JPEG or PNG that is cut off is not whole, and one with something behind its end is', () => {
  for (const format of ['jpg', 'png'] as const) {
    const bytes = image(format, 300, 200);
    assert.equal(readPieces(Buffer.concat([bytes, Buffer.alloc(100)]), [5]).isWhole, true);
    for (let length = 30; length < bytes.length - 8; length++) {
      assert.equal(readPieces(bytes.subarray(0, length), [5]).isWhole, false, `${format} ${length}`);
    }
  }
});

test('reads bitmaps whose rows go down, and those with the oldest header', () => {
  const down = image('bmp', 30, 20);
  down.writeInt32LE(-20, 22);
  assert.deepEqual(readImageHeader(down), { format: 'bmp', width: 30, height: 20 });
  const oldest = image('bmp', 0, 0);
  oldest.writeUInt32LE(12, 14);
  oldest.writeUInt16LE(30, 18);
  oldest.writeUInt16LE(20, 20);
  assert.deepEqual(readImageHeader(oldest), { format: 'bmp', width: 30, height: 20 });
});

test('names formats that no service takes', () => {
  assert.deepEqual(readImageHeader(Buffer.from('RIFF\0\0\0\0WEBPVP8 ')), { format: 'webp' });
  assert.deepEqual(readImageHeader(Buffer.from('II*\0\x08\0\0\0')), { format: 'tiff' });
  assert.deepEqual(readImageHeader(Buffer.from('\0\0\0\x18ftypheic')), { format: 'heif' });
});

test('finds nothing in an image that is cut off before its size', () => {
  for (const format of FORMATS) {
    const bytes = image(format, 300, 200);
    const enough = Array.from(bytes, (_, length) => length).find(length =>
      readImageHeader(bytes.subarray(0, length)),
    );
    assert.ok(enough !== undefined && enough > 9, `${format} ${enough}`);
    assert.equal(readImageHeader(bytes.subarray(0, enough - 1)), undefined);
  }
});

test('finds nothing in an image without an extent', () => {
  for (const format of FORMATS) {
    assert.equal(readImageHeader(image(format, 0, 10)), undefined);
    assert.equal(readImageHeader(image(format, 10, 0)), undefined);
  }
});

test('finds nothing in an image with an extent that no format allows', () => {
  const [largest, more] = [2 ** 31 - 1, 2 ** 31];
  assert.deepEqual(readImageHeader(image('png', largest, 1)), { format: 'png', width: largest, height: 1 });
  assert.equal(readImageHeader(image('png', more, 1)), undefined);
  assert.equal(readImageHeader(image('png', 1, more)), undefined);
  assert.equal(readImageHeader(image('png', 2 ** 32 - 1, 2 ** 32 - 1)), undefined);
  assert.equal(readImageHeader(image('bmp', 1, -(2 ** 31))), undefined);
});

test('never throws, whatever follows a signature', () => {
  const signatures = FORMATS.map(format => image(format, 1, 1).subarray(0, 20));
  fc.assert(
    fc.property(
      fc.constantFrom(...signatures),
      fc.nat(20),
      fc.uint8Array({ maxLength: 200 }),
      (start, length, rest) => {
        readImageHeader(Buffer.concat([start.subarray(0, length), rest]));
      },
    ),
    { numRuns: 2000 },
  );
});
