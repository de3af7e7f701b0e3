/** On the page of a message: cancels it while it waits. Why that was too late stays to be read when it does not wait any more. */
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Refusal } from '../gateway/call.ts';
import { cancelMessages } from '../gateway/message-order.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

export function CancelOne({ msgKey, isOffered }: { msgKey: string; isOffered: boolean }) {
  const t = useWords();
  const cancelling = useAction();
  const cancel = () =>
    cancelling.run(async () => {
      const { tooLate } = await cancelMessages({ msgKeys: [msgKey] });
      if (tooLate > 0) throw new Refusal(t.cancel.tooLate(1), 'A825');
    });
  return (
    <>
      {isOffered && (
        <Needs least="operator">
          <ConfirmButton
            label={t.cancel.cancel}
            question={t.cancel.question(1)}
            onConfirm={cancel}
            isDisabled={cancelling.isRunning}
            icon="close"
          />
        </Needs>
      )}
      <RefusalNotice refusal={cancelling.refusal} />
    </>
  );
}
