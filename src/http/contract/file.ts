import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import { type FileRow, type Files, mediaOf } from '../../accept/files.ts';
import type { Account } from '../../domain/account/account.ts';
import type { FileKey } from '../../domain/ids.ts';
import type { ImageFormat } from '../../domain/images/image-header.ts';
import { type ImageRule, parseImagePath, tooBig } from '../../domain/images/image-rules.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';
import { AROUND_FILE_BYTES, readUpload } from './upload.ts';

export interface FileRouteDependencies {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly files: Files;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly measured: Measured;
  /** URL under which clients reach this server; undefined: taken from the request. */
  readonly publicUrl: string | undefined;
}

export interface UploadPath {
  /** `id` is the account, if an operator uploads for one. */
  Params: { id?: string; serviceType: string; msgType?: string; subType?: string };
}

const UPLOAD_PATH = '/v1/file/:serviceType';
const IMAGE_PATH = '/files/:fileKey';
/** An image can be erased: caches keep it for minutes, not for its lifetime. */
export const LONGEST_CACHED_S = 600;

const CONTENT_TYPE: Readonly<Record<ImageFormat, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  bmp: 'image/bmp',
};

/** `POST /v1/file/…` takes an image; `GET /files/{fileKey}` shows it to whoever knows its key. */
export function fileRoutes(deps: FileRouteDependencies): void {
  const { app, callers, files, clock, measured } = deps;
  const upload = uploadHandler(deps, async request => {
    const account = await callers.caller(request);
    return account instanceof Problem ? account : { account };
  });
  uploadRoutes(app, UPLOAD_PATH, measured<UploadPath>(UPLOAD_PATH, upload));

  const serve = measured<{ Params: { fileKey: string } }>(IMAGE_PATH, async (request, reply) => {
    const found = await files.open(request.params.fileKey);
    const secondsLeft = found ? Math.floor((found.file.expiresAt - clock.now()) / 1000) : 0;
    return sendImage(reply, found, `public, max-age=${Math.min(secondsLeft, LONGEST_CACHED_S)}`);
  });
  app.get(IMAGE_PATH, serve);
}

/** Declares the three forms of an upload's path, below `path`. */
export function uploadRoutes(
  app: FastifyInstance,
  path: string,
  handler: (request: FastifyRequest<UploadPath>, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  // In a scope of its own, where the body is not read before the caller is authenticated.
  app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    for (const rest of ['', '/:msgType', '/:msgType/:subType']) scope.post<UploadPath>(path + rest, handler);
  });
}

/** Whose file it is. */
interface Uploader {
  readonly account: Account;
  /** Called once the file is kept. */
  readonly accepted?: (file: FileRow) => Promise<void>;
}

/** Takes an image for the account that `identify` finds; the body is not read before that. */
export function uploadHandler(
  deps: Pick<FileRouteDependencies, 'files' | 'formatTime' | 'publicUrl'>,
  identify: (request: FastifyRequest<UploadPath>) => Promise<Uploader | Problem>,
): (request: FastifyRequest<UploadPath>, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    let file: FileRow | Problem;
    try {
      file = await acceptUpload(request);
    } finally {
      // Nothing reads on what was given to the parser of a refused file.
      request.raw.unpipe();
    }
    return file instanceof Problem
      ? sendProblem(reply, file)
      : sendSuccess(reply, successBody({ data: uploaded(file, request) }));
  };

  async function acceptUpload(request: FastifyRequest<UploadPath>): Promise<FileRow | Problem> {
    const uploader = await identify(request);
    if (uploader instanceof Problem) return uploader;
    const { serviceType, msgType, subType } = request.params;
    const rule = parseImagePath(serviceType, msgType, subType);
    if (rule instanceof Problem) return rule;
    const part = await readUpload(request.raw, bodyLimitOf(rule));
    if (part instanceof Problem) return part;
    const file = await deps.files.accept(uploader.account, rule, part);
    if (!(file instanceof Problem)) await uploader.accepted?.(file);
    return file;
  }

  /** Exactly the members that the specification has for each service. */
  function uploaded({ fileKey, service, expiresAt }: FileRow, request: FastifyRequest<UploadPath>): object {
    const expired = deps.formatTime(expiresAt).slice(0, 19).replace('T', ' ');
    switch (service) {
      case 'MMS':
        return { fileKey, expired };
      case 'RCS':
        return { fileKey, media: mediaOf(fileKey), expired };
      case 'FRIENDTALK':
      case 'BRANDMESSAGE':
        return { fileKey, imgUrl: imageUrl(fileKey, request, deps.publicUrl), expired };
    }
  }
}

/** Where an image is shown. */
export function imageUrl<G extends RouteGenericInterface>(
  fileKey: FileKey,
  request: FastifyRequest<G>,
  publicUrl: string | undefined,
): string {
  return `${baseUrl(request, publicUrl)}/files/${fileKey}`;
}

/** Under which the gateway is reached: as it is configured, or else as this caller reached it. */
export function baseUrl<G extends RouteGenericInterface>(
  request: FastifyRequest<G>,
  publicUrl: string | undefined,
): string {
  const base = publicUrl ?? `${request.protocol}://${hostOf(request)}`;
  return base.replace(/\/+$/, '');
}

export function sendImage(
  reply: FastifyReply,
  found: Awaited<ReturnType<Files['open']>>,
  caching: string,
): FastifyReply {
  if (!found) return sendProblem(reply, new Problem('A300', 'There is no such file', { status: 404 }));
  return reply
    .headers({
      'content-type': CONTENT_TYPE[found.file.format],
      'content-length': found.file.bytes,
      'cache-control': caching,
      // Uploaded by others but served from our origin: nothing in it may run, whatever a browser takes it for.
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    })
    .send(found.content);
}

function bodyLimitOf(rule: ImageRule) {
  return {
    bytes: rule.maxBytes + AROUND_FILE_BYTES,
    problem: () => tooBig(rule),
  };
}

/** The host of the request if it is valid; otherwise the address that was reached. */
function hostOf<G extends RouteGenericInterface>(request: FastifyRequest<G>): string {
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(request.host ?? '')) return request.host;
  const { localAddress = '127.0.0.1', localPort = 80 } = request.raw.socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
