import { isUtf8 } from 'node:buffer';
import { Problem } from '../../domain/request/problem.ts';
import type { Operator } from '../../operate/access.ts';
import type { AuditedTools } from '../../operate/audited-tools.ts';
import type { SightOf } from '../../operate/masking.ts';
import { createOptOutDesk } from '../../operate/opt-out-desk.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import { CsvFile } from './csv-file.ts';
import type { OperatorRoute } from './route.ts';

const LIST = '/admin/v1/accounts/:id/optouts';
const FILE = `${LIST}/csv`;

/** `/admin/v1/accounts/{id}/optouts…`: the list of an account, in the hands of operators. */
export function operatorOptOutsRoutes({
  route,
  sightOf,
  formatTime,
}: {
  readonly route: OperatorRoute;
  readonly sightOf: SightOf;
  readonly formatTime: FormatTime;
}): void {
  const deskOf = ({ optOuts, record }: AuditedTools, { name, role }: Operator) =>
    createOptOutDesk({ optOuts, record, formatTime, sight: sightOf(role), by: name });

  route('GET', LIST, 'viewer', ({ params, query }, tools, operator) =>
    deskOf(tools, operator).list(params.id ?? '', query),
  );

  route('POST', LIST, 'operator', async (request, tools, operator) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    return deskOf(tools, operator).add(request.params.id ?? '', body.json);
  });

  route('DELETE', `${LIST}/:optOutId`, 'operator', ({ params }, tools, operator) =>
    deskOf(tools, operator).end(params.id ?? '', params.optOutId ?? ''),
  );

  route('GET', FILE, 'viewer', async ({ params, query }, tools, operator) => {
    const file = await deskOf(tools, operator).exportFile(params.id ?? '', query);
    return file instanceof Problem ? file : new CsvFile('opt-outs.csv', file.text, file.next);
  });

  route('POST', FILE, 'operator', async (request, tools, operator) => {
    const bytes = rawBody(request);
    if (!isUtf8(bytes)) return new Problem('A300', 'The file must be CSV in UTF-8');
    return deskOf(tools, operator).importFile(request.params.id ?? '', bytes.toString('utf8'));
  });
}
