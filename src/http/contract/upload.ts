/**
 * Reading a file out of a multipart body as it arrives. Nothing is buffered here: the consumer reads the file chunk by
 * chunk, and a slow consumer slows the client down.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Upload } from '../../accept/files.ts';
import { Problem } from '../../domain/request/problem.ts';

/** The name of the part that holds the file. */
const FILE_PART = 'file';
/** Room in a body besides its file: boundaries, headers, other parts. */
export const AROUND_FILE_BYTES = 64 * 1024;
const LIMITS = { parts: 100, headerPairs: 50, headerSize: 16 * 1024, fieldSize: AROUND_FILE_BYTES };
/** If the headers of a part never end, the parser waits for ever although the body has ended. */
const STALLED_MS = 2_000;

export interface BodyLimit {
  readonly bytes: number;
  /** The refusal of a longer body. */
  readonly problem: () => Problem;
}

/** The file of a request, as soon as its part begins. Call `unpipe` of the body afterwards. */
export async function readUpload(body: IncomingMessage, limit: BodyLimit): Promise<Upload | Problem> {
  const type = body.headers['content-type'] ?? '';
  if (!/^\s*multipart\/form-data\b/i.test(type)) {
    const was = type === '' ? 'was missing' : `was ${type.slice(0, 100)}`;
    return new Problem('A213', `Content-Type must be multipart/form-data (${was})`);
  }
  const declaredBytes = Number(body.headers['content-length']);
  if (declaredBytes > limit.bytes) return limit.problem();

  let understoodParts = 0;
  const parser = openParser(type, () => understoodParts++);
  if (!parser) return new Problem('A213', 'Content-Type names no boundary');
  const file = firstFile(parser);
  const ended = endOf(body, parser, limit).then(end => {
    if (end.problem) return end.problem;
    // The parser skips parts that it cannot read.
    const isNoneUnderstood = understoodParts === 0 && end.bytes > type.length + 8;
    return isNoneUnderstood
      ? new Problem('A207', 'no part of the body has a usable Content-Disposition')
      : undefined;
  });
  body.pipe(parser);
  const found = await Promise.race([file, ended]);
  if (found instanceof Problem) return found;
  if (!found) return new Problem('A204', `the body has no part named "${FILE_PART}"`);
  return { ...found, chunks: chunksUntil(found.stream, ended), ended: () => ended };
}

function openParser(type: string, onPart: () => void): BusboyInstance | undefined {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: LIMITS,
      preservePath: true,
      isPartAFile(field, _type, fileName) {
        onPart();
        return isFilePart(field) || fileName !== undefined;
      },
    });
  } catch {
    return undefined;
  }
}

interface FoundFile extends Pick<Upload, 'name'> {
  readonly stream: Readable;
}

/** Never resolves when there is none. */
function firstFile(parser: BusboyInstance): Promise<FoundFile> {
  return new Promise(resolve => {
    let isFound = false;
    parser.on('file', (field, stream, name) => {
      // A broken body is reported by `ended`; an error event here would have no listener once the file is released.
      stream.on('error', () => {});
      if (!isFound && isFilePart(field)) {
        isFound = true;
        resolve({ name, stream });
        return;
      }
      stream.resume();
    });
  });
}

/** Resolves when the whole body has been read, or cannot be read. */
function endOf(
  body: IncomingMessage,
  parser: BusboyInstance,
  limit: BodyLimit,
): Promise<{ readonly bytes: number; readonly problem?: Problem }> {
  return new Promise(resolve => {
    let bytes = 0;
    let stalled: NodeJS.Timeout | undefined;
    const end = (problem?: Problem) => {
      clearTimeout(stalled);
      resolve({ bytes, ...(problem && { problem }) });
    };
    const broken = () => end(new Problem('A213', 'the multipart body is broken, or ends too early'));
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit.bytes) end(limit.problem());
    });
    body.on('end', () => {
      stalled = setTimeout(broken, STALLED_MS).unref();
    });
    body.on('error', broken);
    // A client that goes away closes the body without an end.
    body.on('close', () => body.readableEnded || broken());
    // The parser listens to no part beyond this limit: the error of one that breaks off would end the process.
    parser.on('partsLimit', () => {
      body.unpipe(parser);
      end(new Problem('A213', `the body has more than ${LIMITS.parts} parts`));
    });
    parser.on('error', broken);
    parser.on('finish', () => end());
  });
}

function isFilePart(field: string | undefined): boolean {
  return field?.toLowerCase() === FILE_PART;
}

/** Ends with the file, or when the body turns out to be broken. */
async function* chunksUntil(
  stream: Readable,
  ended: Promise<Problem | undefined>,
): AsyncGenerator<Buffer, void> {
  void ended.then(problem => problem && stream.destroy());
  try {
    for await (const chunk of stream) yield chunk;
  } catch {
    // `ended` says what it was.
  }
}
