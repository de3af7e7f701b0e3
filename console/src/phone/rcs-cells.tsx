/** An issued template: its title line, text, image and rows of cells; values that only the template can place as a list. */
import type { RcsStep } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import { PhoneImage } from './phone-image.tsx';
import { RcsButtons, RcsSubInfos } from './rcs-card.tsx';
import { cardOf, cellsOf, otherValuesOf, subInfosOf, textOf } from './rcs-content.ts';

export function RcsCells({ step }: { step: RcsStep }) {
  const t = useWords();
  const card = cardOf(step, 0);
  const mainTitle = textOf(step.body?.mTitle);
  const cells = cellsOf(step);
  const others = otherValuesOf(step);
  return (
    <article class="rcs-card rcs-template">
      {card.media && <PhoneImage reference={card.media} ratio="900 / 560" />}
      {mainTitle && <p class="rcs-main-title">{mainTitle}</p>}
      {card.title && <p class="rcs-title">{card.title}</p>}
      {card.text && <p class="rcs-text">{card.text}</p>}
      {cells.length > 0 && (
        <dl class="rcs-cells">
          {cells.map((cell, index) => (
            <div key={index} class={cell.title === undefined ? 'rcs-cell' : 'rcs-cell rcs-cell-title'}>
              <dt>{cell.title ?? cell.left}</dt>
              <dd>{cell.right ?? ''}</dd>
            </div>
          ))}
        </dl>
      )}
      {others.length > 0 && (
        <>
          <p class="rcs-text muted">{t.phone.template(step.formatId ?? '')}</p>
          <dl class="rcs-cells">
            {others.map(([key, value]) => (
              <div key={key} class="rcs-cell">
                <dt>{key}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <RcsSubInfos subInfos={subInfosOf(step)} isAcross={false} />
      <RcsButtons buttons={card.buttons} />
    </article>
  );
}
