import { optOutsFile, optOutView } from '../../accept/opt-out-file.ts';
import type { OptOut } from '../../domain/delivery/opt-out.ts';
import { parseOptOuts } from '../../domain/delivery/opt-out-request.ts';
import { Problem } from '../../domain/request/problem.ts';
import { type SightOf, shownOptOut } from '../../operate/masking.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { addAll, optOutsInFile } from '../contract/optout.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseOptOutQuery } from '../opt-out-query.ts';
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
  const viewFor = (role: Parameters<SightOf>[0]) => (optOut: OptOut) =>
    shownOptOut(optOutView(optOut, formatTime), sightOf(role));

  route('GET', LIST, 'viewer', async ({ params, query }, { optOuts }, { role }) => {
    const asked = parseOptOutQuery(query);
    if (asked instanceof Problem) return asked;
    const page = await optOuts.page(params.id ?? '', { ...asked, limit: asked.limit + 1 });
    if (page instanceof Problem) return page;
    const listed = page.slice(0, asked.limit);
    return {
      optOuts: listed.map(viewFor(role)),
      next: page.length > asked.limit ? String(listed.at(-1)?.id) : null,
    };
  });

  route('POST', LIST, 'operator', async (request, { optOuts }, { name }) => {
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    const entries = parseOptOuts(body.json);
    if (entries instanceof Problem) return entries;
    return optOuts.add(request.params.id ?? '', entries, { way: 'operator', by: name });
  });

  route('DELETE', `${LIST}/:optOutId`, 'operator', async ({ params }, { optOuts }, { name, role }) => {
    const { id = '', optOutId = '' } = params;
    const entry = /^\d{1,15}$/.test(optOutId) ? Number(optOutId) : 0;
    const ended = await optOuts.end(id, entry, { way: 'operator', by: name });
    return ended instanceof Problem ? ended : viewFor(role)(ended);
  });

  route('GET', FILE, 'viewer', async ({ params, query }, { optOuts, record }, { role }) => {
    const { id = '' } = params;
    const asked = parseOptOutQuery(query);
    if (asked instanceof Problem) return asked;
    const file = await optOutsFile(optOuts, id, asked.before, viewFor(role));
    if (file instanceof Problem) return file;
    await record('optout.export', id, file.rows, sightOf(role) === 'masked');
    return new CsvFile('opt-outs.csv', file.text, file.next);
  });

  route('POST', FILE, 'operator', async (request, { optOuts }, { name }) => {
    const entries = optOutsInFile(request);
    if (entries instanceof Problem) return entries;
    return addAll(optOuts, request.params.id ?? '', entries, { way: 'csv', by: name });
  });
}
