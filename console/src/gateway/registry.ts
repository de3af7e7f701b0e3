import { call, pathOf } from './call.ts';

/** The kinds of entries, each with the fields that its key is made of and the others that it may have. */
export const REGISTRY_KINDS = {
  sender: { key: ['number'], others: [] },
  senderProfile: { key: ['senderKey'], others: ['name'] },
  alimtalkTemplate: { key: ['senderKey', 'templateCode'], others: ['text', 'title', 'header'] },
  brandmessageTemplate: { key: ['senderKey', 'templateCode'], others: ['msgType', 'text'] },
  rcsBrand: { key: ['brandKey'], others: ['name', 'brandId', 'senders'] },
  logo: { key: ['profile'], others: ['image'] },
  rcsTemplate: { key: ['formatId'], others: ['templateKind', 'brandKey'] },
  internationalSenderId: { key: ['senderId'], others: ['prefixes'] },
  internationalSignature: { key: ['text'], others: ['prefixes'] },
  inboundNumber: { key: ['number', 'keyword'], others: ['reply'] },
} as const satisfies Record<string, { key: readonly string[]; others: readonly string[] }>;

export type RegistryKind = keyof typeof REGISTRY_KINDS;
export const REGISTRY_KIND_WORDS = Object.keys(REGISTRY_KINDS) as RegistryKind[];

/** Fields that hold a list, entered as comma-separated text. */
export const LIST_FIELDS: readonly string[] = ['senders', 'prefixes'];

export type RegistryEntry = {
  readonly kind: RegistryKind;
  readonly key: string;
} & Readonly<Record<string, unknown>>;

/** All entries. Logos are long, and only told if they are asked for. */
export async function listRegistry(
  account: string,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly RegistryEntry[] }> {
  const lists = await Promise.all(
    [undefined, 'logo'].map(kind =>
      call<{ entries: readonly RegistryEntry[] }>('GET', pathOf('accounts', account, 'registry'), {
        query: { kind },
        signal,
      }),
    ),
  );
  return { entries: lists.flatMap(({ entries }) => entries) };
}

export const putEntry = (account: string, kind: RegistryKind, key: string, fields: object) =>
  call<RegistryEntry>('PUT', pathOf('accounts', account, 'registry', kind, key), { body: fields });

export const removeEntry = (account: string, kind: RegistryKind, key: string) =>
  call<void>('DELETE', pathOf('accounts', account, 'registry', kind, key));

/** How a sender profile or brand looks to recipients; null for what is not registered. */
export interface Appearance {
  readonly name: string | null;
  readonly logo: string | null;
}

export const readAppearance = (account: string, key: string, signal: AbortSignal) =>
  call<Appearance>('GET', pathOf('accounts', account, 'appearance', key), { signal });
