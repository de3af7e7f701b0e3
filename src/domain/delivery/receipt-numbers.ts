/** The numbers in a receipt. Most carriers swap those of the submit; some leave both as they were. */
import { canonicalNumber, isSameNumber, significantTail } from '../request/phone-number.ts';

export interface NamedNumbers {
  readonly to?: string | undefined;
  readonly from?: string | undefined;
}

export function namesNumber({ to = '', from = '' }: NamedNumbers, number: string): boolean {
  return [to, from].some(named => isSameNumber(named, number));
}

/** The same, with the country. */
function namesInFull({ to = '', from = '' }: NamedNumbers, number: string): boolean {
  const canonical = canonicalNumber(number);
  return canonical !== undefined && [to, from].some(named => canonicalNumber(named) === canonical);
}

/** Anything else may be a number of which digits are hidden. */
const NUMBER = /^[\d\s+().-]+$/;

/**
 * Of what has the receipt's reference, that with its recipient; what has lost its recipient only where nothing has. A number
 * without its country may be that of several: one that is written in full wins.
 */
export function withRecipientOf<Target extends { readonly to: string }>(
  receipt: NamedNumbers,
  targets: readonly Target[],
): readonly Target[] {
  const { to } = receipt;
  if (to === undefined || significantTail(to) === undefined || !NUMBER.test(to)) return targets;
  const named = targets.filter(target => namesNumber(receipt, target.to));
  const inFull = named.length > 1 ? named.filter(target => namesInFull(receipt, target.to)) : [];
  if (inFull.length > 0) return inFull;
  return named.length > 0 ? named : targets.filter(target => target.to === '');
}
