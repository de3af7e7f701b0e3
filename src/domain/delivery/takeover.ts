/** What happens to a step whose node has died. */
import type { StepState } from './lifecycle.ts';

/** What a carrier promises about attempts that are made twice; see `CarrierCapabilities`. */
export interface RepeatPromise {
  readonly forMs: number;
  readonly isForgetful: boolean;
}

export type Succession =
  /** The same attempt is made again, by the same carrier, until this moment. */
  | { readonly kind: 'repeat'; readonly until: number }
  /** It may have been sent: it becomes `unknown`. */
  | { readonly kind: 'doubt' }
  /** It waits for its receipt as before. */
  | { readonly kind: 'wait' };

/** Whether steps that this carrier has taken are made again. One that forgets has forgotten them, too. */
export function repeatsTaken(promise: RepeatPromise | undefined): boolean {
  return promise?.isForgetful === true;
}

export function successionOf(
  step: {
    readonly state: StepState;
    readonly claimedAt: number | undefined;
    /** The end of the promise for an attempt that was repeated before: it counts from the first time. */
    readonly repeatUntil: number | undefined;
  },
  promise: RepeatPromise | undefined,
  now: number,
): Succession {
  const isTaken = step.state === 'submitted';
  if (step.state !== 'submitting' && !(isTaken && repeatsTaken(promise))) return { kind: 'wait' };
  const claimedAt = step.claimedAt ?? now;
  // After the clock was set back the age of the attempt is unknown, so no promise for a time covers it.
  const longest = step.repeatUntil ?? Number.MAX_SAFE_INTEGER;
  const until = Math.min(claimedAt + (promise?.forMs ?? 0), longest);
  const isCovered = claimedAt <= now && now < until;
  return promise && (isCovered || promise.isForgetful) ? { kind: 'repeat', until } : { kind: 'doubt' };
}
