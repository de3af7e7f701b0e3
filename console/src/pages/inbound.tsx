/** Inbound: what people send to numbers of accounts, newest first, and what matches no account. */
import { useState } from 'preact/hooks';
import { Badge, type Tone } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { listAccounts } from '../gateway/accounts.ts';
import {
  assignInbound,
  type Handover,
  type InboundRow,
  listInbound,
  NO_ACCOUNT,
  revealInbound,
} from '../gateway/inbound.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { Handset } from '../inbound/handset.tsx';
import { Reveal } from '../message/reveal.tsx';
import { Link, useTerm } from '../router.tsx';
import { lookUp, useWords } from '../words/words.tsx';

const TONES: Readonly<Record<Handover, Tone>> = {
  unmatched: 'doubt',
  waiting: 'busy',
  fetched: 'good',
  pushed: 'good',
  expired: 'bad',
};

export function InboundPage() {
  const t = useWords();
  const [account, setAccount] = useTerm('account');
  const { answer } = useAnswer(signal => listAccounts(signal), []);
  const accounts = (answer?.accounts ?? []).map(({ id }) => ({ value: id, label: id }));
  const paged = usePaged<InboundRow>(
    async (cursor, signal) => {
      const { messages, next } = await listInbound(account, cursor, signal);
      return { rows: messages, next };
    },
    [account],
  );
  const [revealed, setRevealed] = useState<readonly InboundRow[]>([]);
  const rows = paged.rows?.map(row => ({
    ...row,
    ...contentOf(revealed.find(({ msgKey }) => msgKey === row.msgKey)),
  }));
  const columns: readonly Column<InboundRow>[] = [
    { name: t.common.time, cell: row => <Time at={row.receivedAt} /> },
    {
      name: t.inbound.from,
      cell: row => (
        <>
          {row.from}
          <br />
          <span class="muted">→ {row.to}</span>
        </>
      ),
    },
    {
      name: t.inbound.text,
      cell: row => row.text ?? <span class="muted">{t.inbound.removed}</span>,
      isLong: true,
    },
    {
      name: t.common.account,
      cell: row => (
        <>
          {row.account !== null && <>{row.account} </>}
          <Badge tone={TONES[row.handover]}>{t.inbound.handovers[row.handover]}</Badge>
        </>
      ),
    },
    { name: t.inbound.reply, cell: row => <Reply row={row} /> },
    {
      name: t.common.actions,
      cell: row => (
        <>
          {row.masked && row.text !== null && (
            <Reveal
              reveal={reason => revealInbound(row.msgKey, reason)}
              onRevealed={message => setRevealed(known => [...known, message])}
            />
          )}
          {row.account === null && <Assign row={row} accounts={accounts} onAssigned={paged.reload} />}
        </>
      ),
    },
  ];
  return (
    <>
      <PageHead title={t.inbound.title} intro={t.inbound.intro}>
        <SelectField
          label={t.common.account}
          value={account}
          options={[
            { value: '', label: t.common.all },
            { value: NO_ACCOUNT, label: t.inbound.noAccount },
            ...accounts,
          ]}
          onChange={setAccount}
          class="picker"
        />
        <button type="button" class="button" onClick={paged.reload}>
          <Icon name="refresh" /> {t.common.refresh}
        </button>
      </PageHead>
      <Handset onSaid={paged.reload} />
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {!rows && paged.isLoading && <Loading />}
      {rows?.length === 0 && <EmptyState title={t.inbound.empty} hint={t.inbound.emptyHint} />}
      {rows && rows.length > 0 && (
        <div class="card card-table">
          <Table label={t.inbound.title} columns={columns} rows={rows} keyOf={({ msgKey }) => msgKey} />
        </div>
      )}
      <MoreButton paged={paged} />
    </>
  );
}

function contentOf(revealed: InboundRow | undefined): Partial<InboundRow> {
  return revealed ? { from: revealed.from, text: revealed.text, masked: false } : {};
}

function Reply({ row }: { row: InboundRow }) {
  const t = useWords();
  if (row.replyKey !== null) {
    return <Link to={`/messages/${encodeURIComponent(row.replyKey)}`}>{t.inbound.replied}</Link>;
  }
  if (row.replyProblem === null) return <>–</>;
  return <span class="muted">{lookUp(t.inbound.replyProblems, row.replyProblem)}</span>;
}

function Assign(props: {
  row: InboundRow;
  accounts: readonly { readonly value: string; readonly label: string }[];
  onAssigned: () => void;
}) {
  const t = useWords();
  const assigning = useAction();
  const assign = (account: string) => {
    if (account === '') return;
    assigning.run(async () => {
      await assignInbound(props.row.msgKey, account);
      props.onAssigned();
    });
  };
  return (
    <Needs least="operator">
      <select
        class="input select assign"
        aria-label={`${t.inbound.assign}: ${props.row.from}`}
        value=""
        onChange={event => assign(event.currentTarget.value)}
      >
        {[{ value: '', label: t.inbound.assign }, ...props.accounts].map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <RefusalNotice refusal={assigning.refusal} />
    </Needs>
  );
}
