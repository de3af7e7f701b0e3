/** The log of every gateway under test, with all that it can hold: it must not name a person. */
import type { TestContext } from 'node:test';
import { createLogger, type Logger } from '../../src/platform/logger.ts';

/** A handset as it may be written; masked it is `010****5678`. */
const HANDSET = /(?<![\w.-])(?:\+?82[ -]?|0)1[016-9][ -]?\d{3,4}[ -]?\d{4}(?![\w.])/;
/** What tests write into texts and words that must stay with the message. */
const NOBODY_LOGS = ['words for one reader'];

/** Fails the test if a line holds the number of a person or a text. */
export function watchedLog(t: TestContext): Logger {
  const found: string[] = [];
  t.after(() => {
    if (found.length > 0) throw new Error(`the log names a person:\n${found.slice(0, 3).join('\n')}`);
  });
  return createLogger('debug', {
    write(line) {
      if (HANDSET.test(line) || NOBODY_LOGS.some(text => line.includes(text)))
        found.push(line.slice(0, 2000));
    },
  });
}
