/** Webhooks: what was pushed to clients, and the webhook of an account. */
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { Badge, type Tone } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { DELIVERY_STATES, type Delivery, type DeliveryState, listDeliveries } from '../gateway/webhooks.ts';
import { Link, useTerm } from '../router.tsx';
import { AccountWebhook } from '../webhooks/account-webhook.tsx';
import { useWords } from '../words/words.tsx';

const TONES: Readonly<Record<DeliveryState, Tone>> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  off: 'plain',
};

export function WebhooksPage() {
  const t = useWords();
  const choice = useAccountInAddress(true);
  const [state, setState] = useTerm('state');
  const { account } = choice;
  const paged = usePaged<Delivery>(
    async (cursor, signal) => {
      const query = { ...(account && { account }), ...(state && { state }), ...(cursor && { cursor }) };
      const { deliveries, next } = await listDeliveries(query, signal);
      return { rows: deliveries, next };
    },
    [account, state],
  );
  const columns: readonly Column<Delivery>[] = [
    {
      name: t.webhooks.message,
      cell: row => (
        <Link to={`/messages/${row.msgKey}`} class="key row-link">
          {row.msgKey}
        </Link>
      ),
    },
    { name: t.common.account, cell: row => row.account, isLong: true },
    {
      name: t.common.state,
      cell: row => <Badge tone={TONES[row.state]}>{t.webhooks.states[row.state]}</Badge>,
    },
    { name: t.webhooks.attempts, cell: row => String(row.attempts), isNumber: true },
    {
      name: t.webhooks.answer,
      cell: row => [row.lastStatus, row.lastError].filter(part => part !== null).join(' · '),
    },
    { name: t.webhooks.last, cell: row => (row.lastAt ? <Time at={row.lastAt} /> : '') },
    { name: t.webhooks.next, cell: row => (row.nextAt ? <Time at={row.nextAt} /> : '') },
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
            ...DELIVERY_STATES.map(value => ({ value, label: t.webhooks.states[value] })),
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
