/** The messages of a flow, each on a phone; one that was not received does not look as if it was. */
import { Badge, StateBadge } from '../components/badge.tsx';
import { Time } from '../components/time.tsx';
import { ERASED, type Message } from '../gateway/messages.ts';
import { Handset } from '../inbound/handset.tsx';
import { Phone } from '../phone/phone.tsx';
import { localOf } from '../times.ts';
import { useWords } from '../words/words.tsx';
import { useZone } from '../zone.tsx';
import { fateOf } from './step-fates.ts';

export function Phones({ message }: { message: Message }) {
  const t = useWords();
  const { zone } = useZone();
  const { rendered, step, acceptedAt } = message;
  return (
    <aside class="message-phones" aria-label={t.message.phone}>
      {message.to === ERASED && <p class="card muted">{t.message.erasedHint}</p>}
      {message.textRemovedAt && message.to !== ERASED && (
        <p class="card muted">
          {t.message.textRemoved} <Time at={message.textRemovedAt} />
        </p>
      )}
      {message.masked && !message.textRemovedAt && <p class="card muted">{t.message.masked}</p>}
      {(message.masked ? [] : rendered).map((shown, index) => (
        <figure key={index} class="phone-figure">
          <Phone
            account={message.account}
            step={shown}
            time={localOf(Date.parse(acceptedAt), zone).slice(11, 16)}
            fate={fateOf(message, index)}
          />
          <figcaption>
            {rendered.length > 1 && `${index + 1}. `}
            {t.channels[shown.channel]} {index === step && <StateBadge state={message.state} />}
            {index > step && <Badge tone="plain">{t.message.neverSent}</Badge>}
            {index < step && <Badge tone="bad">{t.states.failed}</Badge>}
          </figcaption>
        </figure>
      ))}
      {isAnswerable(message) && <Handset from={message.to} to={senderOf(message)} />}
    </aside>
  );
}

/** Whoever got a message from a number can write to it. */
function isAnswerable(message: Message): boolean {
  const isKnown = !message.masked && message.to !== ERASED;
  return isKnown && message.state === 'delivered' && senderOf(message) !== undefined;
}

function senderOf({ rendered, step }: Message): string | undefined {
  const shown = rendered[step];
  const from = shown && 'from' in shown && typeof shown.from === 'string' ? shown.from : '';
  return /^\d+$/.test(from) ? from : undefined;
}
