/** How a file is uploaded to the provider: a form of several parts, or a structure with the bytes in base64. */
import type { MediaFile } from './media-uploads.ts';
import type { MediaOptions } from './options.ts';
import { compilePointer } from './outcome.ts';
import { TIME_NAMES } from './placeholders.ts';
import type { Pointer } from './pointer.ts';
import { type RenderedRequest, requestTemplate } from './request-template.ts';
import { mapTemplate, type Template, type TemplateValues, textTemplate } from './template.ts';

export interface MediaRules {
  readonly makeRequest: (values: TemplateValues, file: MediaFile) => Promise<RenderedRequest>;
  readonly id: Pointer;
  readonly lifetimeMs: number;
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
  return {
    id,
    reference,
    lifetimeMs: options.lifetime,
    async makeRequest(values, file) {
      const request = makeRequest(values);
      return filePart === undefined ? request : withForm(request, makeTexts(values), filePart, file);
    },
  };
}

async function withForm(
  request: RenderedRequest,
  texts: readonly (readonly [string, string])[],
  filePart: string,
  { bytes, name, contentType }: MediaFile,
): Promise<RenderedRequest> {
  const form = new FormData();
  for (const [part, value] of texts) form.append(part, value);
  form.append(filePart, new Blob([new Uint8Array(bytes)], { type: contentType }), name);
  // The platform writes the parts and chooses what separates them.
  const written = new Response(form);
  return {
    ...request,
    headers: { ...request.headers, 'content-type': written.headers.get('content-type') ?? '' },
    body: Buffer.from(await written.arrayBuffer()),
  };
}
