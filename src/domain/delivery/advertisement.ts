/**
 * Advertisements by the rules: their marks, and the hours in which they may go out. Korean law bars them from 21:00 to
 * 08:00; the hours of an account end ten minutes early by default, because what is sent at 20:59 may arrive later.
 * The rules are for accounts whose `advertisements` are not left as they are.
 */

import { type AccountSettings, parseHours } from '../account/account.ts';
import { channelOf } from '../channels/channel-table.ts';
import type { ChannelFamily, ReportCode } from '../reports/report-codes.ts';
import type { FieldNames } from '../request/field-names.ts';
import type { Reading } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import { hasAdvertisementMark } from '../text/advertisement-mark.ts';
import { withEachWord } from '../text/substitution.ts';
import type { Flow, Step } from './flow.ts';
import type { StepInFlow } from './step-in-flow.ts';

export type AdvertisementRules = Pick<AccountSettings, 'advertisements' | 'adHours'>;

const DAY_SECONDS = 24 * 60 * 60;

/** The report code of an advertisement that was refused for the hour. */
const QUIET_HOURS_CODE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '23029',
  rcs: '33029',
  messenger: '63022',
};

export function quietHoursCode(step: Step): ReportCode {
  return QUIET_HOURS_CODE[channelOf(step).family];
}

/** By what it says itself: on every channel the flag counts, and (광고) at the head of a text. */
export function isAdvertisement(step: Step): boolean {
  const { isFlagged, textsOf } = channelOf(step).advertisement;
  return isFlagged?.(step) === true || textsOf(step).some(isMarked);
}

/** A flow that begins with an advertisement is one in all its steps: what may not go out does not go out as a fallback. */
export function isAdvertising({ step, first }: StepInFlow): boolean {
  return isAdvertisement(step) || (first !== step && isAdvertisement(first));
}

function isMarked(text: string | undefined): boolean {
  return text !== undefined && hasAdvertisementMark(text);
}

/** How long an advertisement has to wait at this local time (`HH:mm:ss`), 0 where it may go out. */
export function quietMs({ adHours }: AdvertisementRules, localTime: string): number {
  const { from, until } = parseHours(adHours);
  const now = secondsOf(localTime);
  if (now >= secondsOf(from) && now < secondsOf(until)) return 0;
  return ((secondsOf(from) - now + DAY_SECONDS) % DAY_SECONDS) * 1000;
}

/**
 * The word that makes a text an advertisement least, and the one that gives it all the marks. What is wrong with both is wrong
 * with every word: it is in the fixed part of the text.
 */
const SAMPLE_WORDS = ['x', ' (광고) 080-000-0000 '];

/**
 * Why a flow breaks the rules of advertisements, whatever the hour. Of a template this is what breaks them for every
 * recipient; the rest is found once the words of a recipient are filled in.
 */
export function markProblem(
  { advertisements }: AdvertisementRules,
  { flow, names, reading }: { readonly flow: Flow; readonly names: FieldNames; readonly reading: Reading },
): Problem | undefined {
  if (advertisements === 'asIs') return undefined;
  const samples = reading === 'template' ? SAMPLE_WORDS.map(word => withEachWord(flow, word)) : [flow];
  const first = samples[0]?.[0];
  const isOne = first !== undefined && isAdvertisement(first);
  for (const index of flow.keys()) {
    const problems = samples.map(
      ({ [index]: step }) => step && channelOf(step).advertisement.problem?.(step, isOne && index > 0),
    );
    const [problem] = problems;
    if (problem !== undefined && problems.every(each => each !== undefined)) {
      return new Problem('A330', problem).renamed(field => names(index, field));
    }
  }
  return undefined;
}

/** Whether an advertisement may not be reserved for this local time (`HH:mm:ss`). Where advertisements are deferred, it may. */
export function isBarredHour(rules: AdvertisementRules, localTime: string): boolean {
  return rules.advertisements === 'refuse' && quietMs(rules, localTime) > 0;
}

/** Why a flow may not be reserved for this local time. */
export function reservedHourProblem(
  rules: AdvertisementRules,
  flow: Flow,
  localTime: string,
): Problem | undefined {
  return isBarredHour(rules, localTime) && flow.some(isAdvertisement)
    ? new Problem('A330', `Advertisements of this account are sent only within ${rules.adHours}`)
    : undefined;
}

function secondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}
