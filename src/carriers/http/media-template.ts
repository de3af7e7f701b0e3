/** How a file is uploaded to the provider: a form of several parts, or a structure with the bytes in base64. */
import type { OutboundAnswer } from '../../platform/outbound.ts';
import { parseRetryAfterMs } from '../../platform/retry-after.ts';
import type { MediaFile, SendFile } from './media-uploads.ts';
import type { MediaOptions } from './options.ts';
import { ABOUT_MESSAGE, compilePointer, TOO_MANY } from './outcome.ts';
import { TIME_NAMES } from './placeholders.ts';
import { parseJson } from './provider-answer.ts';
import { type RenderedRequest, requestTemplate } from './request-template.ts';
import { mapTemplate, type Template, type TemplateValues, textTemplate } from './template.ts';

export interface UploadMeans {
  readonly call: (request: RenderedRequest) => Promise<OutboundAnswer>;
  readonly times: () => TemplateValues;
  readonly now: () => number;
}

export interface MediaRules {
  /** The purpose is the channel. */
  readonly sendBy: (means: UploadMeans) => SendFile;
  /** What replaces our reference in the message. */
  readonly reference: Template<string>;
}

const FILE_NAMES = [
  'file.name',
  'file.contentType',
  'file.hash',
  'file.size',
  'file.base64',
  'channel',
  ...TIME_NAMES,
];
/** The part of the form that holds the bytes. */
const FILE_PART = '{{file}}';

export function compileMedia(
  options: MediaOptions,
  path: string,
  problems: string[],
): MediaRules | undefined {
  const { multipart } = options;
  const scope = { names: FILE_NAMES, problems };
  const makeRequest = requestTemplate(options, path, scope);
  const id = compilePointer(options.id, `${path}.id`, problems);
  const reference = textTemplate(options.reference, `${path}.reference`, { names: ['id'], problems });
  const isOneBody = [multipart, options.json, options.form].filter(body => body !== undefined).length === 1;
  if (!isOneBody) problems.push(`${path}: expected one of multipart, json and form`);
  const parts = Object.entries(multipart ?? {});
  const fileParts = parts.filter(([, value]) => value === FILE_PART).map(([name]) => name);
  if (multipart && fileParts.length !== 1) {
    problems.push(`${path}.multipart: expected exactly one part that is ${FILE_PART}`);
  }
  const texts = Object.fromEntries(parts.filter(([, value]) => value !== FILE_PART));
  const makeTexts = mapTemplate(texts, `${path}.multipart`, scope);
  const [filePart] = fileParts;
  if (!id) return undefined;
  const requestFor = async (
    channel: string,
    file: MediaFile,
    times: TemplateValues,
  ): Promise<RenderedRequest> => {
    const values = { ...times, ...valuesOf(channel, file) };
    const request = makeRequest(values);
    return filePart === undefined ? request : withForm(request, makeTexts(values), filePart, file);
  };
  return {
    reference,
    sendBy:
      ({ call, times, now }) =>
      async (channel, file) => {
        const answer = await call(await requestFor(channel, file, times()));
        if (answer.kind === 'failed') return { kind: 'failed', reason: answer.reason, cause: 'provider' };
        const { status, headers, body } = answer;
        const found = id.text(parseJson(body));
        if (status < 300 && found !== undefined) {
          return { kind: 'uploaded', id: found, lifetimeMs: options.lifetime };
        }
        const reason = `no file id in the answer with status ${status}`;
        if (ABOUT_MESSAGE.includes(status)) return { kind: 'failed', reason, cause: 'file' };
        const wait = headers['retry-after'];
        return {
          ...{ kind: 'failed', reason, cause: 'provider', retryAfterMs: parseRetryAfterMs(wait, now()) },
          ...(status === TOO_MANY && wait === undefined && { isThrottled: true }),
        };
      },
  };
}

function valuesOf(channel: string, { bytes, name, contentType, contentHash }: MediaFile): TemplateValues {
  return {
    channel,
    'file.name': name,
    'file.contentType': contentType,
    'file.hash': contentHash,
    'file.size': bytes.length,
    'file.base64': bytes.toString('base64'),
  };
}

async function withForm(
  request: RenderedRequest,
  texts: readonly (readonly [string, string])[],
  filePart: string,
  file: MediaFile,
): Promise<RenderedRequest> {
  const { contentType, body } = await fileForm(texts, filePart, file);
  return { ...request, headers: { ...request.headers, 'content-type': contentType }, body };
}

/** A form of several parts, one of them a file. */
export async function fileForm(
  texts: readonly (readonly [string, string])[],
  filePart: string,
  { bytes, name, contentType }: MediaFile,
): Promise<{ readonly contentType: string; readonly body: Buffer }> {
  const form = new FormData();
  for (const [part, value] of texts) form.append(part, value);
  form.append(filePart, new Blob([new Uint8Array(bytes)], { type: contentType }), name);
  // The platform writes the parts and chooses what separates them.
  const written = new Response(form);
  return {
    contentType: written.headers.get('content-type') ?? '',
    body: Buffer.from(await written.arrayBuffer()),
  };
}
