/** How a command fails: what is written to standard error, and the exit code. */
import { CommanderError } from 'commander';
import { GatewayRefusal, GatewayUnreachable } from '../../client/bongsu-client.ts';
import { ConfigProblems } from '../config/config.ts';
import { jsonLine, visibleLines } from './visible.ts';

export const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

export const EXIT_CODES_HELP = `
Exit codes:
  0  done
  1  the operation failed, or the gateway refused it (its code and result are shown)
  2  wrong usage or wrong configuration`;

/** The command line was valid, but the operation failed. */
export class Failure extends Error {
  override name = 'Failure';
}

/** The command line is wrong in a way that the option parser does not detect. */
export class WrongUsage extends Error {
  override name = 'WrongUsage';
}

/** Writes what went wrong, with `isJson` as one line of JSON; returns the exit code. */
export function explain(error: unknown, isJson: boolean): number {
  // Commander has written its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
  if (error instanceof ConfigProblems) {
    const text = `${error.message}${error.problems.map(problem => `\n  ${problem}`).join('')}`;
    if (isJson) complainInJson(text);
    else complain(text);
    return EXIT_USAGE;
  }
  if (!isJson) complain(sentenceOf(error));
  else if (error instanceof GatewayRefusal) complainInJson(error.result, error.code);
  else complainInJson(sentenceOf(error));
  return error instanceof WrongUsage ? EXIT_USAGE : EXIT_FAILED;
}

export function warn(sentence: string): void {
  complain(`warning: ${sentence}`);
}

function complain(text: string): void {
  process.stderr.write(`bongsu: ${visibleLines(text)}\n`);
}

/** For programs: what a person reads, and the code of a refusal. */
export function complainInJson(error: string, code?: string): void {
  process.stderr.write(`${jsonLine({ ...(code !== undefined && { code }), error })}\n`);
}

function sentenceOf(error: unknown): string {
  if (error instanceof GatewayRefusal) return `refused: ${error.code} ${error.result}`;
  if (error instanceof GatewayUnreachable) {
    return `${error.message}\n  Start one with "npx bongsu serve", or name another with --url or BONGSU_URL.`;
  }
  if (!(error instanceof Error)) return String(error);
  // Errors of the system (a file, the database) have a code. Anything else is a bug of ours: show the stack.
  const isExpected = error instanceof Failure || error instanceof WrongUsage || 'code' in error;
  return isExpected ? error.message : (error.stack ?? error.message);
}
