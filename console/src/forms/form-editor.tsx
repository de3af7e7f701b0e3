/** Changes a saved flow: with the fields of the composer, or as JSON. Checked as a send would be; the phones show it. */
import { useMemo, useState } from 'preact/hooks';
import type { StoredForm } from '../../../src/operations/forms.ts';
import { Button } from '../components/button.tsx';
import { jsonText } from '../components/code-block.tsx';
import { TextField } from '../components/field.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Tabs } from '../components/tabs.tsx';
import { draftOf, type SendRequest, type StepDraft } from '../compose/draft.ts';
import { feedbackOf } from '../compose/field-feedback.ts';
import { FlowEditor } from '../compose/flow-editor.tsx';
import { previewOf } from '../compose/preview.ts';
import { useCheck } from '../compose/use-check.ts';
import { operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { Phone } from '../phone/phone.tsx';
import { useWords } from '../words/words.tsx';

/** A form has no recipient; its check needs one. */
const ANYBODY = '01012345678';

type Entries = StoredForm['entries'];

export function FormEditor(props: { form: StoredForm; onSaved: () => void; onCancel: () => void }) {
  const { form } = props;
  const t = useWords();
  const [steps, setSteps] = useState(() => stepsOf(form.entries));
  const [json, setJson] = useState(() => jsonText(form.entries));
  const canShowFields = (entries: Entries) => stepsOf(entries).length === entries.length;
  const [mode, setMode] = useState<'form' | 'json'>(canShowFields(form.entries) ? 'form' : 'json');
  const saving = useAction();

  const entries = useMemo(
    () => (mode === 'form' ? steps.map(({ channel, entry }) => ({ [channel]: entry })) : parsed(json)),
    [mode, steps, json],
  );
  const request: SendRequest | undefined = entries && {
    kind: 'omni',
    body: { messageFlow: entries, destinations: [{ to: ANYBODY, replaceWords: wordsIn(entries) }] },
  };
  const { checked } = useCheck(form.account, request);
  const feedback = feedbackOf(checked);

  const show = (next: 'form' | 'json') => {
    if (next === 'json') setJson(jsonText(entries ?? []));
    else if (entries && canShowFields(entries)) setSteps(stepsOf(entries));
    else return;
    setMode(next);
  };
  const save = () =>
    saving.run(async () => {
      if (!entries) return;
      const { account: id, formId } = form;
      await operate('PUT /accounts/{id}/forms/{formId}', { id, formId, messageForm: entries });
      props.onSaved();
    });

  return (
    <section class="form-editor" aria-label={t.formEditor.title}>
      <header class="card-head">
        <div>
          <h2 class="key">{form.formId}</h2>
          <p class="muted">{t.formEditor.hint(form.account)}</p>
        </div>
        <Tabs
          label={t.formEditor.title}
          tabs={[
            { id: 'form', label: t.compose.asForm },
            { id: 'json', label: t.compose.asJson },
          ]}
          current={mode}
          onPick={show}
        />
      </header>
      <div class="compose">
        <div class="compose-form">
          {mode === 'form' ? (
            <FlowEditor
              account={form.account}
              steps={steps}
              feedback={feedback}
              hasExamples={false}
              onChange={setSteps}
            />
          ) : (
            <section class="card">
              <TextField
                label="messageForm"
                problem={entries ? undefined : t.compose.jsonBroken}
                value={json}
                rows={22}
                onInput={setJson}
                isCode
              />
            </section>
          )}
          {feedback.general && !feedback.recipient && (
            <p class="notice notice-bad" role="status">
              {feedback.general}
            </p>
          )}
          <RefusalNotice refusal={saving.refusal} />
          <div class="form-end">
            <Button kind="main" isDisabled={saving.isRunning || !entries} onPress={save}>
              {t.common.save}
            </Button>
            <Button kind="quiet" onPress={props.onCancel}>
              {t.common.cancel}
            </Button>
          </div>
        </div>
        <aside class="compose-phones" aria-label={t.compose.preview}>
          {request &&
            previewOf(request).map((step, index) => (
              <figure key={index} class="phone-figure">
                <Phone step={step} account={form.account} />
              </figure>
            ))}
        </aside>
      </div>
    </section>
  );
}

function stepsOf(entries: Entries): readonly StepDraft[] {
  return draftOf('omni', { messageFlow: entries }).steps;
}

/** Every placeholder stands for itself: a send fills it in. */
function wordsIn(entries: Entries): Readonly<Record<string, string>> {
  const found = JSON.stringify(entries).matchAll(/#\{([^}"\\]+)\}/g);
  return Object.fromEntries([...found].map(([placeholder, name = '']) => [name, placeholder]));
}

function parsed(json: string): Entries | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
