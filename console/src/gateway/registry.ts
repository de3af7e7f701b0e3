import { type Question, read, readMember } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

/** The kinds of entries, each with the fields that its key is made of and the others that it may have. */
const REGISTRY_KINDS = {
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

/** A gateway of another version may have kinds that this console does not know. */
export function fieldsOfKind(kind: string): {
  readonly key: readonly string[];
  readonly others: readonly string[];
} {
  const known: Readonly<Record<string, (typeof REGISTRY_KINDS)[RegistryKind]>> = REGISTRY_KINDS;
  return (Object.hasOwn(known, kind) && known[kind]) || { key: [], others: [] };
}

/** Fields that hold a list, entered as comma-separated text. */
export const LIST_FIELDS: readonly string[] = ['senders', 'prefixes'];

export type RegistryEntry = {
  readonly kind: RegistryKind;
  readonly key: string;
} & Readonly<Record<string, unknown>>;

/** All entries. Logos are long, and only told if they are asked for. */
export function listRegistry(account: string): Question<readonly RegistryEntry[]> {
  const path = pathOf('accounts', account, 'registry');
  const most = readMember<readonly RegistryEntry[]>(path, 'entries');
  const logos = readMember<readonly RegistryEntry[]>(path, 'entries', { kind: 'logo' });
  return {
    ...most,
    ask: async signal => (await Promise.all([most, logos].map(each => each.ask(signal, undefined)))).flat(),
  };
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

export const readAppearance = (account: string, key: string) =>
  read<Appearance>(pathOf('accounts', account, 'appearance', key));
