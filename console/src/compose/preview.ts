/**
 * The steps of a request as the phone draws them, computed here so that the phone follows every keystroke, even while
 * the gateway would refuse the message. Whether it is allowed is checked by the gateway (`useCheck`).
 */
import type { Step } from '../gateway/steps.ts';
import { draftOf, type SendRequest } from './draft.ts';
import { type Entry, isEntry, listAt, textAt } from './entry.ts';

export function previewOf({ kind, body }: SendRequest): Step[] {
  const { steps, words } = draftOf(kind, body);
  const values = new Map(words.map(({ name, value }) => [name, value]));
  return steps.map(({ channel, entry }) => {
    const filled = fill(entry, values);
    const shown = isEntry(filled) ? filled : {};
    return { channel, ...(channel === 'rcs' ? carrierForm(shown) : gathered(shown)) } as Step;
  });
}

/** `#{name}` replaced in every text. */
function fill(value: unknown, words: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replace(/#\{([^}]*)\}/g, (all, name) => words.get(name) ?? all);
  if (Array.isArray(value)) return value.map(member => fill(member, words));
  if (isEntry(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, words)]));
  }
  return value;
}

/** Single sends may have image and buttons at the top; the phone looks for them in `attachment`. */
function gathered(entry: Entry): Entry {
  const { button, imgUrl, attachment, ...rest } = entry;
  const given = {
    ...(button !== undefined && { button }),
    ...(imgUrl !== undefined && { image: { imgUrl } }),
    ...(isEntry(attachment) && attachment),
  };
  return { ...rest, ...(Object.keys(given).length > 0 && { attachment: given }) };
}

/** RCS `content` in the carriers' form: numbered keys in `body`, suggestions in `buttons`. */
function carrierForm(entry: Entry): Entry {
  const { content, ...rest } = entry;
  if (!isEntry(content)) return rest;
  const cards = listAt(content, 'carousel');
  if (cards.length > 0) {
    const keys = cards.map((card, index) => cardKeys(card, String(index + 1)));
    return { ...rest, body: Object.assign({}, ...keys), buttons: cards.map(suggestionsOf) };
  }
  const { standalone, template } = content;
  if (isEntry(template)) {
    const { subContent, ...own } = template;
    return { ...rest, body: { ...own, ...subKeys(template) } };
  }
  const body = { ...cardKeys(standalone, ''), ...subKeys(standalone) };
  return { ...rest, body, buttons: [suggestionsOf(standalone)] };
}

function cardKeys(card: unknown, number: string): Entry {
  return {
    [`title${number}`]: textAt(card, 'title'),
    [`description${number}`]: textAt(card, 'text'),
    [`media${number}`]: textAt(card, 'media'),
  };
}

function subKeys(card: unknown): Entry {
  const subs = listAt(card, 'subContent').filter(isEntry);
  const keys = subs.map((sub, index) =>
    Object.fromEntries(Object.entries(sub).map(([name, value]) => [`${name}${index + 1}`, value])),
  );
  return Object.assign({}, ...keys);
}

function suggestionsOf(card: unknown): Entry {
  const suggestions = listAt(card, 'button').map(button => {
    const { name, type, ...target } = isEntry(button) ? button : {};
    return { action: { displayText: name, ...target } };
  });
  return { suggestions };
}
