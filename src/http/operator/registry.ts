import { parseRegistryEntry, parseRegistryKind, registryEntryView } from '../../domain/registry/registry.ts';
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { parseJsonBody } from '../json-body.ts';
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
    return entries instanceof Problem ? entries : { entries: entries.map(registryEntryView) };
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
