/** `bongsu init --upstream URL`: from an account at a service of the same contract to a configuration that was tried. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { SETTINGS } from '../config/settings.ts';
import { isPrivateAddress } from '../platform/outbound.ts';
import { Failure, WrongUsage, warn } from './failure.ts';
import { withConfigured } from './operator.ts';
import { type OutputOptions, print } from './output.ts';
import { readStandardInput } from './standard-input.ts';
import { UPSTREAM_NAME, UPSTREAM_PASSWORD, upstreamFile } from './upstream-file.ts';

export interface UpstreamOptions extends OutputOptions {
  readonly file: string;
  readonly upstream: string;
  readonly account?: string;
  readonly passwordStdin?: boolean;
  readonly headerPrefix?: string;
}

const HEADER_PREFIX = /^[A-Za-z0-9]{1,20}$/;

export async function initUpstream(
  options: UpstreamOptions,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<void> {
  const { file, upstream, account, headerPrefix } = options;
  if (!account) throw new WrongUsage('--upstream: name your account there with --account');
  if (headerPrefix !== undefined && !HEADER_PREFIX.test(headerPrefix)) {
    throw new WrongUsage('--header-prefix: expected 1 to 20 letters or digits');
  }
  const password = options.passwordStdin ? await readStandardInput() : env[UPSTREAM_PASSWORD];
  if (!password) throw new WrongUsage(`no password: set ${UPSTREAM_PASSWORD}, or use --password-stdin`);
  const url = upstream.replace(/\/+$/, '');
  if (url.startsWith('http:') && !isOurs(url)) warn(`the password goes to ${url} unencrypted: use https`);
  write(
    upstreamFile({
      url,
      account,
      isPrivate: isOurs(url),
      ...(headerPrefix !== undefined && { headerPrefix }),
    }),
  );
  const settings = { ...env, [SETTINGS.configFile.env]: resolve(file), [UPSTREAM_PASSWORD]: password };
  const result = await withConfigured(settings, {}, ({ call }) =>
    call('POST /carriers/{name}/test', { name: UPSTREAM_NAME }),
  );
  print(options, { file, name: UPSTREAM_NAME, ...result }, () => textOf(file, result));
  if (!result.isOk) {
    throw new Failure(
      `${UPSTREAM_NAME} did not pass the test; correct ${file}, then try "bongsu carrier test"`,
    );
  }
}

function textOf(file: string, { isOk, detail }: { readonly isOk: boolean; readonly detail: string }): string {
  const next = `Set ${UPSTREAM_PASSWORD} where the gateway runs, then start it with "bongsu serve".`;
  return `${file} written\n${UPSTREAM_NAME}: ${detail}${isOk ? `\n${next}` : ''}`;
}

/** An address of this machine or of a private network. A name is resolved when it is called, and judged then. */
function isOurs(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || (isIP(host) !== 0 && isPrivateAddress(host));
}
