/** The filters of a list. On a phone only the first is shown until the others are asked for, so that the list is on the screen. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

export function Filters(props: {
  /** How many of them, other than the first, narrow the list down. */
  given: number;
  children: ComponentChildren;
}) {
  const t = useWords();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div id={id} class={isOpen ? 'filters' : 'filters filters-closed'}>
        {props.children}
      </div>
      <Button
        kind="quiet"
        isSmall
        class="filters-toggle"
        icon={isOpen ? 'up' : 'down'}
        isExpanded={isOpen}
        controls={id}
        onPress={() => setOpen(!isOpen)}
      >
        {isOpen ? t.filters.fewer : t.filters.more(props.given)}
      </Button>
    </>
  );
}
