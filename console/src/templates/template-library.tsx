/** The list of templates, searched by words, channel and state; import and export. */
import { useState } from 'preact/hooks';
import { type AccountChoice, AccountPicker } from '../components/account-picker.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import {
  exportTemplates,
  listTemplates,
  TEMPLATE_KINDS,
  TEMPLATE_STATES,
  type Template,
} from '../gateway/templates.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link, useRouter, useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';
import { newTemplateAddress, templateAddress } from './address.ts';
import { TemplateBadge } from './template-badge.tsx';
import { channelOf } from './template-entry.ts';
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
  const paged = usePaged<Template>(
    async (cursor, signal) => {
      if (!account) return undefined;
      const { templates, next } = await listTemplates(account, { ...filter, cursor }, signal);
      return { rows: templates, next };
    },
    [account, text, kind, state],
    account,
  );
  const columns: readonly Column<Template>[] = [
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
  const { rows } = paged;
  return (
    <>
      <PageHead title={t.templates.title} intro={t.templates.intro}>
        <AccountPicker choice={choice} />
        {account && (
          <Needs least="operator">
            <button
              type="button"
              class="button button-main"
              onClick={() => go(newTemplateAddress(account, 'alimtalkTemplate'))}
            >
              <Icon name="add" /> {t.templates.add}
            </button>
          </Needs>
        )}
      </PageHead>
      <FilterForm key={text} filter={filter} onText={findText} onKind={pickKind} onState={pickState} />
      {account && <Exchange key={account} account={account} onImported={paged.reload} />}
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {!rows && paged.isLoading && <Loading />}
      {account && rows?.length === 0 && !paged.isLoading && !paged.more && (
        <EmptyState
          title={isFiltered ? t.templates.noneMatch : t.templates.empty}
          hint={isFiltered ? t.templates.noneMatchHint : t.templates.emptyHint}
        />
      )}
      {account && rows && rows.length > 0 && (
        <div class="card card-table">
          <Table
            label={t.templates.title}
            columns={columns}
            rows={rows}
            keyOf={({ kind, key }) => `${kind}/${key}`}
          />
        </div>
      )}
      <MoreButton paged={paged} />
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
  const all = { value: '', label: t.common.all };
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
          options={[all, ...TEMPLATE_KINDS.map(value => ({ value, label: t.channels[channelOf(value)] }))]}
          onChange={props.onKind}
        />
        <SelectField
          label={t.common.state}
          value={filter.state}
          options={[all, ...TEMPLATE_STATES.map(value => ({ value, label: t.templates.states[value] }))]}
          onChange={props.onState}
        />
        <button type="submit" class="button template-find">
          <Icon name="search" /> {t.messages.search}
        </button>
      </div>
    </form>
  );
}

/** Templates from a file and into one. */
function Exchange({ account, onImported }: { account: string; onImported: () => void }) {
  const t = useWords();
  const exporting = useAction();
  return (
    <div class="template-exchange">
      <TemplateImport account={account} onImported={onImported} />
      <button
        type="button"
        class="button button-quiet"
        disabled={exporting.isRunning}
        onClick={() =>
          exporting.run(async () => {
            const templates = await exportTemplates(account);
            offerFile(`templates-${account}.json`, JSON.stringify(templates, null, 2));
          })
        }
      >
        <Icon name="down" /> {t.templates.export}
      </button>
      <RefusalNotice refusal={exporting.refusal} />
    </div>
  );
}

function offerFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
