/**
 * The phone: one message as its recipient sees it. Used beside a message that was sent and beside one being written, so it
 * draws what is present and tolerates what is missing. All content is text; links are shown and open only when they
 * are http(s).
 */
import type { Step } from '../gateway/steps.ts';
import type { Fate } from '../message/step-fates.ts';
import { useWords } from '../words/words.tsx';
import { AlimtalkBubble } from './alimtalk-bubble.tsx';
import { FriendtalkBubble } from './friendtalk-bubble.tsx';
import { RcsBubble } from './rcs-bubble.tsx';
import { TextBubble } from './text-bubble.tsx';

/** Without a `fate` the message is one that is being written. */
export function Phone({
  step,
  time,
  fate = 'received',
}: {
  step: Step;
  time?: string | undefined;
  fate?: Fate;
}) {
  const t = useWords();
  return (
    <section class={`phone phone-${familyOf(step)}`} aria-label={t.phone.label(t.channels[step.channel])}>
      <div class="phone-status" aria-hidden="true">
        <span>{time ?? '9:41'}</span>
        <span class="phone-status-marks" />
      </div>
      <header class="phone-head">
        <span class="phone-avatar" aria-hidden="true">
          {senderOf(step).slice(0, 1).toUpperCase() || '·'}
        </span>
        <span class="phone-sender">{senderOf(step) || '—'}</span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <div class="phone-chat" tabIndex={0}>
        {fate === 'received' ? (
          <Bubble step={step} />
        ) : (
          <>
            <p class={`phone-fate phone-fate-${fate}`}>{t.phoneFates[fate]}</p>
            <div class="phone-ghost">
              <Bubble step={step} />
            </div>
          </>
        )}
      </div>
    </section>
  );
}

function Bubble({ step }: { step: Step }) {
  switch (step.channel) {
    case 'sms':
    case 'mms':
    case 'international':
      return <TextBubble step={step} />;
    case 'rcs':
      return <RcsBubble step={step} />;
    case 'alimtalk':
      return <AlimtalkBubble step={step} />;
    case 'friendtalk':
    case 'brandmessage':
      return <FriendtalkBubble step={step} />;
  }
}

function familyOf({ channel }: Step): 'text' | 'rcs' | 'messenger' {
  switch (channel) {
    case 'sms':
    case 'mms':
    case 'international':
      return 'text';
    case 'rcs':
      return 'rcs';
    case 'alimtalk':
    case 'friendtalk':
    case 'brandmessage':
      return 'messenger';
  }
}

/** Whom the message seems to come from. The messenger shows a channel's name, which only the messenger knows. */
function senderOf(step: Step): string {
  switch (step.channel) {
    case 'sms':
    case 'mms':
    case 'international':
      return step.from ?? '';
    case 'rcs':
      return step.brandKey ?? step.from ?? '';
    case 'alimtalk':
    case 'friendtalk':
    case 'brandmessage':
      return step.senderKey ?? '';
  }
}
