/** Webhooks: what was pushed to clients, and the webhook of an account. Its filters are in the address. */
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { DELIVERY_STATES, type Delivery, listDeliveries } from '../gateway/webhooks.ts';
import { Link, useTerm } from '../router.tsx';
import { AccountWebhook } from '../webhooks/account-webhook.tsx';
import { DeliveryBadge, NextAttempt } from '../webhooks/delivery-state.tsx';
import { useWords } from '../words/words.tsx';

export function WebhooksPage() {
  const t = useWords();
  const choice = useAccountInAddress(true);
  const [state, setState] = useTerm('state');
  const { account } = choice;
  const paged = usePaged<Delivery>(
    async (cursor, signal) => {
      const asked = { ...(account && { account }), ...(state && { state }), ...(cursor && { cursor }) };
      const { deliveries, next } = await listDeliveries(asked, signal);
      return { rows: deliveries, next };
    },
    [account, state],
  );
  const columns: readonly Column<Delivery>[] = [
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
          options={[
            { value: '', label: t.common.all },
            ...DELIVERY_STATES.map(value => ({ value, label: t.webhookAttempts.states[value] })),
          ]}
          onChange={setState}
          class="picker"
        />
        <button type="button" class="button" onClick={paged.reload}>
          <Icon name="refresh" /> {t.common.refresh}
        </button>
      </PageHead>
      {account ? (
        <AccountWebhook key={account} account={account} onChanged={paged.reload} />
      ) : (
        <p class="muted otherwise">{t.webhooks.pickAccount}</p>
      )}
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {!paged.rows && paged.isLoading && <Loading />}
      {paged.rows?.length === 0 && <EmptyState title={t.webhooks.empty} hint={t.webhooks.emptyHint} />}
      {paged.rows && paged.rows.length > 0 && (
        <div class="card card-table">
          <Table label={t.webhooks.deliveries} columns={columns} rows={paged.rows} keyOf={row => row.id} />
        </div>
      )}
      <MoreButton paged={paged} />
    </>
  );
}
