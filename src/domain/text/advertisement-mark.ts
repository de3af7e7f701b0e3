const MARK = '(광고)';

/** Whether a text begins with the mark that Korean law asks of advertisements. */
export function hasAdvertisementMark(text: string): boolean {
  return text.trimStart().startsWith(MARK);
}
