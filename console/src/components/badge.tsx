import type { State } from '../gateway/messages.ts';
import type { Channel } from '../gateway/steps.ts';
import { lookUp, useWords } from '../words/words.tsx';

export type Tone = 'good' | 'bad' | 'busy' | 'doubt' | 'plain';

/** What a newer gateway says has no tone here, and is shown as it is. */
export function Badge({ tone = 'plain', children }: { tone?: Tone | undefined; children: string }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

const STATE_TONES: Readonly<Record<State, Tone>> = {
  queued: 'plain',
  submitting: 'busy',
  submitted: 'busy',
  retrying: 'doubt',
  unknown: 'doubt',
  delivered: 'good',
  failed: 'bad',
  expired: 'bad',
};

export function StateBadge({ state }: { state: State }) {
  const t = useWords();
  return <Badge tone={STATE_TONES[state]}>{lookUp(t.states, state)}</Badge>;
}

/** The channels of a flow in order; those not reached yet are dimmed. */
export function ChannelTrail({ channels, step }: { channels: readonly Channel[]; step?: number }) {
  const t = useWords();
  return (
    <span class="trail">
      {channels.map((channel, index) => (
        <span key={`${index}-${channel}`} class={step !== undefined && index > step ? 'trail-ahead' : ''}>
          {index > 0 && <span aria-hidden="true">→ </span>}
          {lookUp(t.channels, channel)}
        </span>
      ))}
    </span>
  );
}
