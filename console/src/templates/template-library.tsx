/** The list of templates, searched by words, channel and state; import and export. */

import { useState } from 'preact/hooks';
import type { TemplateView } from '../../../src/operations/templates.ts';
import { useList } from '../answers/use-list.ts';
import { type AccountChoice, AccountPicker, OfAccount } from '../components/account-picker.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { LoadedTable } from '../components/list.tsx';
import { Needs } from '../components/needs.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { askList } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link, useRouter, useTerm } from '../router.tsx';
import { saveFile } from '../save-file.ts';
import { useWords } from '../words/words.tsx';
import { newTemplateAddress, templateAddress } from './address.ts';
import { TemplateBadge } from './template-badge.tsx';
import { channelOf, kindNames } from './template-entry.ts';
import { TemplateImport } from './template-import.tsx';

type Filter = Readonly<Record<'text' | 'kind' | 'state', string>>;

export function TemplateLibrary({ choice }: { choice: AccountChoice }) {
  const t = useWords();
  const { go } = useRouter();
  const { account } = choice;
  const [text, findText] = useTerm('text');
  const [kind, pickKind] = useTerm('kind');
  const [state, pickState] = useTerm('state');
  const filter = { text, kind, state };
  const isFiltered = Object.values(filter).some(Boolean);
  const templates = useList(
    account ? askList('GET /accounts/{id}/templates', 'templates', { id: account, ...filter }) : undefined,
  );
  const columns: readonly Column<TemplateView>[] = [
    {
      name: t.templates.template,
      cell: ({ kind, key, name }) => (
        <Link to={templateAddress(account ?? '', kind, key)} class="template-name">
          {name ?? key}
          {name !== undefined && <code>{key}</code>}
        </Link>
      ),
    },
    {
      name: t.common.channel,
      cell: ({ kind }) => <span class="template-channel">{t.channels[channelOf(kind)]}</span>,
    },
    {
      name: t.common.state,
      cell: ({ state, reason }) => (
        <>
          <TemplateBadge state={state} />
          {state === 'rejected' && reason && <p class="template-reason">{reason}</p>}
        </>
      ),
    },
    { name: t.templates.text, cell: ({ text }) => <p class="template-text">{text ?? ''}</p> },
    { name: t.templates.changed, cell: ({ changedAt }) => (changedAt ? <Time at={changedAt} /> : '') },
  ];
  return (
    <>
      <PageHead title={t.templates.title} intro={t.templates.intro}>
        <AccountPicker choice={choice} />
        {account && (
          <Needs least="operator">
            <Button
              kind="main"
              icon="add"
              onPress={() => go(newTemplateAddress(account, 'alimtalkTemplate'))}
            >
              {t.templates.add}
            </Button>
          </Needs>
        )}
      </PageHead>
      <FilterForm key={text} filter={filter} onText={findText} onKind={pickKind} onState={pickState} />
      <OfAccount choice={choice}>
        {owner => (
          <>
            <Exchange key={owner} account={owner} />
            <LoadedTable
              of={templates}
              label={t.templates.title}
              columns={columns}
              keyOf={({ kind, key }) => `${kind}/${key}`}
              empty={
                templates.isLoading ? null : (
                  <EmptyState
                    title={isFiltered ? t.templates.noneMatch : t.templates.empty}
                    hint={isFiltered ? t.templates.noneMatchHint : t.templates.emptyHint}
                  />
                )
              }
            />
          </>
        )}
      </OfAccount>
    </>
  );
}

function FilterForm(props: {
  filter: Filter;
  onText: (text: string) => void;
  onKind: (kind: string) => void;
  onState: (state: string) => void;
}) {
  const { filter } = props;
  const t = useWords();
  const [text, setText] = useState(filter.text);
  const { all } = t.common;
  return (
    <form
      class="card search template-search"
      onSubmit={event => {
        event.preventDefault();
        props.onText(text.trim());
      }}
    >
      <div class="filters">
        <TextField label={t.templates.find} type="search" value={text} onInput={setText} />
        <SelectField
          label={t.common.channel}
          value={filter.kind}
          options={optionsOf(kindNames(t), { all })}
          onChange={props.onKind}
        />
        <SelectField
          label={t.common.state}
          value={filter.state}
          options={optionsOf(t.templates.states, { all })}
          onChange={props.onState}
        />
        <Button class="template-find" icon="search" isSubmit>
          {t.messages.search}
        </Button>
      </div>
    </form>
  );
}

/** Templates from a file and into one. */
function Exchange({ account }: { account: string }) {
  const t = useWords();
  const exporting = useAction({ isRead: true });
  return (
    <div class="template-exchange">
      <TemplateImport account={account} />
      <Button
        kind="quiet"
        icon="down"
        isDisabled={exporting.isRunning}
        onPress={() =>
          exporting.run(async () => {
            const templates = await everyTemplate(account);
            saveFile(`templates-${account}.json`, JSON.stringify(templates, null, 2), 'application/json');
          })
        }
      >
        {t.templates.export}
      </Button>
      <RefusalNotice refusal={exporting.refusal} />
    </div>
  );
}

/** All of them, page by page, as an import takes them. */
async function everyTemplate(id: string): Promise<object[]> {
  const all: object[] = [];
  const asked = askList('GET /accounts/{id}/templates', 'templates', { id, limit: '200' });
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { rows, next } = await asked.page(undefined, cursor);
    for (const { variables, revision, changedAt, ...entry } of rows) all.push(entry);
    cursor = next;
  }
  return all;
}
