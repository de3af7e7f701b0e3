/** A question before what cannot be undone. Without a terminal nobody can answer: then --yes must be said. */
import { createInterface } from 'node:readline/promises';
import { WrongUsage } from './failure.ts';

export interface ConfirmOptions {
  readonly yes?: true;
}

/** Before anything else is done: `what` cannot be restored. */
export function assertAnswerable({ yes }: ConfirmOptions, what: string): void {
  if (!yes && !process.stdin.isTTY)
    throw new WrongUsage(
      `what is ${what} cannot be restored, and there is no terminal to confirm it: add --yes`,
    );
}

export async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
