/**
 * What the gateway answered, kept under its question. The states of one: asked for the first time; answered; asked again, while
 * the last answer stays; failed, with or without a last answer.
 *
 * - A question is asked once at a time. What is due while it is being asked waits, so that no poll cancels the one before it.
 * - What nobody answered is asked again by itself, later each time. A refusal of the gateway is not.
 * - A hidden tab asks nothing. What was due meanwhile is asked when it is shown.
 * - After a change everything that is shown is asked again: the gateway knows what the change affected, a page does not.
 * - What nobody shows any more is kept for a while, so that the Back button shows it at once.
 */
import { asRefusal, Refusal } from '../gateway/call.ts';
import type { ListQuestion, Pages, Question } from './question.ts';

export interface Answer<T> {
  readonly answer: T | undefined;
  /** Why it could not be read the last time. */
  readonly refusal: Refusal | undefined;
  readonly isLoading: boolean;
}

export interface Watcher<T> {
  /** When to ask again; undefined for not by itself. */
  readonly everyMs: (answer: T) => number | undefined;
  readonly changed: () => void;
}

export interface Answers {
  answerTo<T>(question: Question<T>): Answer<T>;
  /** Asks, and keeps asking, until the returned function is called. */
  watch<T>(question: Question<T>, watcher: Watcher<T>): () => void;
  reload(key: string): void;
  /** Continues a list. Its refusal is thrown: what is shown has not failed. */
  more<Row>(question: ListQuestion<Row>): Promise<void>;
  /** After a change, or for a refresh: what is shown now, the rest when it is shown again. */
  reloadAll(): void;
  close(): void;
}

export interface Surroundings {
  readonly now: () => number;
  /** Returns what cancels it. */
  readonly after: (ms: number, act: () => void) => () => void;
  readonly isHidden: () => boolean;
  /** Calls when the tab is shown, or the network is there again; returns what ends that. */
  readonly onShown: (act: () => void) => () => void;
}

/** Between attempts that nobody answered. */
const RETRY_MS = [1000, 2000, 4000, 8000, 15_000, 30_000] as const;
const LONGEST_RETRY_MS = 30_000;
/** A call that takes longer counts as not answered. */
const LONGEST_CALL_MS = 30_000;
const KEPT_MS = 5 * 60_000;

interface Entry {
  question: Question<unknown>;
  state: Answer<unknown>;
  readonly watchers: Set<Watcher<unknown>>;
  running: { readonly abort: AbortController; readonly ended: Promise<unknown> } | undefined;
  /** It may have changed since it was asked. */
  isStale: boolean;
  /** Its time came while the tab was hidden. */
  isDue: boolean;
  answeredAt: number;
  failures: number;
  cancelTimer: () => void;
}

/** Undefined when it was given up. */
type Outcome = { readonly refusal: Refusal } | { readonly answer: unknown } | undefined;

const UNKNOWN: Answer<never> = { answer: undefined, refusal: undefined, isLoading: true };
const nothing = (): void => {};

