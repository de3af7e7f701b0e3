/** Saves what a search finds as a file for spreadsheets. */
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { exportMessages, type MessageSearch } from '../gateway/messages.ts';
import { useAction } from '../gateway/use-action.ts';
import { saveFile } from '../save-file.ts';
import { useWords } from '../words/words.tsx';

export function ExportButton({ search }: { search: MessageSearch }) {
  const t = useWords();
  const exporting = useAction({ isRead: true });
  const [isCut, setCut] = useState(false);
  const save = () =>
    exporting.run(async () => {
      const { text, isWhole } = await exportMessages(search);
      setCut(!isWhole);
      saveFile('messages.csv', text);
    });
  return (
    <>
      <Button icon="down" isDisabled={exporting.isRunning} onPress={save}>
        {exporting.isRunning ? t.common.loading : t.desk.csv}
      </Button>
      {isCut && (
        <p class="notice" role="status">
          {t.desk.csvCut}
        </p>
      )}
      <RefusalNotice refusal={exporting.refusal} />
    </>
  );
}
