/**
 * A bucket of an S3-compatible store: the five requests that files need, signed, bounded in time, and repeated if that may help.
 * Every one of them may be repeated without harm.
 *
 * Names are in the path (`https://endpoint/bucket/key`), which every such store understands.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { type Clock, sleep } from '../../platform/clock.ts';
import { StoreFault } from '../store-fault.ts';

export interface BucketOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** How long one try may take; the body of an answer has as long again between two of its pieces. */
  readonly timeoutMs: number;
  /** The store is elsewhere and in real time, so this is the system's clock. */
  readonly clock: Clock;
}

/** What an object is made of; opened anew for each try. */
export interface ObjectContent {
  /** SHA-256 of the bytes, which the store checks. */
  readonly hash: string;
  readonly bytes: number;
  open(): Readable;
}

export interface Bucket {
  put(key: string, content: ObjectContent): Promise<void>;
  get(key: string): Promise<Readable | undefined>;
  /** False if there is nothing to copy. */
  copy(from: string, to: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Keys in their order: a page of at most 1,000, and how to get the next. */
  list(prefix: string, after?: string): Promise<{ readonly keys: readonly string[]; readonly next?: string }>;
  close(): Promise<void>;
}

type Answer = Dispatcher.ResponseData;

interface Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: ObjectContent;
}

const CONNECTIONS = 16;
/** Before the second and the third try. */
const PAUSES_MS = [200, 1000];
const WORTH_ANOTHER_TRY: readonly number[] = [408, 429, 500, 502, 503, 504];
const EMPTY_HASH = createHash('sha256').digest('hex');

export function openBucket(options: BucketOptions): Bucket {
  const { bucket, region, accessKeyId, secretAccessKey, timeoutMs, clock } = options;
  const root = `${options.endpoint.replace(/\/+$/, '')}/${bucket}`;
  const dispatcher = new Agent({ connections: CONNECTIONS, connect: { timeout: timeoutMs } });

  async function tryOnce({ method, key, query = {}, headers = {}, content }: Request): Promise<Answer> {
    const url = new URL(key === undefined ? root : `${root}/${encoded(key)}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': content?.hash ?? EMPTY_HASH },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
    });
    const signed = await signer.sign();
    return request(signed.url, {
      method,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(content && { 'content-length': String(content.bytes) }),
      },
      body: content?.open() ?? null,
      dispatcher,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /** An answer of 2xx or 404, whichever try brought it. */
  async function ask(what: Request): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const pauseMs = PAUSES_MS[attempt];
      let trouble: StoreFault;
      try {
        const answer = await tryOnce(what);
        if (answer.statusCode < 300 || (answer.statusCode === 404 && what.key !== undefined)) return answer;
        const refusal = await refusalOf(answer);
        if (!WORTH_ANOTHER_TRY.includes(answer.statusCode)) {
          throw new Error(`bucket ${bucket}: ${what.method} was refused: ${refusal}`);
        }
        trouble = fault(refusal);
      } catch (error) {
        if (!isOfNetwork(error)) throw error;
        trouble = fault(error.message, error);
      }
      if (pauseMs === undefined) throw trouble;
      await sleep(clock, pauseMs);
    }
  }

  /** What is asked for is repeated by whoever needs it: a file without its bytes is given to nobody. */
  function fault(reason: string, cause?: unknown): StoreFault {
    return new StoreFault('didNotHappen', `bucket ${bucket}: ${reason}`, { cause });
  }

  return {
    async put(key, content) {
      await finish(await ask({ method: 'PUT', key, content }), `bucket ${bucket}`);
    },
    async get(key) {
      const { statusCode, body } = await ask({ method: 'GET', key });
      if (statusCode === 404) {
        await body.dump();
        return undefined;
      }
      // Whoever leaves it unread is told so, and that must not end the process. Readers hear of every error themselves.
      body.on('error', () => {});
      return body;
    },
    async copy(from, to) {
      const source = `/${bucket}/${encoded(from)}`;
      const answer = await ask({ method: 'PUT', key: to, headers: { 'x-amz-copy-source': source } });
      const text = await answer.body.text();
      if (answer.statusCode === 404) return false;
      // A copy may fail after its 200.
      if (text.includes('<Error>')) throw fault(`copying failed: ${codeIn(text)}`);
      return true;
    },
    async delete(key) {
      await (await ask({ method: 'DELETE', key })).body.dump();
    },
    async list(prefix, after) {
      const query = {
        'list-type': '2',
        prefix,
        ...(after !== undefined && { 'continuation-token': after }),
      };
      const text = await (await ask({ method: 'GET', query })).body.text();
      const next = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
      return {
        keys: [...text.matchAll(/<Key>([^<]*)</g)].map(([, key = '']) => plain(key)),
        ...(next !== undefined && { next: plain(next) }),
      };
    },
    close: () => dispatcher.destroy(),
  };
}

async function finish(answer: Answer, where: string): Promise<void> {
  const text = await answer.body.text();
  if (answer.statusCode === 404) throw new Error(`${where}: ${codeIn(text)}`);
}

async function refusalOf({ statusCode, body }: Answer): Promise<string> {
  return `${statusCode} ${codeIn(await body.text())}`.trim();
}

/** `NoSuchBucket`, `SignatureDoesNotMatch` …: what an operator can look up. */
function codeIn(text: string): string {
  return /<Code>([^<]{1,100})</.exec(text)?.[1] ?? '';
}

/** ECONNRESET, ENOTFOUND …, and what undici says itself. A certificate that is not right stays an error. */
const NETWORK_CODES = /^(UND_ERR_\w+|EAI_AGAIN|E(?!RR_)[A-Z]+)$/;

function isOfNetwork(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && NETWORK_CODES.test(String(error.code));
}

function encoded(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plain(xml: string): string {
  return xml.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
