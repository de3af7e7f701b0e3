/** Labelled inputs. The label is bound to its input, a hint and a problem are read with it. */
import { type ComponentChildren, createElement } from 'preact';
import { useId } from 'preact/hooks';
import type { Option } from './options.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  /** Shown at the right of the label, such as a counter. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'datetime-local' | 'url' | 'tel' | 'search';
  readonly placeholder?: string;
  /** Of a number: whole ones without it. */
  readonly step?: 'any';
  readonly rows?: number;
  readonly autocomplete?: string;
  readonly isCode?: boolean;
}

export function TextField(props: TextFieldProps) {
  const id = useId();
  const common = {
    id,
    value: props.value,
    placeholder: props.placeholder,
    spellcheck: false,
    autocomplete: props.autocomplete ?? 'off',
    class: props.isCode ? 'input code-input' : 'input',
    'aria-invalid': props.problem !== undefined,
    'aria-describedby': describedBy(id, props),
    onInput: (event: Event) => {
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
        props.onInput(target.value);
      }
    },
  };
  return (
    <FieldFrame id={id} {...props}>
      {props.rows ? (
        <textarea {...common} rows={props.rows} />
      ) : (
        // The types of JSX want the type of an input as a literal.
        createElement('input', { ...common, type: props.type ?? 'text', step: props.step })
      )}
    </FieldFrame>
  );
}

export function SelectField(
  props: FieldProps & {
    value: string;
    options: readonly Option[];
    onChange: (value: string) => void;
    isLabelHidden?: boolean;
  },
) {
  const id = useId();
  return (
    <FieldFrame id={id} {...props}>
      <select
        id={id}
        class="input select"
        value={props.value}
        title={titleOf(props)}
        aria-invalid={props.problem !== undefined}
        aria-describedby={describedBy(id, props)}
        onChange={event => props.onChange(event.currentTarget.value)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

export function CheckField(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isOn}
        onChange={event => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}

function FieldFrame(props: FieldProps & { id: string; children: ComponentChildren }) {
  const { id, label, hint, problem, aside } = props;
  return (
    <div class={`field ${problem ? 'field-bad' : ''} ${props.class ?? ''}`}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {aside && <span class="field-aside">{aside}</span>}
      </div>
      {props.children}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

const MOST_SHOWN = 20;

/** All of the chosen label, where the field may be too narrow for it. */
function titleOf({ options, value }: { options: readonly Option[]; value: string }): string | undefined {
  const label = options.find(option => option.value === value)?.label ?? '';
  return label.length > MOST_SHOWN ? label : undefined;
}

function describedBy(id: string, { hint, problem }: FieldProps): string | undefined {
  const ids = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}
