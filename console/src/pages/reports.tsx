/** Reports: the batch of an account as its client would get it. */

import { useAnswer } from '../answers/use-answer.tsx';
import { AccountPicker, OfAccount, useAccountInAddress } from '../components/account-picker.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { acknowledgeReports, readReports } from '../gateway/accounts.ts';
import type { WireReport } from '../gateway/messages.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link } from '../router.tsx';
import { useWords } from '../words/words.tsx';

export function ReportsPage() {
  const t = useWords();
  const choice = useAccountInAddress();
  const { account } = choice;
  const acknowledging = useAction();
  // The batch of another account must not be acknowledged as one of this account.
  const batch = useAnswer(account ? readReports(account) : undefined);
  return (
    <>
      <PageHead title={t.reports.title} intro={t.reports.intro}>
        <AccountPicker choice={choice} />
        <RefreshButton />
      </PageHead>
      <RefusalNotice refusal={acknowledging.refusal} />
      <OfAccount choice={choice}>
        {owner => (
          <Loaded of={batch}>
            {({ reportId, report: reports }) =>
              !reports || reports.length === 0 ? (
                <EmptyState title={t.reports.empty} hint={t.reports.emptyHint}>
                  <Link to="/compose" class="button">
                    {t.live.compose}
                  </Link>
                </EmptyState>
              ) : (
                <section class="card card-table" aria-label={t.reports.batch}>
                  <header class="card-head">
                    <div>
                      <h2>
                        {t.reports.batch} <code>{reportId}</code>
                      </h2>
                      <p class="muted">{t.reports.acknowledgeHint}</p>
                    </div>
                    <ConfirmButton
                      isMain
                      label={t.reports.acknowledge}
                      question={t.reports.confirmAcknowledge(reports.length)}
                      isDisabled={acknowledging.isRunning}
                      onConfirm={() => acknowledging.run(() => acknowledgeReports(owner, reportId))}
                      icon="check"
                    />
                  </header>
                  <ReportTable reports={reports} />
                </section>
              )
            }
          </Loaded>
        )}
      </OfAccount>
    </>
  );
}

function ReportTable({ reports }: { reports: readonly WireReport[] }) {
  const t = useWords();
  const columns: readonly Column<WireReport>[] = [
    { name: t.reports.reported, cell: report => <Time at={report.reportTime} /> },
    {
      name: t.messages.key,
      cell: report => (
        <Link to={`/messages/${report.msgKey}`} class="key row-link">
          {report.msgKey}
        </Link>
      ),
    },
    { name: t.reports.service, cell: report => `${report.serviceType} ${report.msgType}` },
    {
      name: t.reports.result,
      cell: report => (
        <>
          <code>{report.reportCode}</code> {report.reportText}
        </>
      ),
    },
    { name: t.common.network, cell: report => report.carrier ?? '' },
    { name: t.messages.ref, cell: report => report.ref ?? '', isLong: true },
  ];
  return (
    <Table
      label={t.reports.title}
      columns={columns}
      rows={reports}
      keyOf={(_report, index) => String(index)}
    />
  );
}
