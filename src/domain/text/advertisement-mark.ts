/** The marks that Korean law asks of advertisements: (광고) at the beginning, and a free number for opting out. */

const MARK = '(광고)';
/** Ways of writing the mark that the regulator does not accept, such as [광고] and (광 고). */
const MANGLED_MARK = /^[([{<〈【「][\s./·_-]*광[\s./·_-]*고[\s./·_-]*[)\]}>〉】」]/;
/** Only an advertisement says how to opt out free of charge. */
const OPT_OUT_PHRASE = /무료\s?(?:수신\s?)?거부/;
/** Calls to 080 are free for the caller. */
const FREE_NUMBER = /(?<!\d)080[-\s.]?\d{3,4}[-\s.]?\d{3,4}(?!\d)/;

/** Longer than any mark, and short enough to normalise whatever it holds. */
const HEAD_UNITS = 64;

/**
 * The head of a text as it is seen: without characters that are not shown, with syllables that were written in jamo, and with
 * parentheses of full width as plain ones.
 */
function headOf(text: string): string {
  const head = text.replace(/^[\s\p{Cf}]+/u, '').slice(0, HEAD_UNITS);
  return head.replace(/\p{Cf}/gu, '').normalize('NFKC');
}

/** Whether a text begins with the mark that Korean law asks of advertisements. */
export function hasAdvertisementMark(text: string): boolean {
  return headOf(text).startsWith(MARK);
}

export function hasFreeNumber(text: string): boolean {
  return FREE_NUMBER.test(text);
}

/** Whether a text is an advertisement by what it says, with its mark or without. */
export function readsAsAdvertisement(text: string): boolean {
  return MANGLED_MARK.test(headOf(text)) || (OPT_OUT_PHRASE.test(text) && hasFreeNumber(text));
}

export function isMarkedOrReadsAsAdvertisement(text: string): boolean {
  return hasAdvertisementMark(text) || readsAsAdvertisement(text);
}

/**
 * The platforms put the mark there themselves, and let recipients block the sender; so the flag is all that they need.
 * `isOne`: it is an advertisement whatever its texts say.
 */
export function adFlagProblem(
  adFlag: string | undefined,
  texts: readonly (string | undefined)[],
  isOne: boolean,
): string | undefined {
  if (adFlag !== 'N') return undefined;
  return isOne || texts.some(text => text !== undefined && isMarkedOrReadsAsAdvertisement(text))
    ? '"adFlag" must be "Y" for an advertisement'
    : undefined;
}

/** What is missing in a text that carries both marks itself. `isOne`: it is an advertisement whatever it says. */
export function textMarkProblem(text: string, isOne: boolean): string | undefined {
  if (!hasAdvertisementMark(text)) {
    return isOne || readsAsAdvertisement(text)
      ? '"text" of an advertisement must begin with (광고)'
      : undefined;
  }
  return hasFreeNumber(text)
    ? undefined
    : '"text" of an advertisement must contain a free number for opting out, such as 080-123-4567';
}
