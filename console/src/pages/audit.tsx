/** Audit: every change, newest first; of one operator where the address says so. */
import { useRef } from 'preact/hooks';
import { detailsText } from '../audit/audit-details.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type AuditEntry, listAudit } from '../gateway/audit.ts';
import { listOperators } from '../gateway/operators.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { useTerm } from '../router.tsx';
import { useMay } from '../session.tsx';
import { lookUp, useWords } from '../words/words.tsx';

export function AuditPage() {
  const t = useWords();
  const [operator, setOperator] = useTerm('operator');
  const paged = usePaged<AuditEntry>(
    async (cursor, signal) => {
      const { entries, next } = await listAudit(operator, cursor, signal);
      return { rows: entries, next };
    },
    [operator],
  );
  const names = useNames(paged.rows, operator);
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
          options={[
            { value: '', label: t.audit.everybody },
            ...names.map(name => ({ value: name, label: name })),
          ]}
          onChange={setOperator}
          class="picker"
        />
        <button type="button" class="button" onClick={paged.reload}>
          <Icon name="refresh" /> {t.common.refresh}
        </button>
      </PageHead>
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {!paged.rows && paged.isLoading && <Loading />}
      {paged.rows?.length === 0 &&
        (paged.more ? (
          <p class="muted">{t.audit.moreToLook}</p>
        ) : (
          <EmptyState title={t.audit.empty} hint={t.audit.emptyHint} />
        ))}
      {paged.rows && paged.rows.length > 0 && (
        <div class="card card-table">
          <Table
            label={t.audit.title}
            columns={columns}
            rows={paged.rows}
            keyOf={(_entry, index) => String(index)}
          />
        </div>
      )}
      <MoreButton paged={paged} />
    </>
  );
}

/** Who can be picked: whoever was seen in the log, the one in the address, and for an admin every operator. */
function useNames(rows: readonly AuditEntry[] | undefined, picked: string): readonly string[] {
  const seen = useRef(new Set<string>());
  const mayList = useMay('admin');
  const { answer } = useAnswer(
    async signal => (mayList ? (await listOperators(signal)).operators : []),
    [mayList],
  );
  for (const { name } of rows ?? []) if (name !== null) seen.current.add(name);
  const others = [picked, ...(answer ?? []).map(({ name }) => name)].filter(name => name !== '');
  return [...new Set([...seen.current, ...others])].sort((one, other) => one.localeCompare(other));
}
