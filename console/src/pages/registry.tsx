/** Registry: senders, brands and templates of an account. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { RegistryEntryView as RegistryEntry } from '../../../src/domain/registry/registry.ts';
import { TEMPLATE_KINDS } from '../../../src/domain/registry/template.ts';
import type { Question } from '../answers/question.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { AccountPicker, OfAccount, useAccountInAddress } from '../components/account-picker.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { LogoField } from '../components/logo-field.tsx';
import { Needs } from '../components/needs.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { EDITED_KINDS, fieldsOfKind, LIST_FIELDS } from '../registry-kinds.ts';
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
  const asked = useAnswer(account ? listRegistry(account) : undefined);
  const entries = asked.answer?.filter(({ kind }) => !isTemplateKind(kind));
  const columns: readonly Column<RegistryEntry>[] = [
    { name: t.registry.kind, cell: entry => lookUp(t.registry.kinds, entry.kind) },
    { name: t.registry.key, cell: entry => <code>{entry.key}</code> },
    {
      name: t.registry.details,
      cell: entry =>
        entry.kind === 'logo' ? (
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
            {fieldsOfKind(entry.kind).others.length > 0 && (
              <Button
                kind="quiet"
                isSmall
                label={`${t.registry.edit}: ${lookUp(t.registry.kinds, entry.kind)} ${entry.key}`}
                onPress={() => setEdited(entry)}
              >
                {t.registry.edit}
              </Button>
            )}
            <ConfirmButton
              label={t.common.remove}
              question={t.common.confirmRemove}
              onConfirm={() =>
                removing.run(async () => {
                  const { kind, key } = entry;
                  if (account)
                    await operate('DELETE /accounts/{id}/registry/{kind}/{key}', { id: account, kind, key });
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
      <OfAccount choice={choice}>
        {owner => (
          <>
            <EntryForm
              key={`${owner} ${edited?.kind} ${edited?.key}`}
              account={owner}
              edited={edited}
              onDone={() => setEdited(undefined)}
            />
            <RefusalNotice refusal={removing.refusal} />
            <p class="field-hint template-elsewhere">
              {t.registry.templatesElsewhere}{' '}
              <Link to={listAddress({ account: owner })}>{t.templates.title}</Link>
            </p>
            <Loaded
              of={{ ...asked, answer: entries }}
              empty={<EmptyState title={t.registry.empty} hint={t.registry.emptyHint} />}
            >
              {rows => (
                <div class="card card-table">
                  <Table
                    label={t.registry.title}
                    columns={columns}
                    rows={rows}
                    keyOf={({ kind, key }) => `${kind}/${key}`}
                  />
                </div>
              )}
            </Loaded>
          </>
        )}
      </OfAccount>
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
  const [kind, setKind] = useState<string>(edited?.kind ?? 'sender');
  const [values, setValues] = useState(() => valuesOf(edited));
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (edited) form.current?.querySelector('input')?.focus();
  }, [edited]);
  const row = fieldsOfKind(kind);
  const names: readonly string[] = [...row.key, ...row.others];
  return (
    <Form
      class="card"
      least="operator"
      submit={edited ? t.common.save : t.registry.add}
      others={
        edited && (
          <Button kind="quiet" onPress={props.onDone}>
            {t.common.cancel}
          </Button>
        )
      }
      onSubmit={async () => {
        const key = row.key.map(name => values[name] ?? '').join('/');
        const fields = fieldsOf(names, values);
        await operate('PUT /accounts/{id}/registry/{kind}/{key}', { id: account, kind, key, fields });
        setValues({});
        props.onDone();
      }}
    >
      <div class="fields" ref={form}>
        {edited && (
          <p class="field-wide">
            {lookUp(t.registry.kinds, edited.kind)} <code>{edited.key}</code>
          </p>
        )}
        {!edited && (
          <SelectField
            label={t.registry.kind}
            value={kind}
            options={optionsOf(t.registry.kinds).filter(({ value }) =>
              EDITED_KINDS.some(kind => kind === value),
            )}
            onChange={value => {
              setValues({});
              setKind(value);
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
    </Form>
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

/** All entries. Logos are long, and only told if they are asked for. */
function listRegistry(id: string): Question<readonly RegistryEntry[]> {
  const most = ask('GET /accounts/{id}/registry', { id });
  const logos = ask('GET /accounts/{id}/registry', { id, kind: 'logo' });
  return {
    ...most,
    calls: () => 1,
    ask: async signal =>
      (await Promise.all([most, logos].map(each => each.ask(signal, undefined)))).flatMap(
        ({ entries }) => entries,
      ),
  };
}

/** They have a page of their own. */
function isTemplateKind(kind: string): boolean {
  return TEMPLATE_KINDS.some(known => known === kind);
}

function fieldsOf(names: readonly string[], values: Readonly<Record<string, string>>) {
  const given = names.flatMap(name => {
    const value = values[name]?.trim();
    if (!value) return [];
    const isList = LIST_FIELDS.includes(name);
    return [[name, isList ? value.split(',').map(part => part.trim()) : value] as const];
  });
  return Object.fromEntries(given);
}

function detailsOf({ kind, key, ...fields }: RegistryEntry, t: Words): string {
  const own = fieldsOfKind(kind).key;
  return Object.entries(fields)
    .filter(([name]) => !own.includes(name))
    .map(
      ([name, value]) =>
        `${lookUp(t.registry.fields, name)}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    )
    .join(' · ');
}
