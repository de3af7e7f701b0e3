/**
 * Recipients who do not want to hear from a sender: a list for each account. An entry is about one recipient and one sender
 * of the account, or all of them, and covers advertisements, or every message.
 *
 * Entries are never changed into others. When consent is given back, the entry gets an end and stays as proof.
 */
import type { AccountId } from '../ids.ts';
import type { ReportCode } from '../reports/report-codes.ts';
import { LONGEST_WORD } from '../text/keyword.ts';
import { isAdvertisement, isAdvertising } from './advertisement.ts';
import type { Step } from './flow.ts';
import type { StepInFlow } from './step-in-flow.ts';

export const OPT_OUT_COVERS = ['advertisements', 'all'] as const;
export type OptOutCovers = (typeof OPT_OUT_COVERS)[number];

/** How an entry came about, or ended: by a text of the recipient, a call to a free number, or somebody's hand. */
export const OPT_OUT_WAYS = ['keyword', 'call', 'api', 'csv', 'operator'] as const;
export type OptOutWay = (typeof OPT_OUT_WAYS)[number];

/** In the place of a sender: every sender of the account. */
export const ANY_SENDER = '*';

/** When, how and by whom. */
export interface OptOutMark {
  readonly at: number;
  readonly way: OptOutWay;
  /** The account, the operator, the service that called, or `recipient`. */
  readonly by: string;
}

export interface NewOptOut {
  /** As `canonicalNumber` writes it. */
  readonly number: string;
  readonly sender: string;
  readonly covers: OptOutCovers;
  /** What it goes back to: the key of an inbound message, the number that was called. */
  readonly source: string | undefined;
}

export interface OptOut extends NewOptOut {
  readonly id: number;
  readonly account: AccountId;
  readonly since: OptOutMark;
  /** When consent was given back. */
  readonly ended: OptOutMark | undefined;
}

export const OPTED_OUT_CODE: ReportCode = '90002';

/** Whether a recipient has opted out of this step. No promise where nothing has to be looked up. */
export type IsOptedOut = (account: AccountId, to: string, step: StepInFlow) => Promise<boolean> | false;

/**
 * Whether one of these entries, which are about the recipient of the step, keeps it from going out. What keeps an advertisement
 * back keeps back its fallbacks, from whichever sender they would come.
 */
export function isRefused(
  { step, first }: StepInFlow,
  optOuts: readonly Pick<OptOut, 'sender' | 'covers'>[],
): boolean {
  if (optOuts.length === 0) return false;
  return (
    isRefusedAs(step, isAdvertising({ step, first })) || (isAdvertisement(first) && isRefusedAs(first, true))
  );

  function isRefusedAs(sent: Step, isAd: boolean): boolean {
    const senders = sendersOf(sent);
    return optOuts.some(
      ({ sender, covers }) =>
        (isAd || covers === 'all') && (sender === ANY_SENDER || senders.includes(sender)),
    );
  }
}

/** Every name under which a recipient knows the sender of a step. */
function sendersOf(step: Step): readonly string[] {
  const { from, senderKey, brandKey } = step as Partial<Record<'from' | 'senderKey' | 'brandKey', unknown>>;
  return [from, senderKey, brandKey].filter(name => typeof name === 'string');
}

export const SENDER_FORM =
  'a sender number, sender key or brand key of at most 64 characters, or "*" for all senders';

/** A number without its hyphens, a key as it is. */
export function parseOptOutSender(value: string): string | undefined {
  const number = value.replace(/[-\s]/g, '');
  if (/^\d{3,15}$/.test(number)) return number;
  return value === ANY_SENDER || /^[\w.@-]{1,64}$/.test(value) ? value : undefined;
}

/** What people type around a keyword. */
const DECORATION = /[\s.,!?"'~()[\]]/g;

/** Whether an inbound text is a keyword and nothing else: `수신 거부.` is, `수신거부 방법이 뭔가요` is not. */
export function isOptOutKeyword(text: string, keywords: readonly string[]): boolean {
  const word = normalised(text);
  return word !== '' && keywords.some(keyword => normalised(keyword) === word);
}

/** Empty where the text is longer than any keyword; see `LONGEST_WORD`. */
function normalised(text: string): string {
  const bare = text.replace(DECORATION, '');
  return bare.length > LONGEST_WORD ? '' : bare.normalize('NFC').toLowerCase();
}
