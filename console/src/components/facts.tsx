/** Names and values; those that do not apply are left out. */
import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts(props: {
  facts: readonly (Fact | false | undefined | null)[];
  label?: string;
  class?: string;
}) {
  return (
    <dl class={['summary', props.class].filter(Boolean).join(' ')} aria-label={props.label}>
      {props.facts.map(
        fact =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
