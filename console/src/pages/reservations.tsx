/** Reservations: sends that wait for their time. */

import { useState } from 'preact/hooks';
import { useList } from '../answers/use-list.ts';
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField } from '../components/field.tsx';
import { LoadedList } from '../components/list.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { listReservations } from '../gateway/reservations.ts';
import { ReservationCard } from '../reservations/reservation-card.tsx';
import { useWords } from '../words/words.tsx';

const REFRESH_MS = 5_000;

export function ReservationsPage() {
  const t = useWords();
  const choice = useAccountInAddress(true);
  const [status, setStatus] = useState('');
  const { account } = choice;
  const reservations = useList(
    account === undefined ? undefined : listReservations({ account, status }),
    rows => (rows.some(({ status: state }) => state === 'PROCESSING') ? REFRESH_MS : undefined),
  );
  return (
    <>
      <PageHead title={t.reservations.title} intro={t.reservations.intro}>
        <SelectField
          label={t.reservations.state}
          value={status}
          options={optionsOf(t.reservations.states, { all: t.reservations.anyState })}
          onChange={setStatus}
        />
        <AccountPicker choice={choice} allowsAll />
      </PageHead>
      <LoadedList
        of={reservations}
        empty={<EmptyState title={t.reservations.empty} hint={t.reservations.emptyHint} />}
      >
        {rows => (
          <ul class="cards">
            {rows.map(each => (
              <ReservationCard key={each.resvKey} reservation={each} />
            ))}
          </ul>
        )}
      </LoadedList>
    </>
  );
}
