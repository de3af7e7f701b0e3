/** The files of a message, uploaded to the provider before the message is sent. */
import { familyOf } from '../../domain/channels/channel-table.ts';
import { referencesOf } from '../../domain/images/file-references.ts';
import type { ChannelFamily, ReportCode } from '../../domain/reports/report-codes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { Submission } from '../carrier.ts';
import { replaceReferences } from './media-references.ts';
import type { MediaRules } from './media-template.ts';
import { MediaUploads, type ReadFile, type UploadResult } from './media-uploads.ts';
import type { RenderedRequest } from './request-template.ts';

export type PreparedFiles =
  /** `media`: the provider's ids in the order of the message; `message` has them instead of our references. */
  | { readonly kind: 'ready'; readonly message: unknown; readonly media: readonly string[] }
  | { readonly kind: 'refused'; readonly reportCode: ReportCode }
  | (UploadResult & { readonly kind: 'failed' });

/** A file that is not there. An address in a messenger message may be somebody else's after all, so it stays. */
const MISSING_FILE_CODE: Readonly<Record<ChannelFamily, ReportCode | undefined>> = {
  text: '23034',
  rcs: '33120',
  messenger: undefined,
};

export class MessageFiles {
  readonly #rules: MediaRules | undefined;
  readonly #uploads: MediaUploads | undefined;

  constructor(
    rules: MediaRules | undefined,
    readFile: ReadFile,
    clock: Clock,
    call: (request: RenderedRequest) => Promise<OutboundAnswer>,
  ) {
    this.#rules = rules;
    this.#uploads = rules && new MediaUploads({ ...rules, readFile, clock, call });
  }

  async prepare({ account, message }: Pick<Submission, 'account' | 'message'>): Promise<PreparedFiles> {
    const references = this.#uploads ? referencesOf(message) : new Map<string, undefined>();
    const media: string[] = [];
    const replacements = new Map<string, string>();
    for (const [reference, key] of references) {
      const result = (key && (await this.#uploads?.upload(message.channel, account, key))) ?? MISSING;
      if (result.kind === 'failed') return result;
      if (result.kind === 'uploaded') {
        media.push(result.id);
        replacements.set(reference, this.#rules?.reference({ id: result.id }) ?? result.id);
        continue;
      }
      const reportCode = MISSING_FILE_CODE[familyOf(message.channel)];
      if (reportCode !== undefined) return { kind: 'refused', reportCode };
    }
    return { kind: 'ready', media, message: replaceReferences(message, replacements) };
  }
}

const MISSING: UploadResult = { kind: 'missing' };
