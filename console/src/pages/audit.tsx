/** Audit: every change, newest first; of one operator where the address says so. */

import { useRef } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { useList } from '../answers/use-list.ts';
import { detailsText } from '../audit/audit-details.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { LoadedTable } from '../components/list.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type AuditEntry, listAudit } from '../gateway/audit.ts';
import { listOperators } from '../gateway/operators.ts';
import { useTerm } from '../router.tsx';
import { useMay } from '../session.tsx';
import { lookUp, useWords } from '../words/words.tsx';

export function AuditPage() {
  const t = useWords();
  const [operator, setOperator] = useTerm('operator');
  const entries = useList(listAudit(operator));
  const names = useNames(entries.rows, operator);
  const columns: readonly Column<AuditEntry>[] = [
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
        <SelectField
          label={t.audit.who}
          value={operator}
          options={optionsOf(names, { all: t.audit.everybody })}
          onChange={setOperator}
          class="picker"
        />
        <RefreshButton />
      </PageHead>
      <LoadedTable
        of={entries}
        label={t.audit.title}
        columns={columns}
        keyOf={(_entry, index) => String(index)}
        empty={<EmptyState title={t.audit.empty} hint={t.audit.emptyHint} />}
      />
    </>
  );
}

/** Who can be picked: whoever was seen in the log, the one in the address, and for an admin every operator. */
function useNames(rows: readonly AuditEntry[] | undefined, picked: string): readonly string[] {
  const seen = useRef(new Set<string>());
  const mayList = useMay('admin');
  const { answer } = useAnswer(mayList ? listOperators() : undefined);
  for (const { name } of rows ?? []) if (name !== null) seen.current.add(name);
  const others = [picked, ...(answer ?? []).map(({ name }) => name)].filter(name => name !== '');
  return [...new Set([...seen.current, ...others])].sort((one, other) => one.localeCompare(other));
}
