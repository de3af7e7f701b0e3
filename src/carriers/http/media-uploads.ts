/**
 * Files are uploaded to the provider before the message that needs them. The provider's id of a file is remembered for each
 * channel, by the content, until the provider deletes it; so a file used by many messages is uploaded once.
 *
 * What must never happen: a message shows a file of another account. Which content a key means is asked, and remembered,
 * for each account.
 */
import type { AccountId, FileKey } from '../../domain/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { Pointer } from './pointer.ts';
import { parseJson } from './provider-answer.ts';
import type { RenderedRequest } from './request-template.ts';
import type { TemplateValues } from './template.ts';

export interface MediaFile {
  readonly bytes: Buffer;
  readonly name: string;
  readonly contentType: string;
  readonly contentHash: string;
}

/** undefined when the account has no such file, or no longer. */
export type ReadFile = (account: AccountId, fileKey: FileKey) => Promise<MediaFile | undefined>;

export type UploadResult =
  | { readonly kind: 'uploaded'; readonly id: string }
  | { readonly kind: 'missing' }
  /** For people, without secrets. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isProvidersFault: boolean };

interface Remembered {
  readonly result: Promise<UploadResult>;
  readonly forgetAt: number;
}

const MOST_REMEMBERED = 10_000;

export class MediaUploads {
  readonly #readFile: ReadFile;
  readonly #makeRequest: (values: TemplateValues, file: MediaFile) => Promise<RenderedRequest>;
  readonly #call: (request: RenderedRequest) => Promise<OutboundAnswer>;
  readonly #id: Pointer;
  readonly #lifetimeMs: number;
  readonly #clock: Clock;
  /** By account and key. The content of a key never changes. */
  readonly #hashes = new Map<string, string>();
  readonly #uploads = new Map<string, Remembered>();

  constructor(options: {
    readonly readFile: ReadFile;
    readonly makeRequest: (values: TemplateValues, file: MediaFile) => Promise<RenderedRequest>;
    readonly call: (request: RenderedRequest) => Promise<OutboundAnswer>;
    readonly id: Pointer;
    readonly lifetimeMs: number;
    readonly clock: Clock;
  }) {
    this.#readFile = options.readFile;
    this.#makeRequest = options.makeRequest;
    this.#call = options.call;
    this.#id = options.id;
    this.#lifetimeMs = options.lifetimeMs;
    this.#clock = options.clock;
  }

  async upload(channel: string, account: AccountId, key: FileKey): Promise<UploadResult> {
    const owned = `${account} ${key}`;
    const hash = this.#hashes.get(owned);
    const kept = hash === undefined ? undefined : this.#find(`${channel} ${hash}`);
    if (kept) return kept;
    let file: MediaFile | undefined;
    try {
      file = await this.#readFile(account, key);
    } catch {
      // Our own store is in trouble and reports that itself. The message waits.
      return { kind: 'failed', reason: 'the file cannot be read', isProvidersFault: false };
    }
    if (!file) return { kind: 'missing' };
    remember(this.#hashes, owned, file.contentHash);
    return this.#uploadOnce(channel, file);
  }

  #uploadOnce(channel: string, file: MediaFile): Promise<UploadResult> {
    const name = `${channel} ${file.contentHash}`;
    const kept = this.#find(name);
    if (kept) return kept;
    const result = this.#send(channel, file);
    const entry = { result, forgetAt: this.#clock.monotonic() + this.#lifetimeMs };
    remember(this.#uploads, name, entry);
    const forget = () => {
      if (this.#uploads.get(name) === entry) this.#uploads.delete(name);
    };
    result.then(({ kind }) => {
      if (kind === 'failed') forget();
    }, forget);
    return result;
  }

  #find(name: string): Promise<UploadResult> | undefined {
    const kept = this.#uploads.get(name);
    return kept && this.#clock.monotonic() < kept.forgetAt ? kept.result : undefined;
  }

  async #send(channel: string, file: MediaFile): Promise<UploadResult> {
    const { bytes, name, contentType, contentHash } = file;
    const values = {
      channel,
      'file.name': name,
      'file.contentType': contentType,
      'file.hash': contentHash,
      'file.size': bytes.length,
      'file.base64': bytes.toString('base64'),
    };
    const answer = await this.#call(await this.#makeRequest(values, file));
    if (answer.kind === 'failed') return { ...answer, isProvidersFault: true };
    const id = this.#id.text(parseJson(answer.body));
    if (answer.status < 300 && id !== undefined) return { kind: 'uploaded', id };
    const isProvidersFault = answer.status >= 500 || answer.status === 429 || answer.status === 401;
    return {
      kind: 'failed',
      reason: `no file id in the answer with status ${answer.status}`,
      isProvidersFault,
    };
  }
}

/** Keeps the newest. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
