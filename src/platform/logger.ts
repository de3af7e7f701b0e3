import { type Logger, pino } from 'pino';

export type { Logger };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Structured logs on standard error, so that standard output stays free for what a person asked for. */
export function createLogger(level: LogLevel, to: pino.DestinationStream = pino.destination(2)): Logger {
  const serializers = { err: (error: unknown) => loggedError(error), stack: framesOf };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, to);
}

/** An error as it is logged: these members, and no others that it may have. */
type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
} & { readonly [Name in NameOfPlace]?: string };

/**
 * Members of errors of Node and of PostgreSQL that name a place, never a value. `detail` and `where` hold what stood in a row or
 * a parameter: numbers and texts of messages.
 */
const NAMES_OF_PLACES = [
  'code',
  'severity',
  'syscall',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
] as const;
type NameOfPlace = (typeof NAMES_OF_PLACES)[number];
const NAME = /^[\w.-]{1,100}$/;

const DEEPEST_CAUSE = 4;
const MOST_ERRORS = 5;
const LONGEST_MESSAGE = 1000;

/** What an error says without what it is about. */
function loggedError(error: unknown, depth = DEEPEST_CAUSE): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: loggedMessage(error) };
  const { stack, cause } = error;
  const members: Readonly<Record<string, unknown>> = { ...error };
  const places = NAMES_OF_PLACES.flatMap(name => {
    const value = members[name];
    return typeof value === 'string' && NAME.test(value) ? [[name, value]] : [];
  });
  const errors = error instanceof AggregateError && depth > 0 ? error.errors.slice(0, MOST_ERRORS) : [];
  return {
    type: error.constructor.name,
    message: loggedMessage(error),
    ...Object.fromEntries(places),
    ...(stack !== undefined && { stack: framesOf(stack) }),
    ...(cause !== undefined && depth > 0 && { cause: loggedError(cause, depth - 1) }),
    ...(errors.length > 0 && { errors: errors.map(each => loggedError(each, depth - 1)) }),
  };
}

/** A number as people or programs write it; not a part of a word, as in keys, and not one that is named as something else. */
const NUMBER =
  /(?<![\w.-])(?:(?=[+0])|(?<!"(?:base|pg_\w{1,20})\/[\w/]{0,100}|\b(?:OID|blocks?|relation|size|transaction) ))\+?\d(?:[ -]?\d){6,17}(?![\w-]|\.\d| bytes\b)/g;
const QUOTED = /"[^"]*"?/g;
/** Quotes of these hold a piece of what was read: a value of a statement, a body that is not JSON. */
const DATA_EXCEPTION = /^22/;

/** The message of an error without numbers, and without quotes where they hold values. */
export function loggedMessage(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_MESSAGE);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const quotesValues =
    error instanceof SyntaxError || (typeof code === 'string' && DATA_EXCEPTION.test(code));
  return (quotesValues ? text.replace(QUOTED, '"…"') : text).replace(NUMBER, '…');
}

/** A stack without the message that it begins with. */
function framesOf(stack: unknown): string {
  return String(stack)
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .join('\n');
}
