/** Audit: every change, newest first. Its filters are in the address. */

import { useRef } from 'preact/hooks';
import type { AuditEntryView } from '../../../src/operations/audit.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { useList } from '../answers/use-list.ts';
import { detailsText } from '../audit/audit-details.ts';
import { idsOf } from '../components/account-picker.tsx';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Filters } from '../components/filters.tsx';
import { LoadedTable } from '../components/list.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { TimeField } from '../components/time-field.tsx';
import { listAccounts } from '../gateway/accounts.ts';
import { askList, askMember, readFile } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { useRouter } from '../router.tsx';
import { saveFile } from '../save-file.ts';
import { useMay } from '../session.tsx';
import { lookUp, useWords } from '../words/words.tsx';

const TERMS = ['operator', 'action', 'account', 'from', 'until'] as const;

type Terms = Readonly<Record<(typeof TERMS)[number], string>>;

export function AuditPage() {
  const t = useWords();
  const { all } = t.common;
  const { query, setTerm } = useRouter();
  const filters = Object.fromEntries(TERMS.map(name => [name, query.get(name) ?? ''])) as Terms;
  const set = (name: keyof Terms) => (value: string) => setTerm(name, value);
  const entries = useList(askList('GET /audit', 'entries', filters));
  const names = useNames(entries.rows, filters.operator);
  const accounts = useAnswer(listAccounts());
  const exporting = useAction({ isRead: true });
  const columns: readonly Column<AuditEntryView>[] = [
    { name: t.common.time, cell: entry => <Time at={entry.at} /> },
    {
      name: t.audit.who,
      cell: entry => (entry.name === null ? entry.who : `${entry.name} (${entry.who})`),
      isLong: true,
    },
    {
      name: t.audit.action,
      cell: entry => <span title={entry.action}>{lookUp(t.audit.actions, entry.action)}</span>,
    },
    { name: t.audit.target, cell: entry => entry.target, isLong: true },
    {
      name: t.audit.details,
      cell: entry => <span class="details">{detailsText(entry.details)}</span>,
      isLong: true,
    },
  ];
  return (
    <>
      <PageHead title={t.audit.title} intro={t.audit.intro}>
        <Button
          icon="down"
          isDisabled={exporting.isRunning}
          onPress={() =>
            exporting.run(async () => saveFile('audit-log.csv', await readFile('GET /audit/csv', filters)))
          }
        >
          {exporting.isRunning ? t.common.loading : t.desk.csv}
        </Button>
        <RefreshButton />
      </PageHead>
      <RefusalNotice refusal={exporting.refusal} />
      <Filters given={TERMS.filter(name => name !== 'operator' && filters[name] !== '').length}>
        <SelectField
          label={t.audit.who}
          value={filters.operator}
          options={optionsOf(names, { all: t.audit.everybody })}
          onChange={set('operator')}
        />
        <SelectField
          label={t.audit.action}
          value={filters.action}
          options={optionsOf(t.audit.actions, { all, given: filters.action })}
          onChange={set('action')}
        />
        <SelectField
          label={t.common.account}
          value={filters.account}
          options={optionsOf(idsOf(accounts.answer), { all, given: filters.account })}
          onChange={set('account')}
        />
        <TimeField label={t.messages.from} value={filters.from} onInput={set('from')} />
        <TimeField label={t.messages.until} value={filters.until} onInput={set('until')} />
      </Filters>
      <LoadedTable
        of={entries}
        label={t.audit.title}
        columns={columns}
        keyOf={(_entry, index) => String(index)}
        empty={
          TERMS.some(name => filters[name] !== '') ? (
            <EmptyState title={t.audit.noneFound} hint={t.audit.noneFoundHint} />
          ) : (
            <EmptyState title={t.audit.empty} hint={t.audit.emptyHint} />
          )
        }
      />
    </>
  );
}

/** Who can be picked: whoever was seen in the log, the one in the address, and for an admin every operator. */
function useNames(rows: readonly AuditEntryView[] | undefined, picked: string): readonly string[] {
  const seen = useRef(new Set<string>());
  const mayList = useMay('admin');
  const { answer } = useAnswer(mayList ? askMember('GET /operators', 'operators', {}) : undefined);
  for (const { name } of rows ?? []) if (name !== null) seen.current.add(name);
  const others = [picked, ...(answer ?? []).map(({ name }) => name)].filter(name => name !== '');
  return [...new Set([...seen.current, ...others])].sort((one, other) => one.localeCompare(other));
}
