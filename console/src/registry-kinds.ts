/** The fields of the forms for entries of the registry. Templates have a page of their own. */
import type { EntryOf, RegistryKind } from '../../src/domain/registry/registry.ts';
import type { TemplateKind } from '../../src/domain/registry/template.ts';

/** Those that make up the key, and the others. */
interface FieldNames<Name = string> {
  readonly key: readonly Name[];
  readonly others: readonly Name[];
}

const FIELDS: {
  readonly [Kind in Exclude<RegistryKind, TemplateKind>]: FieldNames<Exclude<keyof EntryOf<Kind>, 'kind'>>;
} = {
  sender: { key: ['number'], others: [] },
  senderProfile: { key: ['senderKey'], others: ['name'] },
  rcsBrand: { key: ['brandKey'], others: ['name', 'brandId', 'senders'] },
  logo: { key: ['profile'], others: ['image'] },
  internationalSenderId: { key: ['senderId'], others: ['prefixes'] },
  internationalSignature: { key: ['text'], others: ['prefixes'] },
  inboundNumber: { key: ['number', 'keyword'], others: ['reply'] },
};

export type EditedKind = keyof typeof FIELDS;
export const EDITED_KINDS = Object.keys(FIELDS) as EditedKind[];

/** A gateway of another version may have kinds that this console does not know. */
export function fieldsOfKind(kind: string): FieldNames {
  const known: Readonly<Record<string, FieldNames>> = FIELDS;
  return (Object.hasOwn(known, kind) && known[kind]) || { key: [], others: [] };
}

/** Fields that hold a list, entered as comma-separated text. */
export const LIST_FIELDS: readonly string[] = ['senders', 'prefixes'];
