/** Message forms: flows kept under an id, for combined sends. */
import type { Account } from '../domain/account/account.ts';
import { BASE32, type FormId, parseFormId, timePrefix } from '../domain/ids.ts';
import { compileFlow, FORM } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormPage, FormQuery, Store, StoredForm } from '../store/store.ts';
import type { SendGuards } from './guards.ts';

/** A send names a form in `messageForm`, the paths of forms in `formId`. */
type FormField = 'formId' | 'messageForm';

export interface Forms {
  /** Saves a new form; resolves to its id. */
  create(account: Account, messageForm: unknown): Promise<FormId | Problem>;
  replace(account: Account, formId: string, messageForm: unknown): Promise<Problem | undefined>;
  remove(account: Account, formId: string): Promise<Problem | undefined>;
  /** The entries as they were saved. `field` is what the request calls the form. */
  entries(account: Account, formId: string, field?: FormField): Promise<unknown>;
  /** For the operator: newest first, of one account or of all. */
  list(query: Pick<FormQuery, 'limit' | 'account' | 'before'>): Promise<FormPage>;
}

/** Many times the largest flow that people write. */
const FORM_BYTES = 64 * 1024;
/** A page of the list holds about so much, however large its forms are. */
const LISTED_BYTES = 1024 * 1024;
const RANDOM_PART = 22;

export function createForms(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly guards: Pick<SendGuards, 'flowProblem'>;
}): Forms {
  const { store, clock, random, guards } = deps;

  return {
    async create(account, messageForm) {
      const entries = await entriesOf(account, messageForm);
      if (entries instanceof Problem) return entries;
      const formId = (timePrefix(clock.now()) + random.characters(RANDOM_PART, BASE32)) as FormId;
      const savedAt = clock.now();
      const { formLimit } = account.settings;
      const isSaved = await store.forms.create({ formId, account: account.id, entries, savedAt }, formLimit);
      return isSaved
        ? formId
        : new Problem('A300', `The account has reached its limit of ${formLimit} forms: delete one`);
    },
    async replace(account, formId, messageForm) {
      const found = await find(account, formId);
      if (!found) return unknownForm('formId');
      const entries = await entriesOf(account, messageForm);
      if (entries instanceof Problem) return entries;
      await store.forms.put({ ...found, entries, savedAt: clock.now() });
      return undefined;
    },
    async remove(account, formId) {
      const id = parseFormId(formId);
      const isRemoved = id !== undefined && (await store.forms.remove(account.id, id));
      return isRemoved ? undefined : unknownForm('formId');
    },
    async entries(account, formId, field = 'messageForm') {
      const found = await find(account, formId);
      return found ? JSON.parse(found.entries) : unknownForm(field);
    },
    ...createFormList({ store }),
  };

  /** A text that cannot be one of our ids is not looked up: the store may not even take its characters. */
  async function find(account: Account, formId: string): Promise<StoredForm | undefined> {
    const id = parseFormId(formId);
    return id && store.forms.find(account.id, id);
  }

  /**
   * What is saved. A form is checked as a flow when it is saved; with its words put in, it is checked again by each send.
   */
  async function entriesOf(account: Account, messageForm: unknown): Promise<string | Problem> {
    const entries = JSON.stringify(messageForm) ?? '';
    if (Buffer.byteLength(entries) > FORM_BYTES) {
      return new Problem('A300', `"messageForm" is larger than ${FORM_BYTES} bytes`);
    }
    const compiled = compileFlow(messageForm, FORM);
    if (compiled instanceof Problem) return compiled;
    return (await guards.flowProblem(account, compiled)) ?? entries;
  }
}

export function createFormList({ store }: { readonly store: Store }): Pick<Forms, 'list'> {
  return {
    list: query => store.forms.list({ ...query, maxBytes: LISTED_BYTES }),
  };
}

function unknownForm(field: FormField): Problem {
  return new Problem('A250', `"${field}" is not a form of this account`);
}
