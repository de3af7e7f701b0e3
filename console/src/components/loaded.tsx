/** What was read from the gateway: until it is here, that it loads; where it failed, why, above what was read before. */
import type { ComponentChildren } from 'preact';
import type { Asked } from '../answers/use-answer.tsx';
import { Loading } from './loading.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

export function Loaded<T>(props: {
  of: Asked<T>;
  /** Instead of an empty list. */
  empty?: ComponentChildren;
  children: (answer: T) => ComponentChildren;
}) {
  const { answer, refusal, reload } = props.of;
  const isEmpty = Array.isArray(answer) && answer.length === 0;
  return (
    <>
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {answer === undefined
        ? !refusal && <Loading />
        : isEmpty && props.empty !== undefined
          ? props.empty
          : props.children(answer)}
    </>
  );
}
