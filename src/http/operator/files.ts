import { knownAccount } from '../../accept/known-account.ts';
import { parseAccountId, parseFileKey } from '../../domain/ids.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Accounts } from '../../operate/accounts.ts';
import { type Audit, authorOf } from '../../operate/audit.ts';
import {
  type FileRouteDependencies,
  imageUrl,
  LONGEST_CACHED_S,
  sendImage,
  type UploadPath,
  uploadHandler,
  uploadRoutes,
} from '../contract/file.ts';
import { sendProblem } from '../envelope.ts';
import type { OperatorGuard } from './guard.ts';
import { parseLimit, parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const FILES = '/admin/v1/files';
const CONTENT = `${FILES}/:fileKey/content`;
const UPLOAD = '/admin/v1/accounts/:id/files/:serviceType';

/** `/admin/v1/files…`: uploaded images of every account, and uploads for one. */
export function operatorFilesRoutes(
  deps: Omit<FileRouteDependencies, 'callers'> & {
    readonly route: OperatorRoute;
    readonly accounts: Pick<Accounts, 'find'>;
    readonly guard: OperatorGuard;
    readonly audit: Audit;
  },
): void {
  const { app, route, accounts, guard, audit, files, formatTime, measured } = deps;

  route('GET', FILES, 'viewer', async request => {
    const { query } = request;
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const [given, cursor] = [parseText(query, 'account'), parseText(query, 'cursor')];
    const account = given === undefined ? undefined : parseAccountId(given);
    if (given !== undefined && !account) return new Problem('A300', '"account" must be the id of an account');
    const before = cursor === undefined ? undefined : parseFileKey(cursor);
    if (cursor !== undefined && !before) {
      return new Problem('A300', '"cursor" must be the "next" of an earlier answer');
    }
    const found = await files.list(limit + 1, account, before);
    const page = found.slice(0, limit);
    return {
      files: page.map(({ contentHash, createdAt, expiresAt, ...file }) => ({
        ...file,
        createdAt: formatTime(createdAt),
        expiresAt: formatTime(expiresAt),
        url: imageUrl(file.fileKey, request, deps.publicUrl),
      })),
      next: found.length > limit ? (page.at(-1)?.fileKey ?? null) : null,
    };
  });

  const content = measured<{ Params: { fileKey: string } }>(CONTENT, async (request, reply) => {
    const operator = await guard(request, 'viewer');
    if (operator instanceof Problem) return sendProblem(reply, operator);
    return sendImage(reply, await files.open(request.params.fileKey), `private, max-age=${LONGEST_CACHED_S}`);
  });
  app.get(CONTENT, content);

  route('DELETE', `${FILES}/:fileKey`, 'operator', async ({ params }, tools) => {
    const file = await tools.files.remove(params.fileKey ?? '');
    return file instanceof Problem ? file : { fileKey: file.fileKey };
  });

  uploadRoutes(
    app,
    UPLOAD,
    measured<UploadPath>(
      UPLOAD,
      uploadHandler(deps, async request => {
        const operator = await guard(request, 'operator');
        if (operator instanceof Problem) return operator;
        const account = await knownAccount(accounts, request.params.id);
        if (account instanceof Problem) return account;
        const { serviceType } = request.params;
        const record = audit.recordBy(authorOf(operator));
        return {
          account,
          accepted: ({ fileKey }) => record('file.upload', account.id, serviceType, fileKey),
        };
      }),
    ),
  );
}
