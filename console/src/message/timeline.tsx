/** Everything that happened to a message, in order; a line between steps marks the start of a fallback. */

import type { Tone } from '../components/badge.tsx';
import { Time } from '../components/time.tsx';
import type { Message, TimelineEntry } from '../gateway/messages.ts';
import { lookUp, useWords } from '../words/words.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  received: 'plain',
  routed: 'plain',
  accepted: 'busy',
  refused: 'bad',
  deferred: 'doubt',
  lost: 'doubt',
  returned: 'doubt',
  rerouted: 'doubt',
  repeated: 'doubt',
  receivedDelivered: 'good',
  receivedFailed: 'bad',
  deadline: 'bad',
  toldDelivered: 'good',
  toldFailed: 'bad',
  cancelled: 'plain',
  postponed: 'doubt',
  optedOut: 'plain',
  latePart: 'plain',
  lateDelivery: 'doubt',
  lateFailure: 'doubt',
  takenOver: 'doubt',
  receiptAmbiguous: 'doubt',
  fallback: 'busy',
  reportFetched: 'plain',
  reportPushed: 'plain',
};

export function Timeline({ message }: { message: Message }) {
  const t = useWords();
  return (
    <ol class="timeline">
      {entriesOf(message).map((entry, index) => (
        <li key={index} class={`tone-${TONES[entry.event] ?? 'plain'}`}>
          <p>
            <strong>{lookUp(t.events, entry.event)}</strong>
            {entry.carrier && <span class="timeline-carrier">{entry.carrier}</span>}
            {entry.code && <code>{entry.code}</code>}
            {entry.parts && <code>{entry.parts}</code>}
          </p>
          {entry.why && <p class="muted">{entry.why}</p>}
          {entry.until && (
            <p class="muted">
              {t.message.postponedUntil} <Time at={entry.until} />
            </p>
          )}
          <p class="timeline-when">
            <Time at={entry.at} isPrecise />
            {(entry.attempt ?? 1) > 1 && (
              <span>
                {t.message.attempt} {entry.attempt}
              </span>
            )}
            {message.flow.length > 1 && entry.step !== undefined && (
              <span>
                {entry.step + 1}. {lookUp(t.channels, message.flow[entry.step]?.channel ?? '')}
              </span>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** The entries of the gateway, with the accept before them and the start of each fallback between them. */
function entriesOf({ timeline, acceptedAt }: Message): TimelineEntry[] {
  const entries: TimelineEntry[] = [{ at: acceptedAt, event: 'received' }];
  let reached = 0;
  for (const entry of timeline) {
    if ((entry.step ?? 0) > reached) {
      reached = entry.step ?? 0;
      entries.push({ at: entry.at, step: reached, event: 'fallback' });
    }
    entries.push(entry);
  }
  return entries;
}
