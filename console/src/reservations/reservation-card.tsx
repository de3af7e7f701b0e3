/** One reservation: what waits for when, how far it is, and what can be done with it. */
import { useState } from 'preact/hooks';
import { Badge, type Tone } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Needs } from '../components/needs.tsx';
import { MoreButton, usePaged } from '../components/paged.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { TimeField } from '../components/time-field.tsx';
import {
  changeReservation,
  listReserved,
  moveReservation,
  type Reservation,
  type ReservationState,
  type ReservedRecipient,
} from '../gateway/reservations.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link } from '../router.tsx';
import { lookUp, useWords } from '../words/words.tsx';

const TONES: Readonly<Record<ReservationState, Tone>> = {
  PENDING: 'plain',
  PROCESSING: 'busy',
  STOPPED: 'bad',
  HELD: 'bad',
  COMPLETED: 'good',
  CANCELLED: 'plain',
};

export function ReservationCard({
  reservation,
  onChanged,
}: {
  reservation: Reservation;
  onChanged: () => void;
}) {
  const t = useWords();
  const { resvKey, resvName, status, account, channels } = reservation;
  const acting = useAction();
  const [isOpen, setOpen] = useState(false);
  const act = (work: () => Promise<unknown>) => () =>
    acting.run(async () => {
      await work();
      onChanged();
    });
  return (
    <li class="card">
      <header class="card-head">
        <div>
          <h2 class={resvName ? '' : 'key'}>{resvName ?? resvKey}</h2>
          <p class="muted">
            {account} · {channels.map(channel => lookUp(t.channels, channel)).join(' → ')} ·{' '}
            {t.reservations.sendTime} <Time at={reservation.resvSendTime} />
          </p>
        </div>
        <div class="card-actions">
          <Badge tone={TONES[status]}>{t.reservations.states[status]}</Badge>
          <Needs least="operator">
            {status === 'PROCESSING' && (
              <button
                type="button"
                class="button button-quiet button-small"
                onClick={act(() => moveReservation(resvKey, 'stop'))}
              >
                {t.reservations.stop}
              </button>
            )}
            {status === 'STOPPED' && (
              <button
                type="button"
                class="button button-quiet button-small"
                onClick={act(() => moveReservation(resvKey, 'resume'))}
              >
                {t.reservations.resume}
              </button>
            )}
            {status === 'HELD' && (
              <ConfirmButton
                label={t.reservations.release}
                question={t.reservations.confirmRelease}
                onConfirm={act(() => moveReservation(resvKey, 'release'))}
              />
            )}
            {(status === 'PENDING' || status === 'STOPPED' || status === 'HELD') && (
              <ConfirmButton
                label={t.reservations.cancel}
                question={t.reservations.confirmCancel}
                onConfirm={act(() => moveReservation(resvKey, 'cancel'))}
              />
            )}
          </Needs>
        </div>
      </header>
      <p>{t.reservations.counts(reservation)}</p>
      <RefusalNotice refusal={acting.refusal} />
      {status === 'HELD' && <p class="muted">{t.reservations.heldHint}</p>}
      {(status === 'PENDING' || status === 'HELD') && (
        <Needs least="operator">
          <ChangeTime
            reservation={reservation}
            onChange={at => act(() => changeReservation(resvKey, at))()}
          />
        </Needs>
      )}
      <details class="extras" onToggle={event => setOpen((event.target as HTMLDetailsElement).open)}>
        <summary>{t.reservations.recipients}</summary>
        {isOpen && <Recipients resvKey={resvKey} />}
      </details>
    </li>
  );
}

function ChangeTime({ reservation, onChange }: { reservation: Reservation; onChange: (at: string) => void }) {
  const t = useWords();
  const [at, setAt] = useState(new Date(reservation.resvSendTime).toISOString());
  return (
    <details class="extras">
      <summary>{t.reservations.change}</summary>
      <div class="change-time">
        <TimeField label={t.reservations.sendTime} value={at} onInput={setAt} />
        <button type="button" class="button button-small" disabled={at === ''} onClick={() => onChange(at)}>
          {t.reservations.changeNow}
        </button>
      </div>
    </details>
  );
}

function Recipients({ resvKey }: { resvKey: string }) {
  const t = useWords();
  const paged = usePaged<ReservedRecipient>(
    async (cursor, signal) => {
      const { recipients, next } = await listReserved(
        resvKey,
        cursor === undefined ? {} : { cursor },
        signal,
      );
      return { rows: recipients, next };
    },
    [resvKey],
  );
  return (
    <>
      <RefusalNotice refusal={paged.refusal} onRetry={paged.reload} />
      {paged.rows?.length === 0 && <p class="muted">{t.reservations.noRecipients}</p>}
      <ul class="reserved-recipients">
        {paged.rows?.map(({ msgKey, to, sent }) => (
          <li key={msgKey}>
            <span>{to}</span>
            {sent ? (
              <Link to={`/messages/${msgKey}`}>{t.reservations.sent}</Link>
            ) : (
              <span class="muted">{t.reservations.waiting}</span>
            )}
          </li>
        ))}
      </ul>
      <MoreButton paged={paged} />
    </>
  );
}
