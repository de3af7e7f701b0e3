/** Makes an input smaller as long as it leads to the same thing: members, headers and ends of texts that do not matter go. */
import type { Input } from './target.ts';

/** Enough for what a person reads; every try is a request. */
const MOST_TRIES = 80;

export async function minimised(input: Input, isSame: (smaller: Input) => Promise<boolean>): Promise<Input> {
  let best = input;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < MOST_TRIES; ) {
    isSmaller = false;
    for (const candidate of smallerOnes(best)) {
      if (tries++ >= MOST_TRIES) break;
      if (!(await isSame(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}

/** The body of a request is JSON within JSON: it is looked into as well. */
function* smallerOnes(input: Input): Iterable<Input> {
  const { body } = input as { readonly body?: { readonly text?: string } };
  if (body?.text !== undefined) {
    try {
      for (const smaller of smallerValues(JSON.parse(body.text))) {
        yield { ...input, body: { text: JSON.stringify(smaller) } };
      }
    } catch {
      yield { ...input, body: { text: body.text.slice(0, body.text.length / 2) } };
    }
  }
  const { headers } = input as { readonly headers?: readonly unknown[] };
  for (const index of headers?.keys() ?? []) yield { ...input, headers: headers?.toSpliced(index, 1) };
}

/** Without one of its members, the first ones first; or with one of them smaller. */
function* smallerValues(value: unknown): Iterable<unknown> {
  if (typeof value === 'string' && value.length > 1) yield value.slice(0, value.length / 2);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, value.length / 2);
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerValues(item)) yield value.toSpliced(index, 1, smaller);
    }
    return;
  }
  const entries = Object.entries(value);
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== name));
  for (const [name, member] of entries) {
    for (const smaller of smallerValues(member)) yield { ...value, [name]: smaller };
  }
}
