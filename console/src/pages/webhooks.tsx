/** Webhooks: what was pushed to clients, and the webhook of an account. Its filters are in the address. */

import type { DeliverySummary } from '../../../src/operations/webhooks.ts';
import { useList } from '../answers/use-list.ts';
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { LoadedTable } from '../components/list.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { RefreshButton } from '../components/refresh-button.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { askList } from '../gateway/operations.ts';
import { Link, useTerm } from '../router.tsx';
import { AccountWebhook } from '../webhooks/account-webhook.tsx';
import { DeliveryBadge, NextAttempt } from '../webhooks/delivery-state.tsx';
import { useWords } from '../words/words.tsx';

export function WebhooksPage() {
  const t = useWords();
  const choice = useAccountInAddress(true);
  const [state, setState] = useTerm('state');
  const { account } = choice;
  const deliveries = useList(
    account === undefined ? undefined : askList('GET /webhooks', 'deliveries', { account, state }),
  );
  const columns: readonly Column<DeliverySummary>[] = [
    {
      name: t.webhooks.message,
      cell: row => (
        <Link to={`/webhooks/${encodeURIComponent(row.id)}`} class="key row-link">
          {row.msgKey}
        </Link>
      ),
    },
    { name: t.common.account, cell: row => row.account, isLong: true },
    { name: t.common.state, cell: row => <DeliveryBadge state={row.state} /> },
    { name: t.webhooks.attempts, cell: row => String(row.attempts), isNumber: true },
    {
      name: t.webhooks.answer,
      isLong: true,
      cell: row => row.lastError ?? (row.lastStatus ? `HTTP ${row.lastStatus}` : ''),
    },
    { name: t.webhooks.last, cell: row => (row.lastAt ? <Time at={row.lastAt} /> : '') },
    { name: t.webhooks.next, cell: row => (row.waitsFor ? <NextAttempt delivery={row} /> : '') },
  ];
  return (
    <>
      <PageHead title={t.webhooks.title} intro={t.webhooks.intro}>
        <AccountPicker choice={choice} allowsAll />
        <SelectField
          label={t.common.state}
          value={state}
          options={optionsOf(t.webhookAttempts.states, { all: t.common.all })}
          onChange={setState}
          class="picker"
        />
        <RefreshButton />
      </PageHead>
      {account ? (
        <AccountWebhook key={account} account={account} />
      ) : (
        <p class="muted otherwise">{t.webhooks.pickAccount}</p>
      )}
      <LoadedTable
        of={deliveries}
        label={t.webhooks.deliveries}
        columns={columns}
        keyOf={row => row.id}
        empty={<EmptyState title={t.webhooks.empty} hint={t.webhooks.emptyHint} />}
      />
    </>
  );
}
