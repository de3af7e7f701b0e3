/** The files of a message, uploaded to the provider before the message is sent. */
import { familyOf } from '../../domain/channels/channel-table.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import { referencesOf } from '../../domain/images/file-references.ts';
import type { ChannelFamily, ReportCode } from '../../domain/reports/report-codes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Submission } from '../carrier.ts';
import { replaceReferences } from './media-references.ts';
import { MediaUploads, type ReadFile, type SendFile, type UploadResult } from './media-uploads.ts';

export type PreparedFiles =
  /** `media`: the provider's ids in the order of the message; `message` has them instead of our references. */
  | { readonly kind: 'ready'; readonly message: unknown; readonly media: readonly string[] }
  /** `reason`: the provider's own, where it refused the file. */
  | { readonly kind: 'refused'; readonly reportCode: ReportCode; readonly reason?: string }
  | (UploadResult & { readonly kind: 'failed' });

export interface FileRules {
  readonly send: SendFile;
  /** What a file is uploaded for, by the message and the place of the file among its files; undefined: it stays ours. */
  readonly purposeOf: (message: Step, index: number) => string | undefined;
  /** What replaces our reference in the message. */
  readonly referenceOf: (id: string) => string;
  /** A reference to no file of ours may be one to a file of theirs: it stays, and they judge it. */
  readonly passesUnknown?: true;
}

type MessageOf = Pick<Submission, 'account' | 'message'>;

/** A file that is not there. An address in a messenger message may be somebody else's after all, so it stays. */
const MISSING_FILE_CODE: Readonly<Record<ChannelFamily, ReportCode | undefined>> = {
  text: '23034',
  rcs: '33120',
  messenger: undefined,
};

export class MessageFiles {
  readonly #rules: FileRules | undefined;
  readonly #uploads: MediaUploads | undefined;
  readonly #publicUrl: string | undefined;

  /** Without rules, messages go out as they are. */
  constructor(
    rules: FileRules | undefined,
    deps: {
      readonly readFile: ReadFile;
      readonly clock: Clock;
      /** Where this gateway serves uploads; see images/upload-address.ts. */
      readonly publicUrl: string | undefined;
    },
  ) {
    const { readFile, clock, publicUrl } = deps;
    this.#rules = rules;
    this.#publicUrl = publicUrl;
    this.#uploads = rules && new MediaUploads({ send: rules.send, readFile, clock });
  }

  async prepare({ account, message }: MessageOf): Promise<PreparedFiles> {
    const rules = this.#rules;
    const uploads = this.#uploads;
    if (!rules || !uploads) return { kind: 'ready', media: [], message };
    const media: string[] = [];
    const replacements = new Map<string, string>();
    for (const [index, [reference, key]] of [...referencesOf(message, this.#publicUrl)].entries()) {
      const purpose = rules.purposeOf(message, index);
      if (purpose === undefined) continue;
      const result = key ? await uploads.upload(purpose, account, key) : MISSING;
      switch (result.kind) {
        case 'failed':
          return result;
        case 'refused':
          return { kind: 'refused', reportCode: result.reportCode, reason: result.reason };
        case 'uploaded':
          media.push(result.id);
          replacements.set(reference, rules.referenceOf(result.id));
          break;
        case 'missing': {
          const reportCode = MISSING_FILE_CODE[familyOf(message.channel)];
          if (reportCode !== undefined && !rules.passesUnknown) return { kind: 'refused', reportCode };
        }
      }
    }
    return { kind: 'ready', media, message: replaceReferences(message, replacements) };
  }

  /** The provider no longer has the files of this message. */
  forget({ account, message }: MessageOf): void {
    for (const [index, [, key]] of [...referencesOf(message, this.#publicUrl)].entries()) {
      const purpose = this.#rules?.purposeOf(message, index);
      if (key && purpose !== undefined) this.#uploads?.forget(purpose, account, key);
    }
  }
}

const MISSING: UploadResult = { kind: 'missing' };
