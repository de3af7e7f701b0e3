/** The length of a field against its limit, as the gateway counts it. */
import type { Measure } from '../gateway/accounts.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function Counter({ measures }: { measures: readonly Measure[] }) {
  const t = useWords();
  return (
    <>
      {measures.map(({ name, value, limit }) => (
        <span key={name} class={limit !== null && value > limit ? 'counter counter-over' : 'counter'}>
          {value.toLocaleString('en')}
          {limit !== null && ` / ${limit.toLocaleString('en')}`} {lookUp(t.compose.measures, name)}
        </span>
      ))}
    </>
  );
}
