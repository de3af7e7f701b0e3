/** An RCS message by its format: text, media card, emphasis, thumbnail, SNS, carousel, or the cells of a template. */
import type { RcsStep } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import { RcsButtons, RcsCardView, RcsSubInfos } from './rcs-card.tsx';
import { RcsCells } from './rcs-cells.tsx';
import { cardOf, subInfosOf } from './rcs-content.ts';
import { type RcsLayout, rcsLayout } from './rcs-layout.ts';
import { Swipe } from './swipe.tsx';

export function RcsBubble({ step }: { step: RcsStep }) {
  const t = useWords();
  const layout = rcsLayout(step.formatId ?? '');
  return (
    <div class="rcs-message">
      {step.header === '1' && <p class="rcs-ad">{t.phone.advertisement}</p>}
      <RcsContent step={step} layout={layout} />
      {step.footer && (
        <p class="rcs-footer">
          {t.phone.optOut} {step.footer}
        </p>
      )}
    </div>
  );
}

function RcsContent({ step, layout }: { step: RcsStep; layout: RcsLayout }) {
  switch (layout.shape) {
    case 'carousel': {
      const cards = Array.from({ length: layout.cards ?? 2 }, (_, index) => (
        <RcsCardView key={index} card={cardOf(step, index + 1)} layout={layout} />
      ));
      return <Swipe cards={cards} size={layout.size ?? 'medium'} />;
    }
    case 'cells':
      return <RcsCells step={step} />;
    case 'text':
    case 'media':
    case 'emphasis':
    case 'thumbnail':
    case 'sns': {
      const card = cardOf(step, 0);
      return (
        <article class={`rcs-card rcs-${layout.shape}`}>
          <RcsCardView card={card} layout={layout} isBare />
          <RcsSubInfos subInfos={subInfosOf(step)} isAcross={layout.isAcross ?? false} />
          {!layout.isButtonInMiddle && <RcsButtons buttons={card.buttons} />}
        </article>
      );
    }
  }
}
