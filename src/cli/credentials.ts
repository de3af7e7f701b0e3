/** The address of the gateway and the credentials of `send` and `reports`: flags first, then the environment. */
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { BongsuClient } from '../../client/bongsu-client.ts';
import { ConfigProblems, readSetting } from '../config/config.ts';
import { CLI_SETTINGS, SETTINGS } from '../config/settings.ts';
import { PASSWORD_FORM, parsePassword } from '../domain/account/account.ts';
import { parseAccountId } from '../domain/ids.ts';
import { warn } from './failure.ts';
import { readStandardInput } from './standard-input.ts';

export interface CredentialOptions {
  readonly url?: string;
  readonly id?: string;
  readonly passwordStdin?: boolean;
}

export function addCredentialOptions(command: Command): Command {
  const { url, clientId, clientPassword } = CLI_SETTINGS;
  return command
    .option('--url <url>', `gateway (or ${url.env}; default ${url.fallback})`, parseUrl)
    .option('--id <account>', `account id (or ${clientId.env})`)
    .option('--password-stdin', `read the password from standard input (or ${clientPassword.env})`);
}

/** A client for the account that flags and environment name. All problems are reported together. */
export async function openClient(options: CredentialOptions, env: NodeJS.ProcessEnv): Promise<BongsuClient> {
  const { clientId, clientPassword } = CLI_SETTINGS;
  const problems: string[] = [];
  const url = options.url ?? readSetting(CLI_SETTINGS.url, env, problems) ?? '';
  const prefixes = readSetting(SETTINGS.headerPrefixes, env, problems) ?? [];
  const id = options.id ?? readSetting(clientId, env, problems);
  if (id === undefined) problems.push(`no account: give --id, or set ${clientId.env}`);
  else if (!parseAccountId(id)) problems.push(`"${id}" is not a valid account id`);

  const password = options.passwordStdin
    ? await readStandardInput()
    : readSetting(clientPassword, env, problems)?.reveal();
  if (password === undefined)
    problems.push(`no password: set ${clientPassword.env}, or use --password-stdin`);
  else if (!parsePassword(password)) problems.push(`expected ${PASSWORD_FORM}`);

  if (problems.length > 0) throw new ConfigProblems(problems);
  return new BongsuClient({
    url,
    id: id ?? '',
    password: password ?? '',
    headerPrefix: prefixes[0] ?? 'SVC',
  });
}

export function parseUrl(value: string): string {
  const url = CLI_SETTINGS.url.parse(value);
  if (url === undefined) throw new InvalidArgumentError(`Expected ${CLI_SETTINGS.url.form}.`);
  return url;
}

/** Whether the address is this machine's own, which no network is between. */
function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && /^127\./.test(hostname))
  );
}

export function warnInClear(url: string): void {
  if (new URL(url).protocol === 'http:' && !isLoopback(url)) {
    warn(`the token goes to ${url} unencrypted: use https`);
  }
}
