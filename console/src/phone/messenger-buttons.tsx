import type { MessengerButton } from '../gateway/steps.ts';
import { lookUp, useWords } from '../words/words.tsx';
import { PhoneButton } from './phone-button.tsx';

/** Buttons below a message. One that adds the channel stands out, as in the messenger. */
export function MessengerButtons({ buttons = [] }: { buttons?: readonly MessengerButton[] | undefined }) {
  const t = useWords();
  if (buttons.length === 0) return null;
  return (
    <div class="talk-buttons">
      {buttons.map((button, index) => (
        <span key={index} class={button.type === 'AC' ? 'talk-add-channel' : undefined}>
          <PhoneButton
            label={button.name || lookUp(t.options.messengerButtons, button.type ?? '')}
            target={targetOf(button)}
          />
        </span>
      ))}
    </div>
  );
}

function targetOf(button: MessengerButton): string | undefined {
  return (
    button.urlMobile ??
    button.urlPc ??
    button.telNumber ??
    button.schemeAndroid ??
    button.schemeIos ??
    undefined
  );
}
