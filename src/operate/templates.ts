/**
 * The library of templates of an account: drafts, what is under review, what was approved or rejected and why, with the
 * history of each. Templates are entries of the registry, so that a send is checked against what is approved here.
 */
import { isDeepStrictEqual } from 'node:util';
import { knownAccount } from '../accept/known-account.ts';
import type { Account } from '../domain/account/account.ts';
import {
  parseRegistryEntry,
  type RegistryEntry,
  registryEntryView,
  registryKey,
} from '../domain/registry/registry.ts';
import { parseRegistryEntries, registryName } from '../domain/registry/registry-list.ts';
import {
  isTemplate,
  mentions,
  parseTemplateKind,
  type TemplateEntry,
  type TemplateKind,
  variablesOf,
} from '../domain/registry/template.ts';
import {
  EDITABLE_STATES,
  NEXT_STATES,
  stateOf,
  stateProblem,
  type TemplateState,
} from '../domain/registry/template-state.ts';
import { isNotGiven } from '../domain/request/fields.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OperationsOf } from '../operations/operation.ts';
import {
  type templates as declared,
  revision as revisionField,
  type TemplateView,
} from '../operations/templates.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store, StoredTemplate, TemplatePlace } from '../store/store.ts';
import type { Handlers } from './perform.ts';

export type Templates = ReturnType<typeof createTemplates>;

/** So many are read at once, and looked through for one page. The next page goes on from there. */
const PART = 200;
const MOST_READ = 2000;
const MOST_PROBLEMS = 50;

export function createTemplates(deps: {
  readonly store: Pick<Store, 'accounts' | 'registry' | 'templates'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
}) {
  const { store, clock, formatTime } = deps;

  const viewOf = ({ entry, revision, changedAt }: StoredTemplate): TemplateView => ({
    ...(registryEntryView(entry) as TemplateEntry & { readonly key: string }),
    state: stateOf(entry),
    variables: variablesOf(entry),
    revision,
    changedAt: changedAt === undefined ? null : formatTime(changedAt),
  });

  return {
    async 'GET /accounts/{id}/templates'({ id, kind, state, text, cursor, limit = 50 }) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const found: StoredTemplate[] = [];
      let after: TemplatePlace | undefined = cursor;
      // Texts may be sealed, so it is not the store that looks into them.
      for (let read = 0; read < MOST_READ && found.length < limit; read += PART) {
        const part = await store.templates.page(account.id, { after, limit: PART });
        let looked = 0;
        for (const template of part) {
          looked += 1;
          after = placeOf(template.entry);
          if (isWanted(template.entry, { kind, state, text })) found.push(template);
          if (found.length === limit) break;
        }
        if (looked === part.length && part.length < PART) {
          return { templates: found.map(viewOf), next: null };
        }
      }
      return { templates: found.map(viewOf), next: placeText(after) };
    },

    async 'GET /accounts/{id}/templates/{kind}/{key}'({ id, kind: given, key }) {
      const kind = parseTemplateKind(given);
      if (kind instanceof Problem) return kind;
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const place = { kind, key };
      const [template, history] = await Promise.all([
        store.templates.find(account.id, place),
        store.templates.history(account.id, place),
      ]);
      if (!template) return noTemplate(place, id);
      return {
        template: viewOf(template),
        next: NEXT_STATES[stateOf(template.entry)],
        isEditable: EDITABLE_STATES.includes(stateOf(template.entry)),
        history: history.map(({ at, by, revision, entry }) => ({
          at: formatTime(at),
          by,
          revision,
          state: stateOf(entry),
          reason: entry.reason ?? null,
          text: entry.text ?? '',
        })),
      };
    },

    async 'PUT /accounts/{id}/templates/{kind}/{key}'({ id, kind, key, fields }, { by }) {
      const read = templateIn(kind, key, fields);
      if (read instanceof Problem) return read;
      const { entry, revision } = read;
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const place = placeOf(entry);
      const stored = await store.templates.find(account.id, place);
      if (stored?.revision !== revision) return changedMeanwhile(stored);
      const state = stored && stateOf(stored.entry);
      if (state && !EDITABLE_STATES.includes(state)) {
        return new Problem(
          'A300',
          `A template in the state ${state} cannot be edited; make it a draft first, or copy it`,
        );
      }
      const { reason, ...content } = entry;
      return write(account, { ...content, state: 'draft' }, revision, by);
    },

    async 'POST /accounts/{id}/templates/{kind}/{key}/state'({ id, key, ...decision }, { by }) {
      const { state, revision } = decision;
      const reason = decision.reason?.trim() || undefined;
      const kind = parseTemplateKind(decision.kind);
      if (kind instanceof Problem) return kind;
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const place = { kind, key };
      const stored = await store.templates.find(account.id, place);
      if (!stored) return noTemplate(place, id);
      if (stored.revision !== revision) return changedMeanwhile(stored);
      const problem = stateProblem(stateOf(stored.entry), state, reason);
      if (problem) return problem;
      const { reason: _earlier, ...content } = stored.entry;
      return write(account, { ...content, state, ...(reason !== undefined && { reason }) }, revision, by);
    },

    async 'POST /accounts/{id}/templates/import'({ id, templates: list, trial: isTrial = false }, { by }) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const { entries, problems } = parsedTemplates(list);
      if (problems.length > 0 && !isTrial) {
        const [first] = problems;
        return new Problem('A300', `Nothing was stored. Entry ${first?.entry}: ${first?.problem.result}`);
      }
      const wanted = entries.map(entry => ({ kind: entry.kind, key: registryKey(entry) }));
      const known = new Map<string, RegistryEntry>();
      for (const entry of await store.registry.find(account.id, wanted))
        known.set(registryName(entry), entry);
      const changed = entries.filter(entry => !isSame(entry, known.get(registryName(entry))));
      const created = changed.filter(entry => !known.has(registryName(entry)));
      if (!isTrial && changed.length > 0) {
        await store.registry.put(account.id, changed, { at: clock.now(), by });
      }
      return {
        created: created.length,
        replaced: changed.length - created.length,
        unchanged: entries.length - changed.length,
        problems: problems
          .slice(0, MOST_PROBLEMS)
          .map(({ entry, problem }) => ({ entry, result: problem.result })),
      };
    },
  } satisfies Handlers<OperationsOf<typeof declared>>;

  async function write(
    { id }: Account,
    entry: TemplateEntry,
    revision: number | undefined,
    by: string,
  ): Promise<TemplateView | Problem> {
    const at = clock.now();
    const isWritten = await store.templates.replace(id, entry, revision, { at, by });
    if (!isWritten) return changedMeanwhile(await store.templates.find(id, placeOf(entry)));
    return viewOf({ entry, revision: (revision ?? 0) + 1, changedAt: at });
  }
}

