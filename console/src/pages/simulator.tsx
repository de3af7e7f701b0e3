/** Simulator: faults for the simulated network, and the recipients whose number decides the outcome. */
import { useEffect, useId, useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { Loading } from '../components/loading.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Chaos, endChaos, readChaos, setChaos } from '../gateway/simulator.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { useWords } from '../words/words.tsx';

const MOST_LATENCY_MS = 10_000;

export function SimulatorPage() {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => readChaos(signal), []);
  return (
    <>
      <PageHead title={t.simulator.title} intro={t.simulator.intro} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && <Loading />}
      {answer && <ChaosForm chaos={answer} onChanged={reload} />}
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

function ChaosForm({ chaos, onChanged }: { chaos: Chaos; onChanged: () => void }) {
  const t = useWords();
  const [wanted, setWanted] = useState(chaos);
  const changing = useAction();
  useEffect(() => setWanted(chaos), [chaos]);
  const isDisturbed = chaos.errorRate > 0 || chaos.dropRate > 0 || chaos.extraLatencyMs > 0;
  const apply = (event: Event) => {
    event.preventDefault();
    changing.run(async () => {
      await setChaos(wanted);
      onChanged();
    });
  };
  return (
    <form class="card" onSubmit={apply}>
      <header class="card-head">
        <Badge tone={isDisturbed ? 'doubt' : 'good'}>
          {isDisturbed ? t.simulator.disturbed : t.simulator.normal}
        </Badge>
      </header>
      <div class="sliders">
        <Slider
          label={t.simulator.errorRate}
          hint={t.simulator.errorHint}
          value={wanted.errorRate * 100}
          max={100}
          shown={`${Math.round(wanted.errorRate * 100)}%`}
          onInput={value => setWanted({ ...wanted, errorRate: value / 100 })}
        />
        <Slider
          label={t.simulator.dropRate}
          hint={t.simulator.dropHint}
          value={wanted.dropRate * 100}
          max={100}
          shown={`${Math.round(wanted.dropRate * 100)}%`}
          onInput={value => setWanted({ ...wanted, dropRate: value / 100 })}
        />
        <Slider
          label={t.simulator.latency}
          hint={t.simulator.latencyHint}
          value={wanted.extraLatencyMs}
          max={MOST_LATENCY_MS}
          step={100}
          shown={`${wanted.extraLatencyMs.toLocaleString('en')} ms`}
          onInput={value => setWanted({ ...wanted, extraLatencyMs: value })}
        />
      </div>
      <div class="form-end">
        <Needs least="operator">
          <button type="submit" class="button button-main" disabled={changing.isRunning}>
            {t.simulator.apply}
          </button>
          <button
            type="button"
            class="button button-quiet"
            disabled={changing.isRunning || !isDisturbed}
            onClick={() =>
              changing.run(async () => {
                await endChaos();
                onChanged();
              })
            }
          >
            {t.simulator.reset}
          </button>
        </Needs>
      </div>
      <RefusalNotice refusal={changing.refusal} />
    </form>
  );
}

function Slider(props: {
  label: string;
  hint: string;
  value: number;
  max: number;
  step?: number;
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
        step={props.step ?? 1}
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
