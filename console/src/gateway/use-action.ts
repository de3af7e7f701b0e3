/** Something that the user started, mostly a change: runs one at a time, and keeps the reason if it was refused. */
import { useRef, useState } from 'preact/hooks';
import { useAnswers } from '../answers/use-answer.tsx';
import { asRefusal, type Refusal } from './call.ts';

export interface Action {
  readonly isRunning: boolean;
  readonly refusal: Refusal | undefined;
  /** Whether it succeeded. What is shown is then asked again. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

/** `isRead`: it changes nothing, as an export does. */
export function useAction({ isRead = false } = {}): Action {
  const answers = useAnswers();
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | undefined>();
  // Two presses may come before the page is drawn again.
  const isBusy = useRef(false);
  return {
    isRunning,
    refusal,
    clear: () => setRefusal(undefined),
    async run(work) {
      if (isBusy.current) return false;
      isBusy.current = true;
      setRunning(true);
      setRefusal(undefined);
      try {
        await work();
        if (!isRead) answers?.reloadAll();
        return true;
      } catch (error) {
        setRefusal(asRefusal(error));
        return false;
      } finally {
        isBusy.current = false;
        setRunning(false);
      }
    },
  };
}
