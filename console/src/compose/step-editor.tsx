/** One message of the flow: its channel, its fields, its position. */
import { useId, useState } from 'preact/hooks';
import { Button, IconButton } from '../components/button.tsx';
import { CHANNELS, type Channel } from '../gateway/steps.ts';
import { useWords } from '../words/words.tsx';
import type { StepDraft } from './draft.ts';
import type { Entry } from './entry.ts';
import { FieldEditor } from './field-editor.tsx';
import type { FieldFeedback } from './field-feedback.ts';
import { fieldsOf } from './fields.ts';
import { TemplatePicker, TemplateWarnings } from './template-picker.tsx';

/** What the gateway takes as an LMS. */
const LMS_BYTES = 2000;

export function StepEditor(props: {
  account: string;
  step: StepDraft;
  index: number;
  count: number;
  feedback: FieldFeedback;
  onChannel: (channel: Channel) => void;
  onEntry: (entry: Entry) => void;
  /** Sends a text that is too long for an SMS as an LMS. */
  onLong: () => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}) {
  const { step, index, count } = props;
  const t = useWords();
  const channelId = useId();
  // Fields that keep what is typed begin anew with a template.
  const [picks, setPicks] = useState(0);
  const rows = fieldsOf(step.channel, step.entry);
  const editor = (row: (typeof rows)[number]) => (
    <FieldEditor
      key={`${row.path}-${row.word}-${picks}`}
      account={props.account}
      step={index}
      head=""
      feedback={props.feedback}
      row={row}
      entry={step.entry}
      onChange={props.onEntry}
    />
  );
  const isLongSms =
    step.channel === 'sms' &&
    props.feedback
      .measuresAt(index, 'text')
      .some(({ name, value, limit }) => name === 'bytes' && value > (limit ?? value) && value <= LMS_BYTES);
  const extras = rows.filter(row => row.isExtra);
  const title = index === 0 ? t.compose.firstMessage : t.compose.fallbackStep(index);
  return (
    <section class="card step" aria-label={title}>
      <header class="step-head">
        <span class="step-number" aria-hidden="true">
          {index + 1}
        </span>
        <h2>{title}</h2>
        <label class="sr-only" for={channelId}>
          {t.common.channel}
        </label>
        <select
          id={channelId}
          class="input select step-channel"
          value={step.channel}
          onChange={event => {
            const picked = CHANNELS.find(channel => channel === event.currentTarget.value);
            if (picked) props.onChannel(picked);
          }}
        >
          {CHANNELS.filter(channel => channel !== 'international' || count === 1).map(channel => (
            <option key={channel} value={channel}>
              {t.channels[channel]}
            </option>
          ))}
        </select>
        {count > 1 && (
          <span class="step-moves">
            <IconButton
              label={t.common.moveUp}
              icon="up"
              isDisabled={index === 0}
              onPress={() => props.onMove(-1)}
            />
            <IconButton
              label={t.common.moveDown}
              icon="down"
              isDisabled={index === count - 1}
              onPress={() => props.onMove(1)}
            />
            <IconButton label={t.common.remove} icon="close" onPress={props.onRemove} />
          </span>
        )}
      </header>
      <TemplatePicker
        account={props.account}
        step={step}
        onPick={entry => {
          setPicks(picks + 1);
          props.onEntry(entry);
        }}
      />
      <TemplateWarnings warnings={props.feedback.warningsAt(index)} />
      <div class="fields">{rows.filter(row => !row.isExtra).map(editor)}</div>
      {isLongSms && (
        <p class="offer">
          <span>{t.composing.tooLongForSms}</span>
          <Button isSmall onPress={props.onLong}>
            {t.composing.sendAsLms}
          </Button>
        </p>
      )}
      {extras.length > 0 && (
        <details class="extras">
          <summary>{t.compose.advanced}</summary>
          <div class="fields">{extras.map(editor)}</div>
        </details>
      )}
    </section>
  );
}
