/** One card of an RCS message: image, title, text, buttons. */
import { useWords } from '../words/words.tsx';
import { PhoneButton } from './phone-button.tsx';
import { PhoneImage } from './phone-image.tsx';
import type { RcsButton, RcsCard, SubInfo } from './rcs-content.ts';
import type { RcsLayout } from './rcs-layout.ts';

/** `isBare`: the caller draws the frame and the buttons, because it puts more into the card. */
export function RcsCardView({
  card,
  layout,
  isBare,
}: {
  card: RcsCard;
  layout: RcsLayout;
  isBare?: boolean;
}) {
  const t = useWords();
  const hasImage = layout.shape !== 'text' && (card.media !== undefined || layout.shape !== 'media');
  const isEmpty = !card.title && !card.text && !card.media;
  const content = (
    <>
      {hasImage && (
        <div class="rcs-media">
          <PhoneImage reference={card.media} ratio={layout.ratio} />
          {layout.isTitleOver && card.title && <p class="rcs-title-over">{card.title}</p>}
        </div>
      )}
      {layout.isButtonInMiddle && <RcsButtons buttons={card.buttons} />}
      {!layout.isTitleOver && card.title && <p class="rcs-title">{card.title}</p>}
      {card.text && <p class="rcs-text">{card.text}</p>}
      {isEmpty && !hasImage && <p class="rcs-text muted">{t.phone.empty}</p>}
    </>
  );
  if (isBare) return content;
  return (
    <article class="rcs-card">
      {content}
      <RcsButtons buttons={card.buttons} />
    </article>
  );
}

export function RcsButtons({ buttons }: { buttons: readonly RcsButton[] }) {
  if (buttons.length === 0) return null;
  return (
    <div class="rcs-buttons">
      {buttons.map((button, index) => (
        <PhoneButton key={index} label={button.label} target={button.target} />
      ))}
    </div>
  );
}

export function RcsSubInfos({ subInfos, isAcross }: { subInfos: readonly SubInfo[]; isAcross: boolean }) {
  if (subInfos.length === 0) return null;
  return (
    <ul class={isAcross ? 'rcs-subs rcs-subs-across' : 'rcs-subs'}>
      {subInfos.map((info, index) => (
        <li key={index}>
          {info.media && <PhoneImage reference={info.media} ratio="1 / 1" />}
          <div>
            {info.title && <p class="rcs-sub-title">{info.title}</p>}
            {info.text && <p class="rcs-sub-text">{info.text}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
