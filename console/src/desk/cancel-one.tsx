/** On the page of a message that waits: cancels it. */
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Icon } from '../components/icon.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Refusal } from '../gateway/call.ts';
import { cancelMessages } from '../gateway/cancel.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

export function CancelOne({ msgKey, onDone }: { msgKey: string; onDone: () => void }) {
  const t = useWords();
  const cancelling = useAction();
  const cancel = () =>
    cancelling.run(async () => {
      const { tooLate } = await cancelMessages([msgKey]);
      onDone();
      if (tooLate > 0) throw new Refusal(t.cancel.tooLate(1), 'A825');
    });
  return (
    <>
      <Needs least="operator">
        <ConfirmButton
          label={t.cancel.cancel}
          question={t.cancel.question(1)}
          onConfirm={cancel}
          isDisabled={cancelling.isRunning}
        >
          <Icon name="close" />
        </ConfirmButton>
      </Needs>
      <RefusalNotice refusal={cancelling.refusal} />
    </>
  );
}
