/** One reservation: what waits for when, how far it is, and what can be done with it. */
import { useState } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { useList } from '../answers/use-list.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { LoadedList } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { TimeField } from '../components/time-field.tsx';
import {
  changeReservation,
  listReserved,
  moveReservation,
  type Reservation,
  type ReservationState,
  readReserved,
} from '../gateway/reservations.ts';
import { useAction } from '../gateway/use-action.ts';
import { Phone } from '../phone/phone.tsx';
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

export function ReservationCard({ reservation }: { reservation: Reservation }) {
  const t = useWords();
  const { resvKey, resvName, status, account, channels } = reservation;
  const acting = useAction();
  const [isShown, setShown] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const act = (work: () => Promise<unknown>) => () => acting.run(work);
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
          <Badge tone={TONES[status]}>{lookUp(t.reservations.states, status)}</Badge>
          <Needs least="operator">
            {status === 'PROCESSING' && (
              <Button kind="quiet" isSmall onPress={act(() => moveReservation(resvKey, 'stop'))}>
                {t.reservations.stop}
              </Button>
            )}
            {status === 'STOPPED' && (
              <Button kind="quiet" isSmall onPress={act(() => moveReservation(resvKey, 'resume'))}>
                {t.reservations.resume}
              </Button>
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
      <details class="extras" onToggle={event => setShown(event.currentTarget.open)}>
        <summary>{t.reservations.content}</summary>
        {isShown && <Content resvKey={resvKey} account={account} />}
      </details>
      <details class="extras" onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>{t.reservations.recipients}</summary>
        {isOpen && <Recipients resvKey={resvKey} isCancelled={status === 'CANCELLED'} />}
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
        <Button isSmall isDisabled={at === ''} onPress={() => onChange(at)}>
          {t.reservations.changeNow}
        </Button>
      </div>
    </details>
  );
}

function Content({ resvKey, account }: { resvKey: string; account: string }) {
  const t = useWords();
  const reserved = useAnswer(readReserved(resvKey));
  return (
    <Loaded of={reserved}>
      {({ flow }) =>
        flow === null ? (
          <p class="muted">{t.inbound.removed}</p>
        ) : (
          <div class="reserved-content">
            {flow.map((step, index) => (
              <Phone key={index} step={step} account={account} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function Recipients({ resvKey, isCancelled }: { resvKey: string; isCancelled: boolean }) {
  const t = useWords();
  const recipients = useList(listReserved(resvKey));
  return (
    <LoadedList of={recipients} empty={<p class="muted">{t.reservations.noRecipients}</p>}>
      {rows => (
        <ul class="reserved-recipients">
          {rows.map(({ msgKey, to, sent }) => (
            <li key={msgKey}>
              <span>{to}</span>
              {sent ? (
                <Link to={`/messages/${msgKey}`}>{t.reservations.sent}</Link>
              ) : (
                <span class="muted">{isCancelled ? t.reservations.notSent : t.reservations.waiting}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </LoadedList>
  );
}
