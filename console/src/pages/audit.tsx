/** Audit: every change, newest first. */

import { detailsText } from '../audit/audit-details.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type AuditEntry, listAudit } from '../gateway/audit.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function AuditPage() {
  const t = useWords();
  const paged = usePaged<AuditEntry>(async (cursor, signal) => {
    const { entries, next } = await listAudit(cursor, signal);
    return { rows: entries, next };
  }, []);
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
        <button type="button" class="button" onClick={paged.reload}>
          <Icon name="refresh" /> {t.common.refresh}
        </button>
      </PageHead>
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {!paged.rows && paged.isLoading && <Loading />}
      {paged.rows?.length === 0 && <EmptyState title={t.audit.empty} hint={t.audit.emptyHint} />}
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
