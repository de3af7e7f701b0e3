/** The content of a template beside the phone that shows it. Its fields are those of the message that is made from it. */

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { TemplateKind } from '../../../src/domain/registry/template.ts';
import { SelectField, TextField } from '../components/field.tsx';
import { optionsOf } from '../components/options.ts';
import { type Entry, textAt, withValue } from '../compose/entry.ts';
import { FieldEditor } from '../compose/field-editor.tsx';
import type { FieldFeedback } from '../compose/field-feedback.ts';
import type { Measure } from '../gateway/accounts.ts';
import type { Refusal } from '../gateway/call.ts';
import type { Step } from '../gateway/steps.ts';
import { Phone } from '../phone/phone.tsx';
import { useWords } from '../words/words.tsx';
import { pathInMessage, shownStep } from './template-entry.ts';
import { templateFields } from './template-fields.ts';

export interface TemplateDraft {
  readonly kind: TemplateKind;
  readonly name: string;
  readonly entry: Entry;
}

const KEY_FIELDS = ['senderKey', 'templateCode'];

/** What the messenger allows; an item and a button have limits of their own, which the gateway tells. */
const LIMITS: Readonly<Record<string, number>> = {
  text: 1000,
  title: 50,
  header: 16,
  'attachment.itemHighlight.title': 30,
  'attachment.itemHighlight.description': 19,
};

export function TemplateEditor(props: {
  account: string;
  draft: TemplateDraft;
  /** Of a template that exists: its key stays. */
  isKeyFixed: boolean;
  isLocked: boolean;
  refusal: Refusal | undefined;
  onChange: (change: Partial<TemplateDraft>) => void;
  children: ComponentChildren;
}) {
  const { draft, onChange } = props;
  const { kind, entry } = draft;
  const t = useWords();
  const titleId = useId();
  const feedback = feedbackFor(entry, props.refusal);
  const change = (next: Entry) => onChange({ entry: next });
  const rows = templateFields(kind, entry).filter(row => !props.isKeyFixed || !KEY_FIELDS.includes(row.path));
  const editor = (row: (typeof rows)[number]) => (
    <FieldEditor
      key={row.path}
      account={props.account}
      step={0}
      head=""
      feedback={feedback}
      row={row}
      entry={entry}
      onChange={change}
    />
  );
  const extras = rows.filter(row => row.isExtra);
  return (
    <div class="compose">
      <div class="compose-form">
        <section class="card" aria-labelledby={titleId}>
          <h2 id={titleId}>{t.templates.content}</h2>
          <fieldset class="needs" disabled={props.isLocked}>
            <div class="fields template-fields">
              <TextField
                label={t.templates.name}
                hint={t.templates.nameHint}
                value={draft.name}
                onInput={name => onChange({ name })}
              />
              {kind === 'rcsTemplate' ? (
                <RcsFields
                  entry={entry}
                  isKeyFixed={props.isKeyFixed}
                  feedback={feedback}
                  onChange={change}
                />
              ) : (
                rows.filter(row => !row.isExtra).map(editor)
              )}
            </div>
            {extras.length > 0 && (
              <details class="extras">
                <summary>{t.compose.advanced}</summary>
                <div class="fields">{extras.map(editor)}</div>
              </details>
            )}
          </fieldset>
          <Variables kind={kind} entry={entry} />
        </section>
        {props.children}
      </div>
      <aside class="compose-phones" aria-label={t.compose.preview}>
        <figure class="phone-figure">
          <Phone step={shownStep(kind, entry) as unknown as Step} account={props.account} />
        </figure>
      </aside>
    </div>
  );
}

function RcsFields(props: {
  entry: Entry;
  isKeyFixed: boolean;
  feedback: FieldFeedback;
  onChange: (entry: Entry) => void;
}) {
  const { entry, feedback, onChange } = props;
  const t = useWords();
  const set = (path: string) => (value: string) => onChange(withValue(entry, path, value));
  return (
    <>
      {!props.isKeyFixed && (
        <TextField
          label={t.fields.templateId}
          value={textAt(entry, 'formatId')}
          problem={feedback.problemAt(0, 'formatId')}
          onInput={set('formatId')}
        />
      )}
      <SelectField
        label={t.templates.rcsKind}
        value={textAt(entry, 'templateKind') || 'free'}
        options={optionsOf(t.templates.rcsKinds)}
        problem={feedback.problemAt(0, 'templateKind')}
        onChange={set('templateKind')}
      />
      <TextField
        label={t.fields.brandKey}
        value={textAt(entry, 'brandKey')}
        problem={feedback.problemAt(0, 'brandKey')}
        onInput={set('brandKey')}
      />
      <TextField
        label={t.fields.text}
        hint={t.templates.rcsTextHint}
        value={textAt(entry, 'text')}
        problem={feedback.problemAt(0, 'text')}
        rows={6}
        class="field-wide"
        onInput={set('text')}
      />
    </>
  );
}

/** Found in the text while it is written. */
function Variables({ kind, entry }: { kind: TemplateKind; entry: Entry }) {
  const t = useWords();
  const names = variablesIn(entry, kind === 'rcsTemplate' ? /\{\{([^{}]+)\}\}/g : /#\{([^{}]*)\}/g);
  return (
    <p class="template-variables">
      <span>{t.templates.variables}</span>{' '}
      {names.length === 0
        ? t.templates.noVariables
        : names.map(name => <code key={name}>{kind === 'rcsTemplate' ? `{{${name}}}` : `#{${name}}`}</code>)}
    </p>
  );
}

/** The names between the marks of `form`, in order, each once. */
function variablesIn(value: unknown, form: RegExp): string[] {
  if (typeof value === 'string') return [...new Set([...value.matchAll(form)].map(([, name = '']) => name))];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(member => variablesIn(member, form)))];
}

/** A refusal names the field that it is about, as the registry calls it. */
function feedbackFor(entry: Entry, refusal: Refusal | undefined): FieldFeedback {
  const named = refusal && /"([^"]+)"/.exec(refusal.message)?.[1];
  const at = named === undefined ? undefined : pathInMessage(named);
  return {
    problemAt: (_step, path) =>
      at !== undefined && (at === path || at.startsWith(`${path}.`)) ? refusal?.message : undefined,
    measuresAt: (_step, path) => measuresOf(entry, path),
    recipient: undefined,
    general: refusal?.message,
    isOk: refusal === undefined,
    unfilled: [],
    warningsAt: () => [],
  };
}

function measuresOf(entry: Entry, path: string): readonly Measure[] {
  const limit = LIMITS[path];
  if (limit === undefined) return [];
  return [{ name: 'characters', field: path, value: [...textAt(entry, path)].length, limit }];
}
