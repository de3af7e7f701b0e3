/** What operators do with the registry of an account. */
import type { Registry } from '../accept/registry.ts';
import { parseRegistryEntry, parseRegistryKind, registryEntryView } from '../domain/registry/registry.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { registry as declared } from '../operations/registry.ts';
import type { Handlers } from './perform.ts';

export function registryHandlers({
  registry,
}: {
  readonly registry: Pick<Registry, 'list' | 'put' | 'remove' | 'appearance'>;
}): Handlers<OperationsOf<typeof declared>> {
  return {
    async 'GET /accounts/{id}/registry'({ id, kind }) {
      const entries = await registry.list(id, kind);
      if (entries instanceof Problem) return entries;
      // A logo is as large as a thousand other entries.
      const wanted = kind === undefined ? entries.filter(entry => entry.kind !== 'logo') : entries;
      return { entries: wanted.map(registryEntryView) };
    },
    'POST /accounts/{id}/registry': async ({ id, entries }, { by }) =>
      (await registry.put(id, entries, by)) ?? { entries: entries.length },
    async 'PUT /accounts/{id}/registry/{kind}/{key}'({ id, kind, key, fields }, { by }) {
      const entry = parseRegistryEntry({ ...fields, kind, key });
      if (entry instanceof Problem) return entry;
      return (await registry.put(id, [entry], by)) ?? registryEntryView(entry);
    },
    async 'DELETE /accounts/{id}/registry/{kind}/{key}'({ id, key, ...given }) {
      const kind = parseRegistryKind(given.kind);
      if (kind instanceof Problem) return kind;
      return (await registry.remove(id, kind, key)) ?? { kind, key };
    },
    'GET /accounts/{id}/appearance/{senderKey}': ({ id, senderKey }) => registry.appearance(id, senderKey),
  };
}
