/** Above a list of messages: cancels those that wait. */
import { ConfirmButton } from '../components/confirm-button.tsx';
import { cancelMessages, isCancellable } from '../gateway/message-order.ts';
import { useWords } from '../words/words.tsx';
import { OrderBar, type OrderBarProps } from './order-bar.tsx';

export function CancelBar(props: OrderBarProps) {
  const t = useWords();
  return (
    <OrderBar
      {...props}
      words={t.cancel}
      isFitting={isCancellable}
      count={cancelMessages}
      action={({ count, isFound, isDisabled, run }) => (
        <ConfirmButton
          label={isFound ? t.cancel.cancelFound(count) : t.cancel.cancelSelected}
          question={t.cancel.question(count)}
          onConfirm={() => run(cancelMessages)}
          isDisabled={isDisabled}
          icon="close"
        />
      )}
    />
  );
}
