/** To whom, and what the simulated network does with it: the last four digits of the number decide. */

import { SelectField, TextField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import type { Draft } from './draft.ts';
import { NameValueRow } from './name-value-row.tsx';

export function Recipient(props: {
  draft: Draft;
  problem: string | undefined;
  onChange: (change: Partial<Draft>) => void;
}) {
  const { draft, onChange } = props;
  const t = useWords();
  const isSandbox = useSession().mode === 'sandbox';
  const last = draft.to.slice(-4);
  const fate = Object.hasOwn(t.fates, last) ? last : 'delivered';
  const { delivered, ...numbered } = t.fates;
  const fates = [
    { value: 'delivered', label: delivered },
    ...Object.entries(numbered)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([value, label]) => ({ value, label })),
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
            label={t.compose.fate}
            hint={t.compose.fateHint}
            value={fate}
            options={fates}
            onChange={value => onChange({ to: withFate(draft.to, value) })}
          />
        )}
        <TextField label={t.compose.ref} value={draft.ref} onInput={ref => onChange({ ref })} />
      </div>
      <details class="extras" open={draft.words.length > 0}>
        <summary>{t.compose.words}</summary>
        <p class="field-hint">{t.compose.wordsHint}</p>
        {draft.words.map((word, index) => (
          <NameValueRow
            key={index}
            word={word}
            onChange={next =>
              onChange({ words: draft.words.map((w, place) => (place === index ? next : w)) })
            }
            onRemove={() => onChange({ words: draft.words.filter((_, place) => place !== index) })}
          />
        ))}
        <button
          type="button"
          class="button button-quiet button-small"
          onClick={() => onChange({ words: [...draft.words, { name: '', value: '' }] })}
        >
          <Icon name="add" /> {t.compose.addWord}
        </button>
      </details>
    </section>
  );
}

/** Any number without a fate of its own is delivered. */
function withFate(to: string, fate: string): string {
  const digits = fate === 'delivered' ? '5678' : fate;
  return to.length > 4 ? to.slice(0, -4) + digits : `0101234${digits}`;
}
