import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { imageSize } from 'image-size';
import { image, jpgSegment, jpgWithSegments, type MadeFormat } from '../../../test/harness/images.ts';
import { IMAGE_HEAD_BYTES, readImageHeader } from './image-header.ts';

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
  assert.ok(bytes.length < IMAGE_HEAD_BYTES);
  assert.deepEqual(readImageHeader(bytes), { format: 'jpg', width: 640, height: 480 });
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
