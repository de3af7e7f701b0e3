/**
 * Format and dimensions of an image, from its first bytes and nothing else.
 *
 * Our own, because uploads may be hostile: the package image-size, our oracle in the tests, takes 60 ms of the
 * event loop for a quarter megabyte of nothing that begins like a JPEG, and had several endless loops in formats that
 * none of our services accepts. Here every step moves forward, and each byte is read at most once.
 */

export type ImageFormat = 'jpg' | 'png' | 'gif' | 'bmp';
/** Formats that are recognised so that a problem can name them. */
export type ForeignFormat = 'webp' | 'tiff' | 'heif';

export interface OwnHeader {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
}
export type ImageHeader = OwnHeader | { readonly format: ForeignFormat };

/** How much of a file is read; the size of a JPEG comes after its profiles, thumbnails and comments. */
export const IMAGE_HEAD_BYTES = 512 * 1024;

/** The most that PNG allows, and that the column of a store holds. */
const LARGEST_EXTENT = 2 ** 31 - 1;

type Size = readonly [width: number, height: number];

interface Signature {
  readonly format: ImageFormat | ForeignFormat;
  readonly offset: number;
  /** One character for each byte. */
  readonly bytes: string;
}

const SIGNATURES: readonly Signature[] = [
  { format: 'jpg', offset: 0, bytes: '\xff\xd8\xff' },
  { format: 'png', offset: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { format: 'gif', offset: 0, bytes: 'GIF87a' },
  { format: 'gif', offset: 0, bytes: 'GIF89a' },
  { format: 'bmp', offset: 0, bytes: 'BM' },
  { format: 'webp', offset: 8, bytes: 'WEBP' },
  { format: 'tiff', offset: 0, bytes: 'II*\0' },
  { format: 'tiff', offset: 0, bytes: 'MM\0*' },
  { format: 'heif', offset: 4, bytes: 'ftyp' },
];

/** undefined when the bytes are not an image, or its size cannot be found. */
export function readImageHeader(head: Uint8Array): ImageHeader | undefined {
  const format = SIGNATURES.find(signature => isAt(head, signature))?.format;
  if (format === undefined) return undefined;
  if (format === 'webp' || format === 'tiff' || format === 'heif') return { format };
  const size = SIZE_OF[format](head, new DataView(head.buffer, head.byteOffset, head.byteLength));
  if (!size) return undefined;
  const [width, height] = size;
  return isExtent(width) && isExtent(height) ? { format, width, height } : undefined;
}

function isExtent(pixels: number): boolean {
  return pixels > 0 && pixels <= LARGEST_EXTENT;
}

export function isForeignFormat(header: ImageHeader): header is { readonly format: ForeignFormat } {
  return !('width' in header);
}

const SIZE_OF: Readonly<
  Record<ImageFormat, (head: Uint8Array, view: DataView<ArrayBufferLike>) => Size | undefined>
> = {
  jpg: jpgSize,
  png(head, view) {
    const isHeaderFirst = isAt(head, { offset: 12, bytes: 'IHDR' });
    return isHeaderFirst && head.length >= 24 ? [view.getUint32(16), view.getUint32(20)] : undefined;
  },
  gif: (head, view) => (head.length >= 10 ? [view.getUint16(6, true), view.getUint16(8, true)] : undefined),
  bmp(head, view) {
    if (head.length < 26) return undefined;
    const headerBytes = view.getUint32(14, true);
    // The oldest kind of header has 16-bit numbers; in the others a negative height means that rows go down.
    if (headerBytes === 12) return [view.getUint16(18, true), view.getUint16(20, true)];
    return headerBytes >= 40 ? [view.getInt32(18, true), Math.abs(view.getInt32(22, true))] : undefined;
  },
};

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Walks from segment to segment until the one that starts a frame. */
function jpgSize(head: Uint8Array, view: DataView): Size | undefined {
  let offset = 2;
  while (offset + 4 <= head.length) {
    if (head[offset] !== 0xff) return undefined;
    const marker = head[offset + 1] ?? 0;
    offset++;
    // Fill bytes may precede a marker.
    if (marker === 0xff) continue;
    offset++;
    if (isStandalone(marker)) continue;
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE) return undefined;
    const length = offset + 2 <= head.length ? view.getUint16(offset) : 0;
    if (length < 2) return undefined;
    if (isFrame(marker)) {
      const isWhole = length >= 7 && offset + 7 <= head.length;
      return isWhole ? [view.getUint16(offset + 5), view.getUint16(offset + 3)] : undefined;
    }
    offset += length;
  }
  return undefined;
}

/** Baseline, extended and progressive: what handsets show. Lossless and arithmetic kinds are not. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xc2;
}

/** Markers without a length. */
function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

function isAt(head: Uint8Array, { offset, bytes }: Pick<Signature, 'offset' | 'bytes'>): boolean {
  for (let index = 0; index < bytes.length; index++) {
    if (head[offset + index] !== bytes.charCodeAt(index)) return false;
  }
  return true;
}
