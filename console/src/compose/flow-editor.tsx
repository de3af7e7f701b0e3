/** The messages of a flow, one below the other, and a button that adds one. */
import { Button } from '../components/button.tsx';
import { useLanguage, useWords } from '../words/words.tsx';
import { changedEntry, textsOf } from './change-channel.ts';
import type { StepDraft } from './draft.ts';
import { newEntry } from './examples.ts';
import type { FieldFeedback } from './field-feedback.ts';
import { StepEditor } from './step-editor.tsx';

export function FlowEditor(props: {
  account: string;
  steps: readonly StepDraft[];
  feedback: FieldFeedback;
  /** A new message begins with an example. */
  hasExamples: boolean;
  onChange: (steps: readonly StepDraft[]) => void;
}) {
  const { steps, onChange, hasExamples } = props;
  const t = useWords();
  const { language } = useLanguage();
  const begun = (channel: StepDraft['channel']) => newEntry(channel, language, hasExamples);
  const change = (index: number, part: Partial<StepDraft>) =>
    onChange(steps.map((step, place) => (place === index ? { ...step, ...part } : step)));
  const add = () => {
    const id = Math.max(0, ...steps.map(step => step.id)) + 1;
    onChange([...steps, { id, channel: 'sms', entry: begun('sms') }]);
  };
  return (
    <>
      {steps.map((step, index) => (
        <StepEditor
          key={step.id}
          account={props.account}
          step={step}
          index={index}
          count={steps.length}
          feedback={props.feedback}
          onEntry={entry => change(index, { entry })}
          onLong={() => change(index, { channel: 'mms', entry: textsOf(step.entry) })}
          onChannel={channel => change(index, { channel, entry: changedEntry(step, channel, begun) })}
          onMove={by => onChange(moved(steps, index, index + by))}
          onRemove={() => onChange(steps.filter((_, place) => place !== index))}
        />
      ))}
      {steps[0]?.channel === 'international' ? (
        <p class="field-hint">{t.compose.internationalAlone}</p>
      ) : (
        <p class="add-step">
          <Button kind="quiet" icon="add" onPress={add}>
            {t.compose.addStep}
          </Button>
          <span class="field-hint">{t.compose.flowHint}</span>
        </p>
      )}
    </>
  );
}

function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
