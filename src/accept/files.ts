/** Uploaded images: accepting them by the rules of their service, looking them up, serving them, forgetting them. */
import type { Readable } from 'node:stream';
import type { Account, AccountSettings } from '../domain/account/account.ts';
import { type AccountId, BASE32, type FileKey, parseFileKey, timePrefix } from '../domain/ids.ts';
import { ImageReader, isForeignFormat } from '../domain/images/image-header.ts';
import { type ImageRule, imageProblem, parseImageName, tooBig } from '../domain/images/image-rules.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { AsideBlob, BlobDraft, Blobs } from '../store/blobs.ts';
import type { FileQuota, FileRow, Store } from '../store/store.ts';
import { neededBy } from './file-needs.ts';

export type { FileRow };

/** A file on its way in. */
export interface Upload {
  /** The file name as it was sent, with whatever path is in it. */
  readonly name: string | undefined;
  /** Never throws; `ended` gives the problem, if there is one. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Why the request around the file is broken, known when all of it has been read. */
  readonly ended: () => Promise<Problem | undefined>;
}

export interface Files {
  /** Takes an upload; when it resolves to a row, row and bytes are on disk. */
  accept(account: Account, rule: ImageRule, upload: Upload): Promise<FileRow | Problem>;
  /** The account's own files among these keys that are still valid. */
  describeFiles(account: AccountId, keys: readonly string[]): Promise<Map<FileKey, FileRow>>;
  /** A valid file and its bytes; the key is all that is needed, unless it must be a file of this account. */
  open(
    key: string,
    owner?: AccountId,
  ): Promise<{ readonly file: FileRow; readonly content: Readable } | undefined>;
  /** For the operator: newest first, of one account or of all. */
  list(limit: number, account: AccountId | undefined, before: FileKey | undefined): Promise<FileRow[]>;
  /** For the operator: deletes a file that no pending message and no reservation needs. */
  remove(key: string): Promise<FileRow | Problem>;
  /** Deletes what has expired. */
  sweep(): Promise<void>;
}

const RANDOM_PART = 22;
const SWEEP_CHUNK = 200;
/** So many contents that cannot be deleted mean that their place is in trouble. */
const MOST_FAILED = 1000;
const MEDIA_SCHEME = 'maapfile://';

/** How RCS requests refer to a file. */
export function mediaOf(fileKey: FileKey): string {
  return `${MEDIA_SCHEME}${fileKey}`;
}

export function isValidFile({ expiresAt }: FileRow, now: number): boolean {
  return now < expiresAt;
}

