/** Inbound: what people send to numbers of accounts, newest first, and what matches no account. */

import { useState } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { useList } from '../answers/use-list.ts';
import { idsOf } from '../components/account-picker.tsx';
import { Badge, type Tone } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { LoadedTable } from '../components/list.tsx';
import { Needs } from '../components/needs.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import type { Column } from '../components/table.tsx';
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
  const { answer } = useAnswer(listAccounts());
  const accounts = idsOf(answer);
  const received = useList(listInbound(account));
  const [revealed, setRevealed] = useState<readonly InboundRow[]>([]);
  const rows = received.rows?.map(row => ({
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
          <Badge tone={TONES[row.handover]}>{lookUp(t.inbound.handovers, row.handover)}</Badge>
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
          {row.account === null && <Assign row={row} accounts={accounts} />}
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
            ...optionsOf({ [NO_ACCOUNT]: t.inbound.noAccount }, { all: t.common.all }),
            ...optionsOf(accounts),
          ]}
          onChange={setAccount}
          class="picker"
        />
        <RefreshButton />
      </PageHead>
      <Handset />
      <LoadedTable
        of={{ ...received, rows }}
        label={t.inbound.title}
        columns={columns}
        keyOf={({ msgKey }) => msgKey}
        empty={<EmptyState title={t.inbound.empty} hint={t.inbound.emptyHint} />}
      />
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

function Assign(props: { row: InboundRow; accounts: readonly string[] }) {
  const t = useWords();
  const assigning = useAction();
  const [account, choose] = useState('');
  return (
    <Needs least="operator">
      <select
        class="input select assign"
        aria-label={`${t.inbound.assign}: ${props.row.from}`}
        value={account}
        onChange={event => choose(event.currentTarget.value)}
      >
        {optionsOf(props.accounts, { all: t.inbound.assign }).map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {account !== '' && (
        <ConfirmButton
          label={t.inbound.assignNow}
          question={t.inbound.confirmAssign(account)}
          isDisabled={assigning.isRunning}
          onConfirm={() => assigning.run(() => assignInbound(props.row.msgKey, account))}
        />
      )}
      <RefusalNotice refusal={assigning.refusal} />
    </Needs>
  );
}
