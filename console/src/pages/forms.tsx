/** Forms: flows that clients saved. */
import { useState } from 'preact/hooks';
import type { StoredForm } from '../../../src/operations/forms.ts';
import { useList } from '../answers/use-list.ts';
import { AccountPicker, useAccountInAddress } from '../components/account-picker.tsx';
import { Button } from '../components/button.tsx';
import { CodeBlock, jsonText } from '../components/code-block.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { LoadedList } from '../components/list.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Time } from '../components/time.tsx';
import { FormEditor } from '../forms/form-editor.tsx';
import { askList, operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function FormsPage() {
  const t = useWords();
  const choice = useAccountInAddress(true);
  const removing = useAction();
  const [edited, setEdited] = useState<StoredForm | undefined>();
  const [saved, setSaved] = useState<string | undefined>();
  const { account } = choice;
  const forms = useList(account === undefined ? undefined : askList('GET /forms', 'forms', { account }));
  if (edited) {
    return (
      <>
        <PageHead title={t.formEditor.title} />
        <FormEditor
          form={edited}
          onSaved={() => {
            setEdited(undefined);
            setSaved(edited.formId);
          }}
          onCancel={() => setEdited(undefined)}
        />
      </>
    );
  }
  return (
    <>
      <PageHead title={t.forms.title} intro={t.forms.intro}>
        <AccountPicker choice={choice} allowsAll />
      </PageHead>
      <p role="status" class={saved ? 'notice notice-good' : 'sr-only'}>
        {saved && t.formEditor.saved(saved)}
      </p>
      <RefusalNotice refusal={removing.refusal} />
      <LoadedList of={forms} empty={<EmptyState title={t.forms.empty} hint={t.forms.emptyHint} />}>
        {rows => (
          <ul class="cards">
            {rows.map(form => (
              <FormCard
                key={form.formId}
                form={form}
                onEdit={() => setEdited(form)}
                onRemove={() =>
                  removing.run(() =>
                    operate('DELETE /accounts/{id}/forms/{formId}', {
                      id: form.account,
                      formId: form.formId,
                    }),
                  )
                }
              />
            ))}
          </ul>
        )}
      </LoadedList>
    </>
  );
}

function FormCard({
  form,
  onEdit,
  onRemove,
}: {
  form: StoredForm;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const t = useWords();
  const channels = form.entries.map(entry => lookUp(t.channels, Object.keys(entry)[0] ?? ''));
  return (
    <li class="card">
      <header class="card-head">
        <div>
          <h2 class="key">{form.formId}</h2>
          <p class="muted">
            {form.account} · {channels.join(' → ')} · {t.forms.saved} <Time at={form.savedAt} />
          </p>
        </div>
        <div class="card-actions">
          <Needs least="operator">
            <Button kind="quiet" isSmall onPress={onEdit}>
              {t.formEditor.edit}
            </Button>
            <ConfirmButton label={t.common.remove} question={t.common.confirmRemove} onConfirm={onRemove} />
          </Needs>
        </div>
      </header>
      <details class="extras">
        <summary>{t.forms.steps}</summary>
        <CodeBlock title="messageForm" code={jsonText(form.entries)} />
      </details>
    </li>
  );
}
