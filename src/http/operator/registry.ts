import {
  parseRegistryEntry,
  parseRegistryKind,
  type RegistryEntry,
  registryEntryView,
} from '../../domain/registry/registry.ts';
import { parseRegistryEntries } from '../../domain/registry/registry-list.ts';
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseObjectBody } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const ENTRIES = '/admin/v1/accounts/:id/registry';
const ENTRY = `${ENTRIES}/:kind/:key`;

const APPEARANCE = '/admin/v1/accounts/:id/appearance/:senderKey';

/** `/admin/v1/accounts/{id}/registry…`: what is registered for an account. */
export function operatorRegistryRoutes({ route }: { readonly route: OperatorRoute }): void {
  route('GET', ENTRIES, 'viewer', async ({ params, query }, { registry }) => {
    const kind = query.kind === undefined ? undefined : parseRegistryKind(query.kind);
    if (kind instanceof Problem) return kind;
    const entries = await registry.list(params.id ?? '', kind);
    if (entries instanceof Problem) return entries;
    // A logo is as large as a thousand other entries.
    const wanted = kind === undefined ? entries.filter(entry => entry.kind !== 'logo') : entries;
    return { entries: wanted.map(registryEntryView) };
  });

  route('POST', ENTRIES, 'operator', async (request, { registry }, { name }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const entries = entriesIn(body.entries);
    if (entries instanceof Problem) return entries;
    return (await registry.put(request.params.id ?? '', entries, name)) ?? { entries: entries.length };
  });

  route('GET', APPEARANCE, 'viewer', async ({ params }, { registry }) =>
    registry.appearance(params.id ?? '', params.senderKey ?? ''),
  );

  route('PUT', ENTRY, 'operator', async (request, { registry }, { name }) => {
    const { id = '', kind, key } = request.params;
    const body = parseJsonBody(request);
    if (body instanceof Problem) return body;
    if (!isObject(body.json)) return new Problem('A011', 'The body must be a JSON object');
    const entry = parseRegistryEntry({ ...body.json, kind, key });
    if (entry instanceof Problem) return entry;
    return (await registry.put(id, [entry], name)) ?? registryEntryView(entry);
  });

  route('DELETE', ENTRY, 'operator', async ({ params }, { registry }) => {
    const { id = '', key = '' } = params;
    const kind = parseRegistryKind(params.kind);
    if (kind instanceof Problem) return kind;
    return (await registry.remove(id, kind, key)) ?? { kind, key };
  });
}

/** All of them, or what is wrong with the first that is wrong. Their number is bounded by the size of a body. */
function entriesIn(given: unknown): readonly RegistryEntry[] | Problem {
  if (!Array.isArray(given)) return new Problem('A300', '"entries" must be a list of entries');
  const { entries, problems } = parseRegistryEntries(given, entry => entry);
  const [first] = problems;
  if (first) return new Problem(first.problem.code, `Entry ${first.entry}: ${first.problem.result}`);
  return entries;
}
