/** Cards side by side: swiped with a finger, scrolled with a wheel, turned with two buttons. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useWords } from '../words/words.tsx';

/** Between cards, as in the stylesheet. */
const GAP = 8;

export function Swipe({ cards, size }: { cards: readonly ComponentChildren[]; size: 'small' | 'medium' }) {
  const t = useWords();
  const row = useRef<HTMLUListElement>(null);
  const [shown, setShown] = useState(1);
  const turn = (direction: 1 | -1) => {
    const width = row.current?.firstElementChild?.clientWidth ?? 0;
    row.current?.scrollBy({ left: direction * (width + GAP) });
  };
  /** The card at the left edge; at the right end, the last one, which may never get there. */
  const scrolled = ({ currentTarget: list }: { currentTarget: HTMLUListElement }) => {
    const width = list.firstElementChild?.clientWidth ?? 1;
    const isAtEnd = list.scrollLeft + list.clientWidth >= list.scrollWidth - 2;
    setShown(isAtEnd ? cards.length : Math.round(list.scrollLeft / (width + GAP)) + 1);
  };
  const current = Math.min(shown, cards.length);
  return (
    <div class={`swipe swipe-${size}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <ul class="swipe-row" ref={row} tabIndex={0} onScroll={scrolled}>
        {cards.map((card, index) => (
          <li key={index} class="swipe-card" aria-label={t.phone.card(index + 1, cards.length)}>
            {card}
          </li>
        ))}
      </ul>
      <div class="swipe-turn">
        <button
          type="button"
          aria-label={t.phone.previous}
          aria-disabled={current === 1}
          onClick={() => turn(-1)}
        >
          <Icon name="left" />
        </button>
        <span role="status" aria-label={t.phone.card(current, cards.length)}>
          {current}/{cards.length}
        </span>
        <button
          type="button"
          aria-label={t.phone.next}
          aria-disabled={current === cards.length}
          onClick={() => turn(1)}
        >
          <Icon name="right" />
        </button>
      </div>
    </div>
  );
}
