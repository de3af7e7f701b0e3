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

/** The size of every format but JPEG is within so many bytes; in a JPEG it comes after profiles, thumbnails and comments. */
const HEAD_BYTES = 64;

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

/** Reads an image as it arrives, and keeps next to nothing of it. */
export class ImageReader {
  #head = new Uint8Array();
  #jpeg: JpegWalk | undefined;
  #end: EndSearch | undefined;

  push(chunk: Uint8Array): void {
    const before = this.#head;
    if (before.length < HEAD_BYTES) {
      this.#head = joined(before, chunk.subarray(0, HEAD_BYTES - before.length));
    }
    const format = formatOf(this.#head);
    // The first bytes may come one by one: a JPEG is known by its third.
    if (format === 'jpg') this.#jpeg ??= new JpegWalk(before);
    if (format === 'png') this.#end ??= new EndSearch(PNG_END);
    this.#jpeg?.push(chunk);
    this.#end?.push(chunk);
  }

  /** undefined when the bytes are not an image, or its size cannot be found. */
  get header(): ImageHeader | undefined {
    const format = formatOf(this.#head);
    if (format === undefined) return undefined;
    if (format === 'webp' || format === 'tiff' || format === 'heif') return { format };
    const size = format === 'jpg' ? this.#jpeg?.size : SIZE_OF[format](this.#head, viewOf(this.#head));
    if (!size) return undefined;
    const [width, height] = size;
    return isExtent(width) && isExtent(height) ? { format, width, height } : undefined;
  }

  /** Whether the end of the image has come; formats that mark it by a single byte are believed. */
  get isWhole(): boolean {
    return this.#jpeg?.isWhole ?? this.#end?.isFound ?? true;
  }
}

/** Facts of a complete image. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const reader = new ImageReader();
  reader.push(bytes);
  return reader.header;
}

function formatOf(head: Uint8Array): ImageFormat | ForeignFormat | undefined {
  return SIGNATURES.find(signature => isAt(head, signature))?.format;
}

function viewOf(bytes: Uint8Array): DataView<ArrayBufferLike> {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isExtent(pixels: number): boolean {
  return pixels > 0 && pixels <= LARGEST_EXTENT;
}

export function isForeignFormat(header: ImageHeader): header is { readonly format: ForeignFormat } {
  return !('width' in header);
}

const SIZE_OF: Readonly<
  Record<Exclude<ImageFormat, 'jpg'>, (head: Uint8Array, view: DataView<ArrayBufferLike>) => Size | undefined>
> = {
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
const JPEG_END = `\xff${String.fromCharCode(END_OF_IMAGE)}`;
const PNG_END = 'IEND';

/** Marker, length, and the part of a frame that tells its size. */
const FRAME_BYTES = 9;

/**
 * Walks from segment to segment until the one that starts the picture, and from there to the mark of its end. What is in
 * a segment is skipped, however long it is.
 */
class JpegWalk {
  size: Size | undefined;
  #isBroken = false;
  #toSkip = 2;
  /** The beginning of a segment whose rest has not come. */
  #held: Uint8Array;
  #end: EndSearch | undefined;

  /** `before` came before it was known to be a JPEG. */
  constructor(before: Uint8Array) {
    this.#held = before;
  }

  get isWhole(): boolean {
    return this.#end?.isFound ?? false;
  }

  push(chunk: Uint8Array): void {
    if (this.#end) {
      this.#end.push(chunk);
      return;
    }
    let rest = this.#held.length === 0 ? chunk : joined(this.#held, chunk);
    this.#held = new Uint8Array();
    while (!this.#isBroken && !this.#end && rest.length > 0) {
      const skipped = Math.min(this.#toSkip, rest.length);
      this.#toSkip -= skipped;
      rest = rest.subarray(skipped);
      if (rest.length === 0) return;
      const length = this.#segment(rest);
      if (length === 0) {
        // A few bytes of a segment; the chunk that they are in may be large.
        this.#held = new Uint8Array(rest);
        return;
      }
      this.#toSkip = length;
    }
  }

  /** The length of the segment that begins here; 0 if more of it must come first. */
  #segment(bytes: Uint8Array): number {
    if (bytes[0] !== 0xff) return this.#broken();
    if (bytes.length < 2) return 0;
    const marker = bytes[1] ?? 0;
    // Fill bytes may precede a marker.
    if (marker === 0xff) return 1;
    if (isStandalone(marker)) return 2;
    if (marker === START_OF_SCAN && this.size) {
      this.#end = new EndSearch(JPEG_END);
      this.#end.push(bytes.subarray(2));
      return bytes.length;
    }
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE) return this.#broken();
    if (bytes.length < 4) return 0;
    const view = viewOf(bytes);
    const length = view.getUint16(2);
    if (length < 2) return this.#broken();
    if (isFrame(marker) && !this.size) {
      if (length < FRAME_BYTES - 2) return this.#broken();
      if (bytes.length < FRAME_BYTES) return 0;
      this.size = [view.getUint16(7), view.getUint16(5)];
    }
    return length + 2;
  }

  #broken(): number {
    this.#isBroken = true;
    return 1;
  }
}

/** Looks for a few bytes in chunks that may break within them. */
class EndSearch {
  isFound = false;
  readonly #wanted: string;
  #tail = new Uint8Array();

  constructor(wanted: string) {
    this.#wanted = wanted;
  }

  push(chunk: Uint8Array): void {
    if (this.isFound) return;
    const longest = this.#wanted.length - 1;
    const seam = joined(this.#tail, chunk.subarray(0, longest));
    this.isFound = holds(seam, this.#wanted) || holds(chunk, this.#wanted);
    this.#tail = joined(this.#tail, chunk.subarray(-longest)).slice(-longest);
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function holds(bytes: Uint8Array, wanted: string): boolean {
  const first = wanted.charCodeAt(0);
  for (let offset = bytes.indexOf(first); offset >= 0; offset = bytes.indexOf(first, offset + 1)) {
    if (isAt(bytes, { offset, bytes: wanted })) return true;
  }
  return false;
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
