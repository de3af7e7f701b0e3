/** Images of any size for tests: real headers, no pixels worth looking at. */

export type MadeFormat = 'jpg' | 'png' | 'gif' | 'bmp';

/** An image that says it is `width` by `height`, padded to `bytes` if that is given. */
export function image(format: MadeFormat, width: number, height: number, bytes?: number): Buffer {
  const made = MAKE[format](width, height);
  if (bytes === undefined) return made;
  if (bytes < made.length) throw new Error(`an image of ${bytes} bytes is too small to make`);
  return Buffer.concat([made, Buffer.alloc(bytes - made.length)]);
}

const MAKE: Readonly<Record<MadeFormat, (width: number, height: number) => Buffer>> = {
  jpg: (width, height) => jpgWithSegments(width, height, [jfif()]),
  png(width, height) {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([8, 2, 0, 0, 0], 8);
    return Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      pngChunk('IHDR', header),
      pngChunk('IDAT', Buffer.from('789c030000000001', 'hex')),
      pngChunk('IEND', Buffer.alloc(0)),
    ]);
  },
  gif(width, height) {
    const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
    head.writeUInt16LE(width, 6);
    head.writeUInt16LE(height, 8);
    return Buffer.concat([head, Buffer.from('2c00000000010001000002024401003b', 'hex')]);
  },
  bmp(width, height) {
    const head = Buffer.alloc(58);
    head.write('BM');
    head.writeUInt32LE(58, 2);
    head.writeUInt32LE(54, 10);
    head.writeUInt32LE(40, 14);
    head.writeInt32LE(width, 18);
    head.writeInt32LE(height, 22);
    head.writeUInt16LE(1, 26);
    head.writeUInt16LE(24, 28);
    return head;
  },
};

/** A JPEG with these segments before the one that tells its size. */
export function jpgWithSegments(width: number, height: number, segments: readonly Buffer[]): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments,
    jpgSegment(0xc0, frame),
    jpgSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x00, 0xff, 0xd9]),
  ]);
}

export function jpgSegment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

function jfif(): Buffer {
  return jpgSegment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1'));
}

function pngChunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  // Nobody here checks the checksum.
  return Buffer.concat([length, Buffer.from(name), content, Buffer.alloc(4)]);
}
