/** Messages: a search. Its terms are in the address, so that it can be shared and the back button works. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { useList } from '../answers/use-list.ts';
import { idsOf } from '../components/account-picker.tsx';
import { Badge, ChannelTrail, StateBadge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Filters } from '../components/filters.tsx';
import { LoadedTable } from '../components/list.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { TimeField } from '../components/time-field.tsx';
import { CancelBar } from '../desk/cancel-bar.tsx';
import { ExportButton } from '../desk/export-button.tsx';
import { ResendBar } from '../desk/resend-bar.tsx';
import { type Selection, useSelection } from '../desk/selection.ts';
import { SettleBar } from '../desk/settle-bar.tsx';
import { listAccounts } from '../gateway/accounts.ts';
import { isCancellable, isSettleable } from '../gateway/message-order.ts';
import { ERASED, FAILED_STATES, findMessages, isResendable, type MessageRow } from '../gateway/messages.ts';
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
  const unknown = useSelection(asked);
  const selectionOf = (row: MessageRow) => {
    if (isCancellable(row)) return waiting;
    if (isSettleable(row, termsOf(query))) return unknown;
    return isResendable(row) ? selection : undefined;
  };
  const found = useList(findMessages(termsOf(query)));
  const columns: readonly Column<MessageRow>[] = [
    ...(mayResend && found.rows?.some(selectionOf) ? [selectColumn(selectionOf, t)] : []),
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
        <RefreshButton />
        <ExportButton search={termsOf(query)} />
      </PageHead>
      <SearchForm
        asked={asked}
        terms={termsOf(query)}
        onSearch={wanted => {
          const given = Object.entries(wanted).filter(([, value]) => value !== '');
          const terms = new URLSearchParams(given).toString();
          // The same search once more asks what it finds by now.
          if (terms === asked) found.reload();
          else go(terms ? `/messages?${terms}` : '/messages');
        }}
      />
      {mayResend && found.rows && found.rows.length > 0 && (
        <>
          <ResendBar
            selection={selection}
            rows={found.rows}
            hasMore={found.more !== undefined}
            search={termsOf(query)}
            asked={asked}
          />
          <CancelBar selection={waiting} rows={found.rows} search={termsOf(query)} asked={asked} />
          <SettleBar selection={unknown} rows={found.rows} search={termsOf(query)} asked={asked} />
        </>
      )}
      <LoadedTable
        of={found}
        label={t.messages.title}
        columns={columns}
        keyOf={row => row.msgKey}
        more={t.messages.more}
        empty={
          asked === '' ? (
            <EmptyState title={t.messages.emptyAtAll} hint={t.messages.emptyAtAllHint}>
              <Link to="/compose" class="button button-main">
                {t.live.compose}
              </Link>
            </EmptyState>
          ) : (
            <EmptyState title={t.messages.empty} hint={t.messages.emptyHint}>
              <Link to="/messages" class="button">
                {t.messages.clear}
              </Link>
            </EmptyState>
          )
        }
      />
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
  const { all } = t.common;
  const accounts = useAnswer(listAccounts());
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
          options={optionsOf(idsOf(accounts.answer), { all, given: given.account })}
          onChange={set('account')}
        />
        <SelectField
          label={t.common.channel}
          value={given.channel}
          options={optionsOf(t.channels, { all })}
          onChange={set('channel')}
        />
        <SelectField
          label={t.desk.lastChannel}
          value={given.lastChannel}
          options={optionsOf(t.channels, { all })}
          onChange={set('lastChannel')}
        />
        <TextField label={t.common.carrier} type="search" value={given.carrier} onInput={set('carrier')} />
        <SelectField
          label={t.common.state}
          value={given.state}
          options={optionsOf({ ...t.states, [FAILED_STATES]: t.desk.failedStates }, { all })}
          onChange={set('state')}
        />
        <TextField label={t.common.code} type="search" value={given.code} onInput={set('code')} />
        <TimeField label={t.messages.from} value={given.from} onInput={set('from')} />
        <TimeField label={t.messages.until} value={given.until} onInput={set('until')} />
      </Filters>
      <div class="search-actions">
        <Button kind="main" icon="search" isSubmit>
          {t.messages.search}
        </Button>
        <Link to="/messages" class="button button-quiet">
          {t.messages.clear}
        </Link>
      </div>
    </form>
  );
}

/** A box for each message with which something can be done. */
function selectColumn(selectionOf: (row: MessageRow) => Selection | undefined, t: Words): Column<MessageRow> {
  return {
    name: t.desk.select,
    cell: row => {
      const selection = selectionOf(row);
      return selection ? (
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
