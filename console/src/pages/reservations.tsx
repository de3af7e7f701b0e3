/** Reservations: sends that wait for their time. */
import { useState } from 'preact/hooks';
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { listReservations, RESERVATION_STATES, type Reservation } from '../gateway/reservations.ts';
import { useRepeated } from '../gateway/use-repeated.ts';
import { ReservationCard } from '../reservations/reservation-card.tsx';
import { useWords } from '../words/words.tsx';

const REFRESH_MS = 5_000;

export function ReservationsPage() {
  const t = useWords();
  const choice = useAccountInAddress(true);
  const [status, setStatus] = useState('');
  const { account } = choice;
  const paged = usePaged<Reservation>(
    async (cursor, signal) => {
      const query = {
        ...(account && { account }),
        ...(status && { status }),
        ...(cursor !== undefined && { cursor }),
      };
      const { reservations, next } = await listReservations(query, signal);
      return { rows: reservations, next };
    },
    [account, status],
  );
  const { rows, refusal, reload } = paged;
  useRepeated(reload, REFRESH_MS, rows?.some(({ status: state }) => state === 'PROCESSING') ?? false);
  return (
    <>
      <PageHead title={t.reservations.title} intro={t.reservations.intro}>
        <SelectField
          label={t.reservations.state}
          value={status}
          options={[
            { value: '', label: t.reservations.anyState },
            ...RESERVATION_STATES.map(each => ({ value: each, label: t.reservations.states[each] })),
          ]}
          onChange={setStatus}
        />
        <AccountPicker choice={choice} allowsAll />
      </PageHead>
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!rows && !refusal && <Loading />}
      {rows?.length === 0 && <EmptyState title={t.reservations.empty} hint={t.reservations.emptyHint} />}
      <ul class="cards">
        {rows?.map(each => (
          <ReservationCard key={each.resvKey} reservation={each} onChanged={reload} />
        ))}
      </ul>
      <MoreButton paged={paged} />
    </>
  );
}
