/** Above a list of messages: ends the chosen ones, or all that were found, whose number is shown first. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import type { MessageOrder, Ordered } from '../gateway/message-order.ts';
import type { MessageRow, MessageSearch } from '../gateway/messages.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';
import { Choice } from './choice.tsx';
import type { Selection } from './selection.ts';

export interface OrderBarProps {
  readonly selection: Selection;
  /** Those that are shown. */
  readonly rows: readonly MessageRow[];
  readonly search: MessageSearch;
  readonly asked: string;
}

export interface OrderAction {
  readonly count: number;
  /** They were found, not chosen. */
  readonly isFound: boolean;
  readonly isDisabled: boolean;
  /** Ends them. */
  readonly run: (carryOut: (order: MessageOrder) => Promise<Ordered>) => void;
}

export function OrderBar(
  props: OrderBarProps & {
    readonly words: {
      readonly title: string;
      readonly selectShown: string;
      readonly countFound: string;
      readonly found: (count: number, isMore: boolean) => string;
      readonly done: (count: number) => string;
      readonly tooLate: (count: number) => string;
    };
    readonly isFitting: (row: MessageRow) => boolean;
    readonly count: (order: MessageOrder) => Promise<Ordered>;
    /** The button that ends them. */
    readonly action: (action: OrderAction) => ComponentChildren;
  },
) {
  const { selection, rows, search, words, action } = props;
  const t = useWords();
  const counting = useAction({ isRead: true });
  const ending = useAction();
  const [counted, setCounted] = useState<Ordered | undefined>();
  const [outcome, setOutcome] = useState<Ordered | undefined>();
  useEffect(() => {
    setCounted(undefined);
    setOutcome(undefined);
  }, [props.asked]);
  const shown = rows.filter(props.isFitting);
  const chosen = [...selection.rows.values()];
  const hasFilter = Object.entries(search).some(([name, value]) => name !== 'state' && value !== '');
  if (shown.length === 0 && chosen.length === 0 && !outcome) return null;

  const actionOn = (order: MessageOrder, count: number) =>
    action({
      count,
      isFound: 'filters' in order,
      isDisabled: ending.isRunning,
      run: carryOut => {
        ending.run(async () => {
          setOutcome(await carryOut(order));
          setCounted(undefined);
          selection.set([]);
        });
      },
    });

  return (
    <section class="resend" aria-label={words.title}>
      <Choice selection={selection} shown={shown} label={words.selectShown}>
        {hasFilter && (
          <Button
            kind="quiet"
            isSmall
            isDisabled={counting.isRunning}
            onPress={() => counting.run(async () => setCounted(await props.count({ filters: search })))}
          >
            {counting.isRunning ? t.desk.selecting : words.countFound}
          </Button>
        )}
      </Choice>
      {chosen.length > 0 && (
        <div class="resend-actions">
          {actionOn({ msgKeys: chosen.map(({ msgKey }) => msgKey) }, chosen.length)}
        </div>
      )}
      {counted && (
        <div class="resend-actions" role="status">
          <span>{words.found(counted.count, counted.isMore)}</span>
          {counted.count > 0 && actionOn({ filters: search, most: counted.count }, counted.count)}
        </div>
      )}
      <div class="resend-outcome" role="status">
        {outcome && <p>{words.done(outcome.ended)}</p>}
        {outcome !== undefined && outcome.tooLate > 0 && (
          <p class="resend-refused">{words.tooLate(outcome.tooLate)}</p>
        )}
      </div>
      <RefusalNotice refusal={ending.refusal ?? counting.refusal} />
    </section>
  );
}
