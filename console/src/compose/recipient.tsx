/** The recipient. In the sandbox, the last four digits of the number decide what happens to the message. */

import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { optionsOf } from '../components/options.ts';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import type { Draft } from './draft.ts';
import { foundWords, withWord } from './found-words.ts';
import { NameValueRow } from './name-value-row.tsx';

export function Recipient(props: {
  draft: Draft;
  problem: string | undefined;
  /** How often values for placeholders were asked for: each time the first empty one is focused. */
  askedForWords: number;
  onChange: (change: Partial<Draft>) => void;
}) {
  const { draft, askedForWords, onChange } = props;
  const t = useWords();
  const isSandbox = useSession().mode === 'sandbox';
  const words = useRef<HTMLDetailsElement>(null);
  // An international SMS is sent alone, without words.
  const found = draft.steps[0]?.channel === 'international' ? [] : foundWords(draft);
  useEffect(() => {
    if (askedForWords === 0) return;
    const inputs = [...(words.current?.querySelectorAll('input') ?? [])];
    inputs.find(({ value }) => value === '')?.focus();
  }, [askedForWords]);
  const last = draft.to.slice(-4);
  const outcome = Object.hasOwn(t.outcomes, last) ? last : 'delivered';
  const { delivered, ...numbered } = t.outcomes;
  const outcomes = [
    ...optionsOf({ delivered }),
    ...optionsOf(numbered).toSorted((one, other) => one.value.localeCompare(other.value)),
  ];
  return (
    <section class="card" aria-label={t.compose.recipient}>
      <div class="fields">
        <TextField
          label={t.compose.recipient}
          type="tel"
          value={draft.to}
          problem={props.problem}
          onInput={to => onChange({ to })}
        />
        {isSandbox && (
          <SelectField
            label={t.compose.outcome}
            hint={t.compose.outcomeHint}
            value={outcome}
            options={outcomes}
            onChange={value => onChange({ to: withOutcome(draft.to, value) })}
          />
        )}
        <TextField label={t.compose.ref} value={draft.ref} onInput={ref => onChange({ ref })} />
        <TextField
          label={t.messages.groupKey}
          value={draft.groupKey ?? ''}
          onInput={groupKey => onChange({ groupKey })}
        />
      </div>
      <details class="extras" ref={words} open={draft.words.length > 0 || found.length > 0}>
        <summary>{t.compose.words}</summary>
        <p class="field-hint">{t.compose.wordsHint}</p>
        {found.length > 0 && (
          <div class="fields found-words">
            {found.map(name => (
              <TextField
                key={name}
                label={`#{${name}}`}
                value={draft.words.find(word => word.name === name)?.value ?? ''}
                onInput={value => onChange({ words: withWord(draft.words, name, value) })}
              />
            ))}
          </div>
        )}
        {draft.words.map((word, index) =>
          found.includes(word.name) ? null : (
            <NameValueRow
              key={index}
              word={word}
              onChange={next =>
                onChange({ words: draft.words.map((w, place) => (place === index ? next : w)) })
              }
              onRemove={() => onChange({ words: draft.words.filter((_, place) => place !== index) })}
            />
          ),
        )}
        <Button
          kind="quiet"
          isSmall
          icon="add"
          onPress={() => onChange({ words: [...draft.words, { name: '', value: '' }] })}
        >
          {t.compose.addWord}
        </Button>
      </details>
    </section>
  );
}

/** A number whose last four digits decide nothing is delivered. */
function withOutcome(to: string, outcome: string): string {
  const digits = outcome === 'delivered' ? '5678' : outcome;
  return to.length > 4 ? to.slice(0, -4) + digits : `0101234${digits}`;
}
