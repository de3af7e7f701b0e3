import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FileKey } from '../../domain/ids.ts';
import type { ImageFormat } from '../../domain/image-header.ts';
import { type ImageRule, parseImagePath, tooBig } from '../../domain/image-rules.ts';
import { Problem } from '../../domain/problem.ts';
import { type FileRow, type Files, mediaOf } from '../../operations/files.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import type { Callers } from '../caller.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import type { Measured } from '../measured.ts';
import { AROUND_FILE_BYTES, discardBody, readUpload } from '../upload.ts';

interface FileRouteDependencies {
  readonly callers: Callers;
  readonly files: Files;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly measured: Measured;
  /** Where clients reach this server; undefined: where the request says it came to. */
  readonly publicUrl: string | undefined;
}

interface UploadPath {
  Params: { serviceType: string; msgType?: string; subType?: string };
}

const UPLOAD_PATH = '/v1/file/:serviceType';
const IMAGE_PATH = '/files/:fileKey';

const CONTENT_TYPE: Readonly<Record<ImageFormat, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  bmp: 'image/bmp',
};

/** `POST /v1/file/…` takes an image; `GET /files/{fileKey}` shows it to whoever knows its key. */
export function fileRoutes(app: FastifyInstance, deps: FileRouteDependencies): void {
  const { callers, files, measured } = deps;

  const upload = measured<UploadPath>(UPLOAD_PATH, async (request, reply) => {
    let isAllRead = false;
    let file: FileRow | Problem;
    try {
      file = await acceptUpload(request);
    } finally {
      isAllRead = await discardBody(request.raw);
    }
    return file instanceof Problem
      ? sendProblem(reply, file, isAllRead ? {} : { connection: 'close' })
      : sendSuccess(reply, successBody({ data: uploaded(file, request) }));
  });

  // In a scope of its own, where a body of any type is left unread until it is known who sends it.
  app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    for (const path of ['', '/:msgType', '/:msgType/:subType']) scope.post(UPLOAD_PATH + path, upload);
  });

  const serve = measured<{ Params: { fileKey: string } }>(IMAGE_PATH, async (request, reply) => {
    const found = await files.open(request.params.fileKey);
    if (!found) return sendProblem(reply, new Problem('A300', 'There is no such file', { status: 404 }));
    const { file, content } = found;
    const secondsLeft = Math.floor((file.expiresAt - deps.clock.now()) / 1000);
    return reply
      .headers({
        'content-type': CONTENT_TYPE[file.format],
        'content-length': file.bytes,
        'cache-control': `public, max-age=${secondsLeft}, immutable`,
        // Somebody else's bytes under our name: nothing in them may run, whatever a browser takes them for.
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
      .send(content);
  });
  app.get(IMAGE_PATH, serve);

  async function acceptUpload(request: FastifyRequest<UploadPath>): Promise<FileRow | Problem> {
    const account = await callers.caller(request);
    if (account instanceof Problem) return account;
    const { serviceType, msgType, subType } = request.params;
    const rule = parseImagePath(serviceType, msgType, subType);
    if (rule instanceof Problem) return rule;
    const part = await readUpload(request.raw, bodyLimitOf(rule));
    return part instanceof Problem ? part : files.accept(account, rule, part);
  }

  /** Exactly the members that clients know for each service. */
  function uploaded({ fileKey, service, expiresAt }: FileRow, request: FastifyRequest<UploadPath>): object {
    const expired = deps.formatTime(expiresAt).slice(0, 19).replace('T', ' ');
    switch (service) {
      case 'MMS':
        return { fileKey, expired };
      case 'RCS':
        return { fileKey, media: mediaOf(fileKey), expired };
      case 'FRIENDTALK':
      case 'BRANDMESSAGE':
        return { fileKey, imgUrl: imageUrl(fileKey, request), expired };
    }
  }

  function imageUrl(fileKey: FileKey, request: FastifyRequest<UploadPath>): string {
    const base = deps.publicUrl ?? `${request.protocol}://${hostOf(request)}`;
    return `${base.replace(/\/+$/, '')}/files/${fileKey}`;
  }
}

function bodyLimitOf(rule: ImageRule) {
  return {
    bytes: rule.maxBytes + AROUND_FILE_BYTES,
    problem: (sentBytes?: number) => tooBig(rule, sentBytes),
  };
}

/** The host a client asked for, if that is one; otherwise the address it reached. */
function hostOf(request: FastifyRequest<UploadPath>): string {
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(request.host ?? '')) return request.host;
  const { localAddress = '127.0.0.1', localPort = 80 } = request.raw.socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