function templateIn(
  kind: string,
  key: string,
  { revision: given, ...fields }: Readonly<Record<string, unknown>>,
) {
  const parsed = parseTemplateKind(kind);
  if (parsed instanceof Problem) return parsed;
  const revision = isNotGiven(given) ? undefined : revisionField.read(given, 'revision', 'final');
  if (revision instanceof Problem) return revision;
  const entry = parseRegistryEntry({ ...fields, kind, key });
  if (entry instanceof Problem) return entry;
  return isTemplate(entry) ? { entry, revision } : new Problem('A300');
}

function parsedTemplates(list: readonly unknown[]) {
  return parseRegistryEntries(list, entry =>
    isTemplate(entry) ? entry : new Problem('A300', `${entry.kind} is not a template`),
  );
}

/** `text`: a part of the code, the name or the text, in any letter case. */
function isWanted(
  entry: TemplateEntry,
  {
    kind,
    state,
    text,
  }: { kind: TemplateKind | undefined; state: TemplateState | undefined; text: string | undefined },
): boolean {
  if (kind !== undefined && entry.kind !== kind) return false;
  if (state !== undefined && stateOf(entry) !== state) return false;
  return text === undefined || mentions(entry, text.toLowerCase());
}

/** Whatever the order of its members; and an entry without a state is approved. */
function isSame(entry: TemplateEntry, stored: RegistryEntry | undefined): boolean {
  if (!stored || !isTemplate(stored)) return false;
  return isDeepStrictEqual({ ...entry, state: stateOf(entry) }, { ...stored, state: stateOf(stored) });
}

function placeOf(entry: TemplateEntry): TemplatePlace {
  return { kind: entry.kind, key: registryKey(entry) };
}

function placeText(place: TemplatePlace | undefined): string {
  return place ? `${place.kind}:${place.key}` : '';
}

function noTemplate({ kind, key }: TemplatePlace, account: string): Problem {
  return new Problem('A300', `There is no ${kind} "${key}" of the account "${account}"`, { status: 404 });
}

function changedMeanwhile(stored: StoredTemplate | undefined): Problem {
  return new Problem(
    'A300',
    stored
      ? 'Somebody else has changed the template; read it again'
      : 'The template has been deleted; save it as a new one',
  );
}
