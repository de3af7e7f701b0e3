/** Saves what a search finds as a file for spreadsheets. */
import { useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { exportMessages, type MessageSearch } from '../gateway/messages.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

export function ExportButton({ search }: { search: MessageSearch }) {
  const t = useWords();
  const exporting = useAction();
  const [isCut, setCut] = useState(false);
  const save = () =>
    exporting.run(async () => {
      const { text, isWhole } = await exportMessages(search);
      setCut(!isWhole);
      saveFile('messages.csv', text);
    });
  return (
    <>
      <button type="button" class="button" disabled={exporting.isRunning} onClick={save}>
        <Icon name="down" /> {exporting.isRunning ? t.common.loading : t.desk.csv}
      </button>
      {isCut && (
        <p class="notice" role="status">
          {t.desk.csvCut}
        </p>
      )}
      <RefusalNotice refusal={exporting.refusal} />
    </>
  );
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