export function createFiles(deps: {
  readonly store: Pick<Store, 'files' | 'accounts' | 'messages' | 'reservations'>;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Pick<Events, 'fileStored' | 'filesForgotten' | 'failed'>;
  readonly fileLifetimeMs: number;
  /** Why nothing more can be uploaded. */
  readonly roomProblem: () => Problem | undefined;
}): Files {
  const { store, blobs, clock, random, events, fileLifetimeMs } = deps;

  return {
    async accept(account, rule, upload) {
      const name = parseImageName(upload.name);
      if (name instanceof Problem) return name;
      const noRoom = deps.roomProblem();
      if (noRoom) return noRoom;
      const draft = await blobs.begin();
      try {
        const read = await readInto(draft, rule, upload);
        if (read instanceof Problem) return read;
        const { header } = read.image;
        const problem = imageProblem(rule, header, read.image.isWhole);
        if (problem) return problem;
        if (!header || isForeignFormat(header)) return new Problem('A202');
        const now = clock.now();
        const file: FileRow = {
          fileKey: (timePrefix(now) + random.characters(RANDOM_PART, BASE32)) as FileKey,
          account: account.id,
          service: rule.service,
          kind: rule.kind,
          name,
          contentHash: await draft.seal(),
          bytes: read.bytes,
          ...header,
          createdAt: now,
          expiresAt: now + fileLifetimeMs,
        };
        // The row before the bytes: see store/blobs.ts. A key whose bytes never came is given to nobody.
        const { fileLimit, fileBytes } = account.settings;
        const usedUp = await store.files.add(file, { files: fileLimit, bytes: fileBytes });
        if (usedUp) return quotaProblem(usedUp, account.settings);
        await draft.place();
        events.fileStored(file);
        return file;
      } finally {
        await draft.discard();
      }
    },
    async describeFiles(account, keys) {
      const wanted = keys.flatMap(key => parseFileKey(key) ?? []);
      const rows = wanted.length > 0 ? await store.files.find(account, wanted) : [];
      return new Map(rows.filter(isValid).map(row => [row.fileKey, row]));
    },
    async open(key, owner) {
      const fileKey = parseFileKey(key);
      const file = fileKey && (await store.files.findByKey(fileKey));
      if (!file || !isValid(file) || (owner !== undefined && file.account !== owner)) return undefined;
      const content = await blobs.open(file.contentHash);
      // Not a case for "unknown": nodes that do not share their files, or a damaged disk.
      if (!content) throw new Error(`the bytes of file ${file.fileKey} are not there`);
      return { file, content };
    },
    list: (limit, account, before) => store.files.list(limit, account, before),
    async remove(key) {
      const fileKey = parseFileKey(key);
      const file = fileKey && (await store.files.findByKey(fileKey));
      if (!file || !isValid(file)) return noSuchFile();
      const problem = await neededBy(store, file);
      if (problem) return problem;
      if (!(await store.files.expire(file.fileKey, clock.now()))) return noSuchFile();
      // It is deleted; its bytes go now, or with the next sweep.
      await sweep().catch(error => events.failed('sweep files', error));
      return file;
    },
    sweep,
  };

  /** Each content by itself: one whose bytes cannot be deleted is tried again by the next sweep. */
  async function sweep(): Promise<void> {
    const now = clock.trusted();
    if (now === undefined) return;
    const failed = new Set<string>();
    let firstFailure: unknown;
    let count = 0;
    await attempt('drafts', () => blobs.clearDrafts());
    let leftAside: readonly AsideBlob[] = [];
    await attempt('what was set aside', async () => {
      leftAside = await blobs.leftAside();
    });
    for (const aside of leftAside) {
      await attempt(aside.contentHash, async () => {
        count += await decide(aside, now);
      });
    }
    for (let isMore = true; isMore && failed.size < MOST_FAILED; ) {
      // Those that failed are found again.
      const swept = await store.files.sweep(now, SWEEP_CHUNK + failed.size);
      const fresh = swept.unneeded.filter(contentHash => !failed.has(contentHash));
      for (const contentHash of fresh) {
        await attempt(contentHash, async () => {
          count += await decide(await blobs.setAside(contentHash), now);
        });
      }
      isMore = swept.isMore && (fresh.length > 0 || failed.size === 0);
    }
    if (count > 0) events.filesForgotten(count);
    const [what] = failed;
    if (what !== undefined) events.failed('sweep files', firstFailure, { what, failed: failed.size });

    async function attempt(name: string, task: () => Promise<void>): Promise<void> {
      try {
        await task();
      } catch (error) {
        if (failed.size === 0) firstFailure = error;
        failed.add(name);
      }
    }
  }

  function isValid(file: FileRow): boolean {
    return isValidFile(file, clock.now());
  }

  /** The rows go after the bytes were set aside, so that a crash in between leaves rows to find the bytes by. */
  async function decide(aside: AsideBlob, now: number): Promise<number> {
    const isNeeded = await store.files.release(aside.contentHash, now);
    await (isNeeded ? aside.putBack() : aside.destroy());
    return isNeeded ? 0 : 1;
  }
}

function noSuchFile(): Problem {
  return new Problem('A300', 'There is no such file, or it has expired', { status: 404 });
}

/** Clients cannot delete files, so room comes with time. */
function quotaProblem(usedUp: keyof FileQuota, { fileLimit, fileBytes }: AccountSettings): Problem {
  const rule = usedUp === 'files' ? `${fileLimit} files` : `${fileBytes} bytes of files`;
  return new Problem(
    'A300',
    `The upload exceeds the limit of ${rule} for this account: files are deleted when they expire`,
  );
}

/** Writes an upload to a draft, giving up once it is too big; returns what was seen of the image. */
async function readInto(
  draft: BlobDraft,
  rule: ImageRule,
  { chunks, ended }: Upload,
): Promise<{ readonly bytes: number; readonly image: ImageReader } | Problem> {
  const image = new ImageReader();
  let bytes = 0;
  for await (const chunk of chunks) {
    image.push(chunk);
    bytes += chunk.length;
    if (bytes > rule.maxBytes) return tooBig(rule);
    await draft.write(chunk);
  }
  const problem = await ended();
  if (problem) return problem;
  if (bytes === 0) return new Problem('A202', 'the file is empty');
  return { bytes, image };
}
