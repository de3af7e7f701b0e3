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
import { useAppearance } from './use-appearance.ts';

/** Without a `fate` the message is one that is being written. The `account` is the one whose senders are registered. */
export function Phone({
  step,
  time,
  fate = 'received',
  account,
}: {
  step: Step;
  time?: string | undefined;
  fate?: Fate;
  account?: string | undefined;
}) {
  const t = useWords();
  return (
    <section class={`phone phone-${familyOf(step)}`} aria-label={t.phone.label(t.channels[step.channel])}>
      <div class="phone-status" aria-hidden="true">
        <span>{time ?? '9:41'}</span>
        <span class="phone-status-marks" />
      </div>
      <PhoneHead step={step} account={account} />
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

/** Whom the message comes from: a number, or what the profile or brand is called. */
function PhoneHead({ step, account }: { step: Step; account: string | undefined }) {
  const t = useWords();
  const key = profileOf(step);
  const appearance = useAppearance(account, key);
  const { name, logo } = appearance ?? {};
  const number = 'from' in step ? step.from : undefined;
  const shown = name ?? (key && appearance ? t.phone.unnamed : (key ?? number));
  return (
    <header class="phone-head">
      {logo ? (
        <img class="phone-avatar" src={logo} alt="" />
      ) : (
        <span class="phone-avatar" aria-hidden="true">
          {(name ?? key ?? number ?? '').slice(0, 1).toUpperCase() || '·'}
        </span>
      )}
      <span class="phone-sender">
        {shown || '—'}
        {key && name === null && <small>{key}</small>}
      </span>
    </header>
  );
}

/** The key of the profile or brand that sends it; text messages have a number only. */
function profileOf(step: Step): string | undefined {
  switch (step.channel) {
    case 'sms':
    case 'mms':
    case 'international':
      return undefined;
    case 'rcs':
      return step.brandKey;
    case 'alimtalk':
    case 'friendtalk':
    case 'brandmessage':
      return step.senderKey;
  }
}
