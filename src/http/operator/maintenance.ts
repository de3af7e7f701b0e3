import { Problem } from '../../domain/request/problem.ts';
import { authorOf } from '../../operate/audit.ts';
import type { Maintenance } from '../../operate/maintenance.ts';
import { parseObjectBody } from './list-query.ts';
import { LongAnswer } from './long-answer.ts';
import type { OperatorRoute } from './route.ts';
import { StreamedFile } from './streamed-file.ts';

/** `/admin/v1/data-keys…`, `/admin/v1/files/move`, `/admin/v1/backups`: long work on the whole store. */
export function operatorMaintenanceRoutes({
  route,
  maintenance,
}: {
  readonly route: OperatorRoute;
  readonly maintenance: Maintenance;
}): void {
  route('POST', '/admin/v1/data-keys/count', 'admin', async (_request, _tools, operator) => {
    return new LongAnswer(watch => maintenance.dataKeys({ ...watch, author: authorOf(operator) }));
  });

  route('POST', '/admin/v1/data-keys/reseal', 'admin', async (_request, _tools, operator) => {
    return new LongAnswer(watch => maintenance.reseal({ ...watch, author: authorOf(operator) }));
  });

  route('POST', '/admin/v1/files/move', 'admin', async (request, _tools, operator) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const { from } = body;
    if (from !== undefined && typeof from !== 'string') return new Problem('A300', '"from" must be text');
    return new LongAnswer(watch => maintenance.moveFiles(from, { ...watch, author: authorOf(operator) }));
  });

  route('POST', '/admin/v1/backups', 'admin', async (_request, _tools, operator, departure) => {
    if (operator.by === 'session') return new Problem('A300', 'A backup needs a token', { status: 403 });
    const work = { author: authorOf(operator), signal: departure(), onProgress: () => {} };
    const made = await maintenance.backup(work);
    return made instanceof Problem ? made : new StreamedFile('application/x-tar', 'bongsu-backup.tar', made);
  });
}
