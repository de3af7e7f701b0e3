/** Bodies of multipart/form-data, also ones that no form would write. */

interface Part {
  /** Header lines of the part; those of a file named `file` by default. */
  readonly headers: readonly string[];
  readonly content: Buffer | string;
}

const BOUNDARY = 'test-boundary-7f3a';

export class Multipart {
  static readonly TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
  readonly bytes: Buffer;

  constructor(...parts: readonly Part[]) {
    const written = parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${BOUNDARY}\r\n${headers.map(line => `${line}\r\n`).join('')}\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
    this.bytes = Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  }

  /** A form with one file. */
  static ofFile(content: Buffer): Multipart {
    return new Multipart(Multipart.filePart(content));
  }

  static filePart(content: Buffer | string, name = 'image.jpg', type?: string): Part {
    const disposition = `Content-Disposition: form-data; name="file"; filename="${name}"`;
    return { headers: type === undefined ? [disposition] : [disposition, `Content-Type: ${type}`], content };
  }
}
