/** Messages: a search. Its terms are in the address, so that it can be shared and the back button works. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAccountChoice } from '../components/account-picker.tsx';
import { Badge, ChannelTrail, StateBadge } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { type Option, SelectField, TextField } from '../components/field.tsx';
import { Filters } from '../components/filters.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { TimeField } from '../components/time-field.tsx';
import { CancelBar } from '../desk/cancel-bar.tsx';
import { ExportButton } from '../desk/export-button.tsx';
import { ResendBar } from '../desk/resend-bar.tsx';
import { type Selection, useSelection } from '../desk/selection.ts';
import { isCancellable } from '../gateway/cancel.ts';
import {
  ERASED,
  FAILED_STATES,
  findMessages,
  isResendable,
  type MessageRow,
  STATES,
} from '../gateway/messages.ts';
import { CHANNELS } from '../gateway/steps.ts';
import { Link, useRouter } from '../router.tsx';
import { useMay } from '../session.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';

const TERMS = [
  ...(['to', 'key', 'ref', 'groupKey', 'account', 'channel', 'lastChannel', 'carrier'] as const),
  ...(['state', 'code', 'from', 'until'] as const),
];
type TermName = (typeof TERMS)[number];
type Terms = Readonly<Record<TermName, string>>;

export function MessagesPage() {
  const t = useWords();
  const { query, go } = useRouter();
  const asked = query.toString();
  const mayResend = useMay('operator');
  const selection = useSelection(asked);
  const waiting = useSelection(asked);
  const paged = usePaged<MessageRow>(
    async (cursor, signal) => {
      const { messages, next } = await findMessages(
        { ...termsOf(query), ...(cursor !== undefined && { cursor }) },
        signal,
      );
      return { rows: messages, next };
    },
    [asked],
  );
  const columns: readonly Column<MessageRow>[] = [
    ...(mayResend && paged.rows?.some(row => isResendable(row) || isCancellable(row))
      ? [selectColumn(selection, waiting, t)]
      : []),
    { name: t.messages.accepted, cell: row => <Time at={row.acceptedAt} /> },
    {
      name: t.common.to,
      cell: row => (
        <Link to={`/messages/${row.msgKey}`} class="row-link">
          {row.to === ERASED ? t.message.erased : row.to}
        </Link>
      ),
    },
    { name: t.messages.flow, cell: row => <ChannelTrail channels={row.channels} step={row.step} /> },
    {
      name: t.common.state,
      cell: row => (
        <>
          <span class="whole">
            <StateBadge state={row.state} /> {row.code && <code>{row.code}</code>}
          </span>{' '}
          {row.resentAs !== undefined && <Badge tone="plain">{t.desk.resentBadge}</Badge>}
        </>
      ),
    },
    { name: t.common.carrier, cell: row => row.carrier ?? '', isLong: true },
    { name: t.common.account, cell: row => row.account, isLong: true },
    { name: t.messages.ref, cell: row => row.ref ?? '', isLong: true },
  ];
  return (
    <>
      <PageHead title={t.messages.title} intro={t.messages.intro}>
        <button type="button" class="button" onClick={paged.reload}>
          <Icon name="refresh" /> {t.common.refresh}
        </button>
        <ExportButton search={termsOf(query)} />
      </PageHead>
      <SearchForm
        asked={asked}
        terms={termsOf(query)}
        onSearch={terms => {
          const given = Object.entries(terms).filter(([, value]) => value !== '');
          go(given.length > 0 ? `/messages?${new URLSearchParams(given)}` : '/messages');
        }}
      />
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {!paged.rows && paged.isLoading && <Loading />}
      {paged.rows?.length === 0 && asked !== '' && (
        <EmptyState title={t.messages.empty} hint={t.messages.emptyHint}>
          <Link to="/messages" class="button">
            {t.messages.clear}
          </Link>
        </EmptyState>
      )}
      {paged.rows?.length === 0 && asked === '' && (
        <EmptyState title={t.messages.emptyAtAll} hint={t.messages.emptyAtAllHint}>
          <Link to="/compose" class="button button-main">
            {t.live.compose}
          </Link>
        </EmptyState>
      )}
      {paged.rows && paged.rows.length > 0 && (
        <>
          {mayResend && (
            <ResendBar
              selection={selection}
              rows={paged.rows}
              hasMore={paged.more !== undefined}
              search={termsOf(query)}
              asked={asked}
              onSent={paged.reload}
            />
          )}
          {mayResend && (
            <CancelBar
              selection={waiting}
              rows={paged.rows}
              search={termsOf(query)}
              asked={asked}
              onDone={paged.reload}
            />
          )}
          <div class="card card-table">
            <Table label={t.messages.title} columns={columns} rows={paged.rows} keyOf={row => row.msgKey} />
          </div>
        </>
      )}
      <MoreButton paged={paged} label={t.messages.more} />
    </>
  );
}

function SearchForm(props: { asked: string; terms: Terms; onSearch: (terms: Terms) => void }) {
  const { asked, terms, onSearch } = props;
  const t = useWords();
  const [given, setGiven] = useState(terms);
  // Behind the back button are other terms; the form stays, and the focus in it.
  const shown = useRef(asked);
  useEffect(() => {
    if (shown.current !== asked) setGiven(terms);
    shown.current = asked;
  }, [asked]);
  const set = (name: keyof Terms) => (value: string) => setGiven(last => ({ ...last, [name]: value }));
  const all = { value: '', label: t.common.all };
  const { accounts = [] } = useAccountChoice(true);
  return (
    <form
      class="card search"
      onSubmit={event => {
        event.preventDefault();
        onSearch(given);
      }}
    >
      <Filters given={Object.entries(terms).filter(([name, value]) => name !== 'to' && value !== '').length}>
        <TextField label={t.common.to} type="search" value={given.to} onInput={set('to')} />
        <TextField label={t.messages.key} type="search" value={given.key} onInput={set('key')} />
        <TextField label={t.messages.ref} type="search" value={given.ref} onInput={set('ref')} />
        <TextField
          label={t.messages.groupKey}
          type="search"
          value={given.groupKey}
          onInput={set('groupKey')}
        />
        <SelectField
          label={t.common.account}
          value={given.account}
          options={[all, ...accountOptions(accounts, given.account)]}
          onChange={set('account')}
        />
        <SelectField
          label={t.common.channel}
          value={given.channel}
          options={[all, ...CHANNELS.map(value => ({ value, label: t.channels[value] }))]}
          onChange={set('channel')}
        />
        <SelectField
          label={t.desk.lastChannel}
          value={given.lastChannel}
          options={[all, ...CHANNELS.map(value => ({ value, label: t.channels[value] }))]}
          onChange={set('lastChannel')}
        />
        <TextField label={t.common.carrier} type="search" value={given.carrier} onInput={set('carrier')} />
        <SelectField
          label={t.common.state}
          value={given.state}
          options={[
            all,
            ...STATES.map(value => ({ value, label: t.states[value] })),
            { value: FAILED_STATES, label: t.desk.failedStates },
          ]}
          onChange={set('state')}
        />
        <TextField label={t.common.code} type="search" value={given.code} onInput={set('code')} />
        <TimeField label={t.messages.from} value={given.from} onInput={set('from')} />
        <TimeField label={t.messages.until} value={given.until} onInput={set('until')} />
      </Filters>
      <div class="search-actions">
        <button type="submit" class="button button-main">
          <Icon name="search" /> {t.messages.search}
        </button>
        <Link to="/messages" class="button button-quiet">
          {t.messages.clear}
        </Link>
      </div>
    </form>
  );
}

/** The accounts, and the one of the address even if it does not exist any more. */
function accountOptions(accounts: readonly { readonly id: string }[], given: string): readonly Option[] {
  const ids = accounts.map(({ id }) => id);
  const all = given === '' || ids.includes(given) ? ids : [...ids, given];
  return all.map(id => ({ value: id, label: id }));
}

/** A box for each message that failed or waits. */
function selectColumn(failed: Selection, waiting: Selection, t: Words): Column<MessageRow> {
  return {
    name: t.desk.select,
    cell: row => {
      const selection = isCancellable(row) ? waiting : failed;
      return isResendable(row) || isCancellable(row) ? (
        <label class="select-row">
          <input
            type="checkbox"
            checked={selection.rows.has(row.msgKey)}
            onChange={() => selection.toggle(row)}
            aria-label={t.desk.selectOne(row.to, row.acceptedAt)}
          />
        </label>
      ) : (
        ''
      );
    },
  };
}

function termsOf(query: URLSearchParams): Terms {
  return Object.fromEntries(TERMS.map(name => [name, query.get(name) ?? ''])) as Record<TermName, string>;
}
