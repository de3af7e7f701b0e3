/**
 * Files are uploaded to the provider before the message that needs them. The provider's id of a file is remembered for each
 * purpose (a channel, or a kind of message), by the content, until the provider deletes it; so a file used by many messages
 * is uploaded once.
 *
 * What must never happen: a message shows a file of another account. Which content a key means is asked, and remembered,
 * for each account.
 */
import type { AccountId, FileKey } from '../../domain/ids.ts';
import type { ReportCode } from '../../domain/reports/report-codes.ts';
import type { Clock } from '../../platform/clock.ts';

export interface MediaFile {
  readonly bytes: Buffer;
  readonly name: string;
  readonly contentType: string;
  readonly contentHash: string;
}

/** undefined when the account has no such file, or no longer. */
export type ReadFile = (account: AccountId, fileKey: FileKey) => Promise<MediaFile | undefined>;

/** What a provider made of a file. Reasons are for people, without secrets. */
export type SentFile =
  | { readonly kind: 'uploaded'; readonly id: string; readonly lifetimeMs: number }
  /** It will never take this file. */
  | { readonly kind: 'refused'; readonly reportCode: ReportCode; readonly reason: string }
  | FailedUpload;

export interface FailedUpload {
  readonly kind: 'failed';
  readonly reason: string;
  /** What it is about: this file, the provider whatever the file, or our own store. */
  readonly cause: 'file' | 'provider' | 'ours';
  readonly retryAfterMs?: number | undefined;
  /** The provider takes less than we send. */
  readonly isThrottled?: true | undefined;
  /** It is the failure of an upload that another message began: one call, and one fault of the provider. */
  readonly isShared?: true;
}

export type UploadResult = SentFile | { readonly kind: 'missing' };

/** Uploads a file for a purpose. */
export type SendFile = (purpose: string, file: MediaFile) => Promise<SentFile>;

interface Remembered {
  readonly result: Promise<SentFile>;
  /** Known when it is uploaded. */
  forgetAt: number;
}

const MOST_REMEMBERED = 10_000;

export class MediaUploads {
  readonly #readFile: ReadFile;
  readonly #send: SendFile;
  readonly #clock: Clock;
  /** By account and key. The content of a key never changes. */
  readonly #hashes = new Map<string, string>();
  readonly #uploads = new Map<string, Remembered>();

  constructor(options: { readonly readFile: ReadFile; readonly send: SendFile; readonly clock: Clock }) {
    this.#readFile = options.readFile;
    this.#send = options.send;
    this.#clock = options.clock;
  }

  async upload(purpose: string, account: AccountId, key: FileKey): Promise<UploadResult> {
    const owned = `${account} ${key}`;
    const hash = this.#hashes.get(owned);
    const kept = hash === undefined ? undefined : this.#find(`${purpose} ${hash}`);
    if (kept) return kept;
    let file: MediaFile | undefined;
    try {
      file = await this.#readFile(account, key);
    } catch {
      // Our own store is in trouble and reports that itself. The message waits.
      return { kind: 'failed', reason: 'the file cannot be read', cause: 'ours' };
    }
    if (!file) return { kind: 'missing' };
    remember(this.#hashes, owned, file.contentHash);
    return this.#uploadOnce(purpose, file);
  }

  /** The provider no longer has it: the next message uploads it again. */
  forget(purpose: string, account: AccountId, key: FileKey): void {
    const hash = this.#hashes.get(`${account} ${key}`);
    if (hash !== undefined) this.#uploads.delete(`${purpose} ${hash}`);
  }

  #uploadOnce(purpose: string, file: MediaFile): Promise<SentFile> {
    const name = `${purpose} ${file.contentHash}`;
    const kept = this.#find(name);
    if (kept) return kept;
    const startedAt = this.#clock.monotonic();
    const result = this.#send(purpose, file);
    const entry: Remembered = { result, forgetAt: Number.POSITIVE_INFINITY };
    remember(this.#uploads, name, entry);
    const forget = () => {
      if (this.#uploads.get(name) === entry) this.#uploads.delete(name);
    };
    result.then(sent => {
      if (sent.kind === 'uploaded') entry.forgetAt = startedAt + sent.lifetimeMs;
      else forget();
    }, forget);
    return result;
  }

  #find(name: string): Promise<SentFile> | undefined {
    const kept = this.#uploads.get(name);
    if (!kept || this.#clock.monotonic() >= kept.forgetAt) return undefined;
    return kept.result.then(sent => (sent.kind === 'failed' ? { ...sent, isShared: true } : sent));
  }
}

/** Keeps the newest. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
