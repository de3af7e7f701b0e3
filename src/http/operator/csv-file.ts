/** An answer of the operator API that is a file for spreadsheets instead of JSON. */
import type { FastifyReply } from 'fastify';
import { ANSWER_HEADERS, CSV_TYPE } from '../envelope.ts';

/** Names the cursor of the next part; absent at the end. */
const NEXT_HEADER = 'bongsu-next';

export class CsvFile {
  readonly name: string;
  readonly text: string;
  readonly next: string | null;

  constructor(name: string, text: string, next: string | null = null) {
    this.name = name;
    this.text = text;
    this.next = next;
  }
}

export function sendCsv(reply: FastifyReply, { name, text, next }: CsvFile): FastifyReply {
  return reply
    .headers({
      ...ANSWER_HEADERS,
      'content-type': `${CSV_TYPE}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      ...(next !== null && { [NEXT_HEADER]: next }),
    })
    .send(text);
}
