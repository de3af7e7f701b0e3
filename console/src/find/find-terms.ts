/** What a person may mean who types into the finder: which message searches are worth asking, which pages and accounts fit. */
import type { MessageSearch } from '../gateway/messages.ts';

const MSG_KEY = /^[0-9A-Za-z]{32}$/;
/** Of a number without its dashes and spaces; the gateway finds numbers that are whole. */
const NUMBER = /^\+?\d{8,15}$/;
const MOST_ACCOUNTS = 6;

/** Keys and numbers are asked of the gateway; any other text is a name of something. */
export function messageSearchOf(text: string): MessageSearch | undefined {
  const term = text.trim();
  if (MSG_KEY.test(term)) return { key: term };
  return NUMBER.test(term.replace(/[\s().-]/g, '')) ? { to: term } : undefined;
}

export interface Named {
  /** In each language of the console: an operator may know either. */
  readonly names: readonly string[];
}

/** The pages whose name holds the text; those whose name begins with it come first. Without a text, all of them. */
export function pagesFor<Page extends Named>(text: string, pages: readonly Page[]): readonly Page[] {
  const term = text.trim().toLowerCase();
  const begins = ({ names }: Named) => names.some(name => name.toLowerCase().startsWith(term));
  const holds = ({ names }: Named) => names.some(name => name.toLowerCase().includes(term));
  return [...pages.filter(begins), ...pages.filter(page => !begins(page) && holds(page))];
}

export function accountsFor(text: string, ids: readonly string[]): readonly string[] {
  const term = text.trim().toLowerCase();
  if (term === '') return [];
  const fitting = ids.filter(id => id.toLowerCase().includes(term));
  const isExact = (id: string) => id.toLowerCase() === term;
  return [...fitting.filter(isExact), ...fitting.filter(id => !isExact(id))].slice(0, MOST_ACCOUNTS);
}
