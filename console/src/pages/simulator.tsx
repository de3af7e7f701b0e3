/** Simulator: faults for the simulated network, and the recipients whose number decides the outcome. */

import { useEffect, useId, useState } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Form } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Chaos, endChaos, readChaos, setChaos } from '../gateway/simulator.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

const percent = (value: number) => `${Math.round(value * 100)}%`;
const orOff = (shown: (value: number) => string) => (value: number, off: string) =>
  value === 0 ? off : shown(value);

/** The sliders, in their order. */
const SLIDERS: readonly {
  readonly name: keyof Chaos;
  readonly max: number;
  readonly step: number;
  readonly shown: (value: number, off: string) => string;
}[] = [
  { name: 'errorRate', max: 1, step: 0.01, shown: percent },
  { name: 'dropRate', max: 1, step: 0.01, shown: percent },
  { name: 'lateRate', max: 1, step: 0.01, shown: percent },
  { name: 'extraLatencyMs', max: 10_000, step: 100, shown: value => `${value.toLocaleString('en')} ms` },
  { name: 'throttleAbove', max: 200, step: 1, shown: orOff(value => `${value} / s`) },
  { name: 'partLength', max: 200, step: 1, shown: orOff(String) },
  { name: 'partErrorRate', max: 1, step: 0.01, shown: percent },
];

export function SimulatorPage() {
  const t = useWords();
  const chaos = useAnswer(readChaos());
  return (
    <>
      <PageHead title={t.simulator.title} intro={t.simulator.intro} />
      <Loaded of={chaos}>{set => <ChaosForm chaos={set} />}</Loaded>
      <section class="card" aria-label={t.simulator.outcomesTitle}>
        <h2>{t.simulator.outcomesTitle}</h2>
        <p class="muted">{t.simulator.outcomesHint}</p>
        <ul class="fixed-outcomes">
          {Object.entries(t.outcomes)
            .filter(([digits]) => digits !== 'delivered')
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([digits, outcome]) => (
              <li key={digits}>{outcome}</li>
            ))}
        </ul>
      </section>
    </>
  );
}

function ChaosForm({ chaos }: { chaos: Chaos }) {
  const t = useWords();
  const [wanted, setWanted] = useState(chaos);
  const changing = useAction();
  useEffect(() => setWanted(chaos), [chaos]);
  const isDisturbed = SLIDERS.some(({ name }) => chaos[name] > 0);
  return (
    <Form
      class="card"
      least="operator"
      submit={t.simulator.apply}
      others={
        <Button
          kind="quiet"
          isDisabled={changing.isRunning || !isDisturbed}
          onPress={() => changing.run(endChaos)}
        >
          {t.simulator.reset}
        </Button>
      }
      onSubmit={() => setChaos(wanted)}
    >
      <header class="card-head">
        <Badge tone={isDisturbed ? 'doubt' : 'good'}>
          {isDisturbed ? t.simulator.disturbed : t.simulator.normal}
        </Badge>
      </header>
      <div class="sliders">
        {SLIDERS.map(({ name, max, step, shown }) => (
          <Slider
            key={name}
            label={t.simulator.faults[name].label}
            hint={t.simulator.faults[name].hint}
            value={wanted[name]}
            max={max}
            step={step}
            shown={shown(wanted[name], t.simulator.off)}
            onInput={value => setWanted({ ...wanted, [name]: value })}
          />
        ))}
      </div>
      <RefusalNotice refusal={changing.refusal} />
    </Form>
  );
}

function Slider(props: {
  label: string;
  hint: string;
  value: number;
  max: number;
  step: number;
  shown: string;
  onInput: (value: number) => void;
}) {
  const id = useId();
  return (
    <div class="slider">
      <div class="field-head">
        <label for={id}>{props.label}</label>
        <output for={id}>{props.shown}</output>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={props.max}
        step={props.step}
        value={props.value}
        aria-describedby={`${id}-hint`}
        onInput={event => props.onInput(Number(event.currentTarget.value))}
      />
      <p class="field-hint" id={`${id}-hint`}>
        {props.hint}
      </p>
    </div>
  );
}
