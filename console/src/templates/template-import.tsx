/** Import of templates: the file is tried first, what would happen is shown, and only then anything is stored. */
import { useState } from 'preact/hooks';
import type { ImportedTemplates } from '../../../src/operations/templates.ts';
import { Button } from '../components/button.tsx';
import { FileButton } from '../components/file-button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { isEntry } from '../compose/entry.ts';
import { operate } from '../gateway/operations.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

interface Trial {
  readonly file: string;
  readonly templates: readonly unknown[];
  readonly result: ImportedTemplates;
}

/** The gateway takes a mebibyte at once. */
const LARGEST_FILE = 1_000_000;

export function TemplateImport({ account }: { account: string }) {
  const t = useWords();
  const [trial, setTrial] = useState<Trial | undefined>();
  const [note, setNote] = useState<{ text: string; isBad: boolean } | undefined>();
  const action = useAction();
  const importAll = (templates: readonly unknown[], trial: boolean) =>
    operate('POST /accounts/{id}/templates/import', { id: account, templates, trial });

  const read = (file: File) =>
    action.run(async () => {
      setTrial(undefined);
      setNote(undefined);
      const templates = file.size > LARGEST_FILE ? undefined : listIn(await file.text());
      if (!templates) {
        setNote({ text: file.size > LARGEST_FILE ? t.templates.tooLarge : t.templates.notJson, isBad: true });
        return;
      }
      setTrial({
        file: file.name,
        templates,
        result: await importAll(templates, true),
      });
    });
  const store = ({ templates }: Trial) =>
    action.run(async () => {
      const { created, replaced } = await importAll(templates, false);
      setTrial(undefined);
      setNote({ text: t.templates.imported(created + replaced), isBad: false });
    });

  return (
    <>
      <FileButton
        label={t.templates.import}
        fileLabel={t.templates.importFile}
        accept="application/json,.json"
        isDisabled={action.isRunning}
        onFile={read}
      />
      {trial && (
        <section class="card template-trial" aria-label={t.templates.import} role="status">
          <h2>{trial.file}</h2>
          <p>{t.templates.trial(trial.result.created, trial.result.replaced, trial.result.unchanged)}</p>
          {trial.result.problems.length > 0 && (
            <>
              <p class="field-problem">{t.templates.trialProblems}</p>
              <ul class="template-problems">
                {trial.result.problems.map(({ entry, result }) => (
                  <li key={entry}>{t.templates.problem(entry, result)}</li>
                ))}
              </ul>
            </>
          )}
          <div class="card-actions">
            {trial.result.problems.length === 0 && trial.result.created + trial.result.replaced > 0 && (
              <Button kind="main" isDisabled={action.isRunning} onPress={() => store(trial)}>
                {t.templates.store}
              </Button>
            )}
            <Button kind="quiet" onPress={() => setTrial(undefined)}>
              {t.common.cancel}
            </Button>
          </div>
        </section>
      )}
      {note && (
        <p
          class={`notice ${note.isBad ? 'notice-bad' : 'notice-good'}`}
          role={note.isBad ? 'alert' : 'status'}
        >
          {note.text}
        </p>
      )}
      <RefusalNotice refusal={action.refusal} />
    </>
  );
}

/** A list of templates, or the answer of the API that holds one. */
function listIn(source: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(source);
    const list = isEntry(value) ? (value.templates ?? value.entries) : value;
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
