/** Sentences of the API document, English and Korean side by side. The document is made of the English ones. */
const KOREAN = new Map<string, string>();

/** The English sentence; its Korean is remembered. Without one the sentence is one of http/openapi/korean/. */
export function said(english: string, korean?: string): string {
  if (korean === undefined) return english;
  const known = KOREAN.get(english);
  if (known !== undefined && known !== korean) throw new Error(`"${english}" has two Korean sentences`);
  KOREAN.set(english, korean);
  return english;
}

export function koreanOf(english: string): string | undefined {
  return KOREAN.get(english);
}
