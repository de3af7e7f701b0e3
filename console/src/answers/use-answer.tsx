/** The answers of the console: kept while an operator is signed in, and followed by whatever shows them. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { useLanguage } from '../words/words.tsx';
import { type Answer, type Answers, createAnswers, type Surroundings } from './answers.ts';
import type { Question } from './question.ts';

export interface Asked<T> extends Answer<T> {
  readonly reload: () => void;
}

const AnswersContext = createContext<Answers | undefined>(undefined);

export function AnswersProvider({ children }: { children: ComponentChildren }) {
  const [answers] = useState(() => createAnswers(BROWSER));
  useEffect(() => () => answers.close(), [answers]);
  const { language } = useLanguage();
  const told = useRef(language);
  useEffect(() => {
    // The gateway answers in the language of the console.
    if (told.current !== language) answers.reloadAll();
    told.current = language;
  }, [answers, language]);
  return <AnswersContext.Provider value={answers}>{children}</AnswersContext.Provider>;
}

/** Undefined before anybody is signed in. */
export function useAnswers(): Answers | undefined {
  return useContext(AnswersContext);
}

/** `everyMs`: when to ask again by itself, which the answer may decide. Without a question there is nothing to show yet. */
export function useAnswer<T>(
  question: Question<T> | undefined,
  everyMs?: number | ((answer: T) => number | undefined),
): Asked<T> {
  const answers = useAnswers();
  const [, redraw] = useReducer<number, void>(count => count + 1, 0);
  const latest = useRef({ question, everyMs });
  latest.current = { question, everyMs };
  const key = question?.key;

  useEffect(() => {
    const asked = latest.current.question;
    if (!asked) return;
    return answers?.watch(asked, {
      everyMs(answer) {
        const wanted = latest.current.everyMs;
        return typeof wanted === 'function' ? wanted(answer) : wanted;
      },
      changed: () => redraw(),
    });
  }, [answers, key]);

  const state = question && answers ? answers.answerTo(question) : NOT_ASKED;
  const shown = useRef<{ readonly about: string; readonly answer: T } | undefined>(undefined);
  if (question && state.answer !== undefined) {
    shown.current = { about: question.about, answer: state.answer };
  }
  const isSame = question !== undefined && shown.current?.about === question.about;
  return {
    ...state,
    answer: state.answer ?? (isSame ? shown.current?.answer : undefined),
    reload: () => key !== undefined && answers?.reload(key),
  };
}

const NOT_ASKED: Answer<never> = { answer: undefined, refusal: undefined, isLoading: true };

const BROWSER: Surroundings = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.hidden,
  onShown(act) {
    document.addEventListener('visibilitychange', act);
    addEventListener('online', act);
    return () => {
      document.removeEventListener('visibilitychange', act);
      removeEventListener('online', act);
    };
  },
};
