/** A list that is read page by page. */
import { type Action, useAction } from '../gateway/use-action.ts';
import type { ListQuestion } from './question.ts';
import { type Asked, useAnswer, useAnswers } from './use-answer.tsx';

export interface List<Row> extends Omit<Asked<unknown>, 'answer'> {
  readonly rows: readonly Row[] | undefined;
  /** Reads the next page; undefined when there is none. */
  readonly more: (() => void) | undefined;
  readonly moreAction: Action;
}

export function useList<Row>(
  question: ListQuestion<Row> | undefined,
  everyMs?: number | ((rows: readonly Row[]) => number | undefined),
): List<Row> {
  const answers = useAnswers();
  const { answer, ...asked } = useAnswer(
    question,
    typeof everyMs === 'function' ? ({ rows }) => everyMs(rows) : everyMs,
  );
  const moreAction = useAction({ isRead: true });
  const hasMore = question !== undefined && answer !== undefined && answer.next !== null;
  return {
    ...asked,
    rows: answer?.rows,
    more: hasMore ? () => void moreAction.run(async () => answers?.more(question)) : undefined,
    moreAction,
  };
}
