/** What a page reads from the gateway. Equal questions have one answer, which all parts of the console share. */
import { call } from '../gateway/call.ts';

export interface Question<T> {
  /** Address and terms. */
  readonly key: string;
  /** The last answer stays until the new one arrives while this stays equal: a new filter keeps it, a new account does not. */
  readonly about: string;
  /** How long another part of the console reuses the answer without a call. */
  readonly freshMs: number;
  /** How many calls it takes, one after another. */
  readonly calls: (last: T | undefined) => number;
  /** `last` is the answer that is shown now. */
  readonly ask: (signal: AbortSignal, last: T | undefined) => Promise<T>;
}

/** As much of a list as was asked for: its first page, and those after it. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly count: number;
}

export interface ListQuestion<Row> extends Question<Pages<Row>> {
  readonly askMore: (signal: AbortSignal, last: Pages<Row>) => Promise<Pages<Row>>;
  /** One page after a cursor, for whoever goes through all of them. */
  readonly page: (signal?: AbortSignal, cursor?: string) => Promise<Pages<Row>>;
}

type Query = Readonly<Record<string, string | undefined>>;

/** Long enough for the parts of one page, which are drawn one after another. */
const FRESH_MS = 500;

export function read<T>(path: string, query: Query = {}): Question<T> {
  return {
    ...named(path, query),
    ask: signal => call<T>('GET', path, { query, signal }),
  };
}

/** One member of the answer. */
export function readMember<T>(path: string, member: string, query: Query = {}): Question<T> {
  return {
    ...named(path, query),
    ask: async signal => Reflect.get(await call<object>('GET', path, { query, signal }), member) as T,
  };
}

/** `member` is where the answer has the rows. All pages that are shown are read again, so that none is lost. */
export function readList<Row>(path: string, member: string, query: Query = {}): ListQuestion<Row> {
  const page = async (signal?: AbortSignal, cursor?: string): Promise<Pages<Row>> => {
    const answer = await call<{ readonly next: string | null }>('GET', path, {
      query: { ...query, cursor },
      ...(signal && { signal }),
    });
    return { rows: Reflect.get(answer, member) as readonly Row[], next: answer.next, count: 1 };
  };
  const askMore = async (signal: AbortSignal, last: Pages<Row>): Promise<Pages<Row>> => {
    if (last.next === null) return last;
    const { rows, next } = await page(signal, last.next);
    return { rows: [...last.rows, ...rows], next, count: last.count + 1 };
  };
  return {
    ...named(path, query),
    calls: last => last?.count ?? 1,
    page,
    askMore,
    async ask(signal, last) {
      let pages = await page(signal);
      while (pages.next !== null && pages.count < (last?.count ?? 1)) pages = await askMore(signal, pages);
      return pages;
    },
  };
}

function named(path: string, query: Query): Pick<Question<unknown>, 'key' | 'about' | 'freshMs' | 'calls'> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return {
    key: `${path}?${new URLSearchParams(given)}`,
    about: path,
    freshMs: FRESH_MS,
    calls: () => 1,
  };
}
