/** Cards side by side: swiped with a finger, scrolled with a wheel, turned with two buttons. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useWords } from '../words/words.tsx';

export function Swipe({ cards, size }: { cards: readonly ComponentChildren[]; size: 'small' | 'medium' }) {
  const t = useWords();
  const row = useRef<HTMLUListElement>(null);
  const turn = (direction: 1 | -1) => {
    const width = row.current?.firstElementChild?.clientWidth ?? 0;
    row.current?.scrollBy({ left: direction * (width + 8) });
  };
  return (
    <div class={`swipe swipe-${size}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <ul class="swipe-row" ref={row} tabIndex={0}>
        {cards.map((card, index) => (
          <li key={index} class="swipe-card" aria-label={t.phone.card(index + 1, cards.length)}>
            {card}
          </li>
        ))}
      </ul>
      <div class="swipe-turn">
        <button type="button" aria-label={t.phone.previous} onClick={() => turn(-1)}>
          <Icon name="left" />
        </button>
        <span aria-hidden="true">{cards.length}</span>
        <button type="button" aria-label={t.phone.next} onClick={() => turn(1)}>
          <Icon name="right" />
        </button>
      </div>
    </div>
  );
}
