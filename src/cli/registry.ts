/** `bongsu registry …`: what is registered for an account. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AccountId } from '../domain/ids.ts';
import {
  parseRegistryEntry,
  parseRegistryKind,
  REGISTRY_KIND_WORDS,
  type RegistryEntry,
  type RegistryEntryView,
  type RegistryKind,
  registryEntryView,
} from '../domain/registry/registry.ts';
import { Problem } from '../domain/request/problem.ts';
import { parseAccountArgument } from './account-argument.ts';
import { WrongUsage } from './failure.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatTable, print } from './output.ts';
import { addEntryOptions, type EntryOptions, entryOf } from './registry-entry.ts';

const LONGEST_SHOWN = 3000;
const KINDS = REGISTRY_KIND_WORDS.join(', ');

export function addRegistryCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('registry').description('senders, templates and brands of an account');

  const list = operatorCommand(commandOnAccount('list'), 'list the registered entries', [
    'registry list shop',
    'registry list shop --kind alimtalkTemplate --json',
  ]);
  list.addOption(new Option('--kind <kind>', 'entries of this kind only').choices(REGISTRY_KIND_WORDS));
  list.action((id: AccountId, options: PlaceOptions & { readonly kind?: RegistryKind }) =>
    withTools(env, options, async ({ call, where }) => {
      const entriesOf = async (kind: RegistryKind | undefined) =>
        (await call('GET /accounts/{id}/registry', { id, kind })).entries;
      const some = await entriesOf(options.kind);
      // Without a kind all are listed but logos, which are large.
      const views = options.kind ? some : [...some, ...(await entriesOf('logo'))].sort(byKind);
      print(options, views, () =>
        views.length === 0 ? `nothing is registered for ${id} in ${where}` : table(views),
      );
    }),
  );

  const add = operatorCommand(commandOnEntry('add'), 'register an entry, or replace it', [
    'registry add shop sender 0212345678',
    'registry add shop alimtalkTemplate welcome --sender-key 1a2b --text "#{name}, welcome"',
    'registry add shop rcsTemplate TPL01 --template-kind description --brand-key BR.1',
    'registry add shop internationalSenderId MyShop --prefix +1,+44',
    'registry add shop internationalSignature "[MyShop]" --prefix +86',
    'registry add shop inboundNumber "15881234/*"',
    'registry add shop inboundNumber 15881234/EVENT --reply "Thank you"',
  ]);
  addEntryOptions(add).action(
    async (id: AccountId, kind: RegistryKind, key: string, options: PlaceOptions & EntryOptions) => {
      const entry = parseRegistryEntry(await entryOf(kind, key, options));
      if (entry instanceof Problem) throw new WrongUsage(entry.result);
      await store(id, [entry], options);
      const view = registryEntryView(entry);
      print(options, view, () => `${kind} ${view.key} registered for ${id}`);
    },
  );

  const remove = operatorCommand(commandOnEntry('remove'), 'remove an entry', [
    'registry remove shop sender 0212345678',
    'registry remove shop alimtalkTemplate 1a2b/welcome',
  ]);
  remove.action(async (id: AccountId, kind: RegistryKind, key: string, options: PlaceOptions) => {
    await withTools(env, options, ({ call }) =>
      call('DELETE /accounts/{id}/registry/{kind}/{key}', { id, kind, key }),
    );
    print(options, { kind, key }, () => `${kind} ${key} removed from ${id}`);
  });

  const load = operatorCommand(
    commandOnAccount('import'),
    'register all entries of a file, or none of them',
    [
      'registry import shop registry.yaml',
      'registry list shop --json > copy.json && bongsu registry import other copy.json',
    ],
  );
  load.argument('<file>', 'list of entries, YAML or JSON');
  load.action(async (id: AccountId, file: string, options: PlaceOptions) => {
    const { readRegistryFile } = await import('./registry-file.ts');
    const entries = readRegistryFile(file);
    await store(id, entries, options);
    print(options, { imported: entries.length }, () => `${entries.length} entries registered for ${id}`);
  });

  function commandOnAccount(name: string): Command {
    return group.command(name).argument('<id>', 'account id', parseAccountArgument);
  }

  function commandOnEntry(name: string): Command {
    return commandOnAccount(name)
      .argument('<kind>', KINDS, parseKindArgument)
      .argument('<key>', 'number, key, code or text; senderKey/templateCode for a template');
  }

  function store(id: AccountId, entries: readonly RegistryEntry[], options: PlaceOptions): Promise<object> {
    return withTools(env, options, ({ call }) =>
      call('POST /accounts/{id}/registry', { id, entries: entries.map(registryEntryView) }),
    );
  }
}

function byKind(one: RegistryEntryView, other: RegistryEntryView): number {
  return one.kind < other.kind ? -1 : Number(one.kind > other.kind);
}

function parseKindArgument(value: string): RegistryKind {
  const kind = parseRegistryKind(value);
  if (kind instanceof Problem) throw new InvalidArgumentError(`Expected one of ${KINDS}.`);
  return kind;
}

function table(views: readonly RegistryEntryView[]): string {
  const rows = views.map(({ kind, key, ...fields }) => [kind, key, shortened(JSON.stringify(fields))]);
  return formatTable(['kind', 'key', 'fields'], rows);
}

/** A logo is longer than any screen; --json has all of it. */
function shortened(fields: string): string {
  return fields.length <= LONGEST_SHOWN ? fields : `${fields.slice(0, LONGEST_SHOWN)}…`;
}
