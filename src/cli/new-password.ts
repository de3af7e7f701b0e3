/**
 * A password for an account: from standard input, or generated and shown once. Never an argument: other users can see
 * those.
 */
import type { Command } from 'commander';
import { NEW_PASSWORD_FORM, parseNewPassword } from '../domain/account/account.ts';
import { BASE32 } from '../domain/ids.ts';
import { systemRandomness } from '../platform/randomness.ts';
import { WrongUsage } from './failure.ts';
import { readStandardInput } from './standard-input.ts';

export interface PasswordOptions {
  readonly passwordStdin?: boolean;
}

export interface NewPassword {
  readonly password: string;
  /** The password if it was generated, so that it can be shown; otherwise nothing. */
  readonly shown: { readonly password?: string };
}

const GENERATED_LENGTH = 20;

export function addPasswordOption(command: Command): Command {
  return command.option(
    '--password-stdin',
    'read the password from standard input instead of generating one',
  );
}

export async function newPassword(options: PasswordOptions): Promise<NewPassword> {
  if (!options.passwordStdin) {
    const password = systemRandomness().characters(GENERATED_LENGTH, BASE32);
    return { password, shown: { password } };
  }
  const password = parseNewPassword(await readStandardInput());
  if (password === undefined) throw new WrongUsage(`--password-stdin: expected ${NEW_PASSWORD_FORM}`);
  return { password, shown: {} };
}

/** The result in a sentence, and the password below it if it was generated. */
export function withPassword(sentence: string, { shown }: NewPassword): string {
  return shown.password ? `${sentence}\npassword  ${shown.password}    (shown only once)` : sentence;
}
