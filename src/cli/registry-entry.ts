/** An entry of the registry as flags. The registry itself decides which fields a kind has. */
import type { Command } from 'commander';
import type { RegistryKind } from '../domain/registry/registry.ts';
import { WrongUsage } from './failure.ts';
import { readStandardInput } from './standard-input.ts';

export interface EntryOptions {
  readonly text?: string;
  readonly textStdin?: boolean;
  readonly msgType?: string;
  readonly title?: string;
  readonly header?: string;
  readonly senderKey?: string;
  readonly templateKind?: string;
  readonly brandKey?: string;
  readonly brandId?: string;
  readonly name?: string;
  readonly senders?: readonly string[];
  readonly prefix?: readonly string[];
  readonly reply?: string;
}

export function addEntryOptions(command: Command): Command {
  return command
    .option(
      '--sender-key <key>',
      'templates of messengers: the sender profile, where the key does not name it',
    )
    .option('--text <text>', 'templates: the text; #{name} matches any text')
    .option('--text-stdin', 'the same, from standard input')
    .option('--msg-type <type>', 'templates of messengers: the kind of message, such as AT or FI')
    .option('--title <text>', 'alimtalkTemplate: the emphasised title')
    .option('--header <text>', 'alimtalkTemplate: the header line')
    .option('--template-kind <kind>', 'rcsTemplate: free, description, cell or image')
    .option('--brand-key <key>', 'rcsTemplate: the brand it was approved for')
    .option('--brand-id <id>', 'rcsBrand: the id of the brand')
    .option(
      '--name <name>',
      'senderProfile, rcsBrand: the name that recipients see; templates: a name to find it by',
    )
    .option('--senders <list>', 'rcsBrand: the only numbers it sends from', parseList)
    .option('--prefix <list>', 'international…: prefixes of numbers, such as +1,+44', parseList)
    .option('--reply <text>', 'inboundNumber: the text that senders get as an answer');
}

/** The entry that the flags describe, not yet parsed. Buttons and logos can only be imported. */
export async function entryOf(
  kind: RegistryKind,
  key: string,
  options: EntryOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { text, textStdin, title, header, senderKey, templateKind, brandKey, brandId, name } = options;
  const { msgType, senders, prefix: prefixes, reply } = options;
  if (text !== undefined && textStdin)
    throw new WrongUsage('--text and --text-stdin cannot be used together');
  const given = {
    text: textStdin ? await readStandardInput() : text,
    ...{ msgType, title, header, senderKey, templateKind, brandKey, brandId, name, senders, prefixes, reply },
  };
  const hasProfile = kind === 'alimtalkTemplate' || kind === 'brandmessageTemplate';
  const isPartOfKey = hasProfile && senderKey !== undefined && !key.includes('/');
  return {
    kind,
    key: isPartOfKey ? `${senderKey}/${key}` : key,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

function parseList(value: string): string[] {
  return value
    .split(',')
    .map(each => each.trim())
    .filter(Boolean);
}