export function createAnswers({ now, after, isHidden, onShown }: Surroundings): Answers {
  const entries = new Map<string, Entry>();

  const stopListening = onShown(() => {
    for (const entry of entries.values()) {
      if (entry.watchers.size === 0 || isHidden() || !(entry.isDue || entry.failures > 0)) continue;
      entry.failures = 0;
      ask(entry);
    }
  });

  function entryOf(question: Question<unknown>): Entry {
    const known = entries.get(question.key);
    if (known) return known;
    const entry: Entry = {
      question,
      state: UNKNOWN,
      watchers: new Set(),
      running: undefined,
      isStale: true,
      isDue: false,
      answeredAt: Number.NEGATIVE_INFINITY,
      failures: 0,
      cancelTimer: nothing,
    };
    entries.set(question.key, entry);
    return entry;
  }

  function set(entry: Entry, state: Partial<Answer<unknown>>): void {
    entry.state = { ...entry.state, ...state };
    for (const watcher of [...entry.watchers]) watcher.changed();
  }

  function ask(entry: Entry): void {
    if (entry.running) return;
    entry.isStale = false;
    const last = entry.state.answer;
    start(entry, entry.question.calls(last), signal => entry.question.ask(signal, last)).then(outcome => {
      if (!outcome) return;
      if ('refusal' in outcome) {
        entry.failures = isPassing(outcome.refusal) ? entry.failures + 1 : 0;
        set(entry, { refusal: outcome.refusal, isLoading: false });
      }
      goOn(entry);
    });
  }

  function start(
    entry: Entry,
    calls: number,
    step: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<Outcome> {
    entry.cancelTimer();
    entry.isDue = false;
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const end = (outcome: NonNullable<Outcome>) => {
      cancelWait();
      if (entry.running?.abort !== abort) return resolve(undefined);
      entry.running = undefined;
      if ('answer' in outcome) {
        entry.failures = 0;
        entry.answeredAt = now();
        set(entry, { answer: outcome.answer, refusal: undefined, isLoading: false });
      }
      resolve(outcome);
    };
    const cancelWait = after(calls * LONGEST_CALL_MS, () => {
      end({ refusal: new Refusal('The gateway is not responding.') });
      abort.abort();
    });
    entry.running = { abort, ended: promise };
    set(entry, { isLoading: true });
    step(abort.signal).then(
      answer => end({ answer }),
      (error: unknown) => end({ refusal: asRefusal(error) }),
    );
    return promise;
  }

  function giveUp(entry: Entry): void {
    entry.cancelTimer();
    const { running } = entry;
    entry.running = undefined;
    entry.isStale ||= running !== undefined;
    running?.abort.abort();
  }

  function goOn(entry: Entry): void {
    entry.cancelTimer();
    if (entry.isStale && entry.watchers.size > 0) {
      ask(entry);
      return;
    }
    const delay = delayOf(entry);
    if (entry.watchers.size === 0 || delay === undefined) return;
    entry.cancelTimer = after(delay, () => {
      if (isHidden()) entry.isDue = true;
      else ask(entry);
    });
  }

  /** What is being asked already may be older than the reason to ask again. */
  function askAgain(entry: Entry): void {
    entry.failures = 0;
    entry.isStale = true;
    if (entry.watchers.size > 0) ask(entry);
  }

  function prune(): void {
    for (const [key, { watchers, answeredAt }] of entries) {
      if (watchers.size === 0 && now() - answeredAt > KEPT_MS) entries.delete(key);
    }
  }

  return {
    answerTo: <T>(question: Question<T>) => (entries.get(question.key)?.state ?? UNKNOWN) as Answer<T>,
    watch<T>(question: Question<T>, watcher: Watcher<T>) {
      prune();
      const entry = entryOf(question as Question<unknown>);
      entry.question = question as Question<unknown>;
      entry.watchers.add(watcher as Watcher<unknown>);
      if (!entry.running) {
        const isOld = now() - entry.answeredAt > question.freshMs;
        entry.isStale ||= isOld || entry.state.refusal !== undefined;
        goOn(entry);
      }
      return () => {
        entry.watchers.delete(watcher as Watcher<unknown>);
        if (entry.watchers.size === 0) giveUp(entry);
      };
    },
    reload(key) {
      const entry = entries.get(key);
      if (entry) askAgain(entry);
    },
    async more<Row>(question: ListQuestion<Row>) {
      const entry = entryOf(question as Question<unknown>);
      while (entry.running) await entry.running.ended;
      const last = entry.state.answer as Pages<Row> | undefined;
      if (!last) return;
      const outcome = await start(entry, 1, signal => question.askMore(signal, last));
      if (!outcome) return;
      if ('refusal' in outcome) set(entry, { isLoading: false });
      goOn(entry);
      if ('refusal' in outcome) throw outcome.refusal;
    },
    reloadAll() {
      for (const entry of entries.values()) askAgain(entry);
    },
    close() {
      stopListening();
      for (const entry of entries.values()) giveUp(entry);
      entries.clear();
    },
  };
}

function delayOf({ watchers, state, failures }: Entry): number | undefined {
  if (failures > 0) return RETRY_MS[failures - 1] ?? LONGEST_RETRY_MS;
  if (state.answer === undefined) return undefined;
  const wanted = [...watchers].map(({ everyMs }) => everyMs(state.answer)).filter(ms => ms !== undefined);
  return wanted.length > 0 ? Math.min(...wanted) : undefined;
}

/** Nobody answered, or with a fault of the server: the next attempt may succeed. */
function isPassing({ status }: Refusal): boolean {
  return status === 0 || status === 429 || status >= 500;
}
