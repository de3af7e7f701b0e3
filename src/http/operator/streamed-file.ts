/** An answer of the operator API that is a file of any length. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ANSWER_HEADERS } from '../envelope.ts';

/** A file that is to be kept: what is JSON here is the envelope, and nothing else. */
export const BYTES_TYPE = 'application/octet-stream';

export class StreamedFile {
  readonly type: string;
  readonly name: string;
  readonly content: Readable;

  constructor(type: string, name: string, content: Readable) {
    this.type = type;
    this.name = name;
    this.content = content;
  }
}

/** Rejects if it fails before its first bytes. If it fails later the connection ends, so that nobody takes a part for the whole. */
export async function sendFile(
  reply: FastifyReply,
  { type, name, content }: StreamedFile,
  onFailure: (error: unknown) => void,
): Promise<FastifyReply> {
  await once(content, 'readable');
  content.once('error', onFailure);
  return reply
    .headers({
      ...ANSWER_HEADERS,
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
    })
    .send(content);
}
