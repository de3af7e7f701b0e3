/** Registry: senders, brands and templates of an account. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { LogoField } from '../components/logo-field.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import {
  LIST_FIELDS,
  listRegistry,
  putEntry,
  REGISTRY_KIND_WORDS,
  REGISTRY_KINDS,
  type RegistryEntry,
  type RegistryKind,
  removeEntry,
} from '../gateway/registry.ts';
import { TEMPLATE_KINDS } from '../gateway/templates.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { Link } from '../router.tsx';
import { listAddress } from '../templates/address.ts';
import type { Words } from '../words/en.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function RegistryPage() {
  const t = useWords();
  const choice = useAccountInAddress();
  const { account } = choice;
  const removing = useAction();
  const [edited, setEdited] = useState<RegistryEntry | undefined>();
  const { answer, refusal, reload } = useAnswer(
    async signal => (account ? listRegistry(account, signal) : undefined),
    [account],
    account,
  );
  const entries = answer?.entries.filter(({ kind }) => !isTemplateKind(kind));
  const columns: readonly Column<RegistryEntry>[] = [
    { name: t.registry.kind, cell: entry => t.registry.kinds[entry.kind] },
    { name: t.registry.key, cell: entry => <code>{entry.key}</code> },
    {
      name: t.registry.details,
      cell: entry =>
        typeof entry.image === 'string' ? (
          <img class="logo" src={entry.image} alt={t.composing.logo} />
        ) : (
          detailsOf(entry, t)
        ),
      isLong: true,
    },
    {
      name: t.common.actions,
      cell: entry => (
        <div class="card-actions">
          <Needs least="operator">
            {REGISTRY_KINDS[entry.kind].others.length > 0 && (
              <button
                type="button"
                class="button button-quiet button-small"
                aria-label={`${t.registry.edit}: ${t.registry.kinds[entry.kind]} ${entry.key}`}
                onClick={() => setEdited(entry)}
              >
                {t.registry.edit}
              </button>
            )}
            <ConfirmButton
              label={t.common.remove}
              question={t.common.confirmRemove}
              onConfirm={() =>
                removing.run(async () => {
                  if (account) await removeEntry(account, entry.kind, entry.key);
                  reload();
                })
              }
            />
          </Needs>
        </div>
      ),
    },
  ];
  return (
    <>
      <PageHead title={t.registry.title} intro={t.registry.intro}>
        <AccountPicker choice={choice} />
      </PageHead>
      {account && (
        <EntryForm
          key={`${account} ${edited?.kind} ${edited?.key}`}
          account={account}
          edited={edited}
          onDone={() => {
            setEdited(undefined);
            reload();
          }}
        />
      )}
      <RefusalNotice refusal={removing.refusal} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && account && <Loading />}
      {account && (
        <p class="field-hint template-elsewhere">
          {t.registry.templatesElsewhere} <Link to={listAddress({ account })}>{t.templates.title}</Link>
        </p>
      )}
      {entries?.length === 0 && <EmptyState title={t.registry.empty} hint={t.registry.emptyHint} />}
      {entries && entries.length > 0 && (
        <div class="card card-table">
          <Table
            label={t.registry.title}
            columns={columns}
            rows={entries}
            keyOf={({ kind, key }) => `${kind}/${key}`}
          />
        </div>
      )}
    </>
  );
}

function EntryForm(props: {
  account: string;
  /** The entry whose other fields are changed; its key stays. */
  edited: RegistryEntry | undefined;
  onDone: () => void;
}) {
  const { account, edited } = props;
  const t = useWords();
  const [kind, setKind] = useState<RegistryKind>(edited?.kind ?? 'sender');
  const [values, setValues] = useState(() => valuesOf(edited));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (edited) form.current?.querySelector('input')?.focus();
  }, [edited]);
  const saving = useAction();
  const row = REGISTRY_KINDS[kind];
  const names: readonly string[] = [...row.key, ...row.others];
  const submit = (event: Event) => {
    event.preventDefault();
    saving.run(async () => {
      const key = row.key.map(name => values[name] ?? '').join('/');
      await putEntry(account, kind, key, fieldsOf(names, values));
      setValues({});
      props.onDone();
    });
  };
  return (
    <form class="card" ref={form} onSubmit={submit}>
      <Needs least="operator">
        <div class="fields">
          {edited && (
            <p class="field-wide">
              {t.registry.kinds[edited.kind]} <code>{edited.key}</code>
            </p>
          )}
          {!edited && (
            <SelectField
              label={t.registry.kind}
              value={kind}
              options={REGISTRY_KIND_WORDS.filter(word => !isTemplateKind(word)).map(value => ({
                value,
                label: t.registry.kinds[value],
              }))}
              onChange={value => {
                setValues({});
                setKind(REGISTRY_KIND_WORDS.find(word => word === value) ?? 'sender');
              }}
            />
          )}
          {(edited ? row.others : names).map(name => {
            const Field = name === 'image' ? LogoField : TextField;
            return (
              <Field
                key={name}
                label={lookUp(t.registry.fields, name)}
                {...(LIST_FIELDS.includes(name) && { hint: t.registry.listHint })}
                value={values[name] ?? ''}
                onInput={value => setValues(last => ({ ...last, [name]: value }))}
              />
            );
          })}
        </div>
        <div class="form-end">
          <button type="submit" class="button button-main" disabled={saving.isRunning}>
            {edited ? t.common.save : t.registry.add}
          </button>
          {edited && (
            <button type="button" class="button button-quiet" onClick={props.onDone}>
              {t.common.cancel}
            </button>
          )}
        </div>
      </Needs>
      <RefusalNotice refusal={saving.refusal} />
    </form>
  );
}

function valuesOf(entry: RegistryEntry | undefined): Readonly<Record<string, string>> {
  const { kind, key, ...fields } = entry ?? {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}

/** They have a page of their own. */
function isTemplateKind(kind: RegistryKind): boolean {
  return TEMPLATE_KINDS.some(known => known === kind);
}

function fieldsOf(names: readonly string[], values: Readonly<Record<string, string>>): object {
  const given = names.flatMap(name => {
    const value = values[name]?.trim();
    if (!value) return [];
    const isList = LIST_FIELDS.includes(name);
    return [[name, isList ? value.split(',').map(part => part.trim()) : value] as const];
  });
  return Object.fromEntries(given);
}

function detailsOf({ kind, key, ...fields }: RegistryEntry, t: Words): string {
  const own: readonly string[] = REGISTRY_KINDS[kind].key;
  return Object.entries(fields)
    .filter(([name]) => !own.includes(name))
    .map(
      ([name, value]) =>
        `${lookUp(t.registry.fields, name)}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    )
    .join(' · ');
}
