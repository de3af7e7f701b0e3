/** A change started by the user: runs one at a time and keeps the reason if it was refused. */
import { useRef, useState } from 'preact/hooks';
import { asRefusal, type Refusal } from './call.ts';

export interface Action {
  readonly isRunning: boolean;
  readonly refusal: Refusal | undefined;
  /** Whether it succeeded. */
  readonly run: (change: () => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | undefined>();
  // Two presses may come before the page is drawn again.
  const isBusy = useRef(false);
  return {
    isRunning,
    refusal,
    clear: () => setRefusal(undefined),
    async run(change) {
      if (isBusy.current) return false;
      isBusy.current = true;
      setRunning(true);
      setRefusal(undefined);
      try {
        await change();
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
