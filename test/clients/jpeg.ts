/**
 * A valid JPEG of any size in a few bytes: one grey component whose blocks are all alike. Both Huffman tables hold a
 * single symbol, so a block takes two bits.
 */
export function greyJpeg(width: number, height: number): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const quantization = segment(0xdb, [0, ...Array<number>(64).fill(1)]);
  const frame = segment(0xc0, [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const oneSymbol = [1, ...Array<number>(15).fill(0), 0];
  const huffman = [segment(0xc4, [0x00, ...oneSymbol]), segment(0xc4, [0x10, ...oneSymbol])];
  const scan = segment(0xda, [1, 1, 0x00, 0, 63, 0]);
  // Blocks left over in the last byte are padded with ones, as the format asks.
  const bits = Buffer.alloc(Math.ceil(blocks / 4));
  const left = blocks % 4;
  if (left > 0) bits[bits.length - 1] = 0xff >> (left * 2);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    quantization,
    frame,
    ...huffman,
    scan,
    bits,
    Buffer.from([0xff, 0xd9]),
  ]);
}

function segment(marker: number, payload: readonly number[]): Buffer {
  const length = payload.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...payload]);
}
