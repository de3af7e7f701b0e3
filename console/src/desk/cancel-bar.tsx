/** Above a list of messages: cancels those that wait, the chosen ones or all that were found, whose number is shown first. */
import { useEffect, useState } from 'preact/hooks';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Icon } from '../components/icon.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Cancelled, cancelFound, cancelMessages, isCancellable } from '../gateway/cancel.ts';
import type { MessageRow, MessageSearch } from '../gateway/messages.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';
import { Choice } from './choice.tsx';
import type { Selection } from './selection.ts';

export function CancelBar(props: {
  selection: Selection;
  /** Those that are shown. */
  rows: readonly MessageRow[];
  search: MessageSearch;
  asked: string;
  onDone: () => void;
}) {
  const { selection, rows, search } = props;
  const t = useWords();
  const counting = useAction();
  const cancelling = useAction();
  const [counted, setCounted] = useState<Cancelled | undefined>();
  const [outcome, setOutcome] = useState<Cancelled | undefined>();
  useEffect(() => {
    setCounted(undefined);
    setOutcome(undefined);
  }, [props.asked]);
  const shown = rows.filter(isCancellable);
  const chosen = [...selection.rows.values()];
  const hasFilter = Object.entries(search).some(([name, value]) => name !== 'state' && value !== '');
  if (shown.length === 0 && chosen.length === 0 && !outcome) return null;

  const cancel = (order: () => Promise<Cancelled>) =>
    cancelling.run(async () => {
      setOutcome(await order());
      setCounted(undefined);
      selection.set([]);
      props.onDone();
    });

  return (
    <section class="resend" aria-label={t.cancel.title}>
      <Choice selection={selection} shown={shown} label={t.cancel.selectShown}>
        {hasFilter && (
          <button
            type="button"
            class="button button-quiet button-small"
            disabled={counting.isRunning}
            onClick={() => counting.run(async () => setCounted(await cancelFound(search)))}
          >
            {counting.isRunning ? t.desk.selecting : t.cancel.countFound}
          </button>
        )}
      </Choice>
      {chosen.length > 0 && (
        <div class="resend-actions">
          <ConfirmButton
            label={t.cancel.cancelSelected}
            question={t.cancel.question(chosen.length)}
            onConfirm={() => cancel(() => cancelMessages(chosen.map(({ msgKey }) => msgKey)))}
            isDisabled={cancelling.isRunning}
          >
            <Icon name="close" />
          </ConfirmButton>
        </div>
      )}
      {counted && (
        <div class="resend-actions" role="status">
          <span>{t.cancel.found(counted.cancellable, counted.isMore)}</span>
          {counted.cancellable > 0 && (
            <ConfirmButton
              label={t.cancel.cancelFound(counted.cancellable)}
              question={t.cancel.question(counted.cancellable)}
              onConfirm={() => cancel(() => cancelFound(search, counted.cancellable))}
              isDisabled={cancelling.isRunning}
            >
              <Icon name="close" />
            </ConfirmButton>
          )}
        </div>
      )}
      <div class="resend-outcome" role="status">
        {outcome && <p>{t.cancel.done(outcome.cancelled)}</p>}
        {outcome !== undefined && outcome.tooLate > 0 && (
          <p class="resend-refused">{t.cancel.tooLate(outcome.tooLate)}</p>
        )}
      </div>
      <RefusalNotice refusal={cancelling.refusal ?? counting.refusal} />
    </section>
  );
}
