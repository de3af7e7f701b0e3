/**
 * `bongsu init`: writes a bongsu.yaml to begin with. As it stands it changes nothing in the sandbox; the rest is commented.
 * With `--upstream` it is one whose messages go to another service, which is tried at once.
 */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { SETTINGS } from '../config/settings.ts';
import { parseUrl } from './credentials.ts';
import { Failure } from './failure.ts';
import { initUpstream, type UpstreamOptions } from './init-upstream.ts';
import { describeCommand, type OutputOptions, print } from './output.ts';
import { UPSTREAM_PASSWORD } from './upstream-file.ts';

interface InitOptions extends OutputOptions, Partial<UpstreamOptions> {
  readonly file: string;
}

export function addInitCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = describeCommand(
    program.command('init'),
    'write a commented bongsu.yaml; an existing file is not overwritten',
    [
      'init',
      'init --file /etc/bongsu/bongsu.yaml',
      'init --upstream https://api.example.com --account shop --password-stdin < password',
    ],
  );
  command
    .option('--file <path>', `where to write it (or ${SETTINGS.configFile.env})`, configFileOf(env))
    .option('--upstream <url>', 'send everything to this service of the same contract, and try it', parseUrl)
    .option('--account <id>', 'with --upstream: our account there')
    .option(
      '--password-stdin',
      `with --upstream: read the password from standard input (or ${UPSTREAM_PASSWORD})`,
    )
    .option(
      '--header-prefix <prefix>',
      'with --upstream: SVC means X-SVC-Client-Id; the public SDKs send IB',
    );
  command.action(async (options: InitOptions) => {
    const { file, upstream } = options;
    const write = (text: string) => writeNew(file, text);
    if (upstream !== undefined) return initUpstream({ ...options, upstream }, env, write);
    write(exampleFile());
    print(options, { file }, () => `${file} written; "bongsu doctor" checks it`);
  });
}

/** Where the gateway would look for it. */
function configFileOf(env: NodeJS.ProcessEnv): string {
  return env[SETTINGS.configFile.env] || String(SETTINGS.configFile.fallback);
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(code === 'EEXIST' ? `there is a ${file} already` : `cannot write ${file}: ${message}`);
  }
}

/** One example of the file: text is commented with "# ", what can be put to use with "#" alone. */
interface Part {
  readonly carrier?: string;
  readonly route?: string;
}

const SIMULATOR: Part = {
  carrier: `
  # A simulated network: it takes everything, and the last four digits of the recipient decide the outcome.
  # Take it out before real messages are sent.
  simulator:
    kind: simulator
`,
  route: `
  - { channel: sms, via: [simulator] }
`,
};

const SMPP: Part = {
  carrier: `
  # An SMSC that speaks SMPP 3.4; others and all keys: docs/carriers.md, docs/configuration.md.
  #sky:
  #  kind: smpp
  #  host: smsc.example.com
  #  port: 2775
  #  systemId: bongsu
  #  password: \${SKY_PASSWORD}
  #  window: 50         # submits without an answer
  #  rate: 200          # parts a second, as the contract with the carrier says
  #  tls: true
`,
  route: `
  # Carriers in order of preference: the next is used while the one before is down.
  #- { channel: sms, prefix: ["010"], via: [sky, simulator] }
  #- { channel: international, via: [sky] }
`,
};

const HTTP: Part = {
  carrier: `
  # A provider with an HTTP API, described without code: docs/carriers-http.md.
  #acme:
  #  kind: http
  #  submit:
  #    url: https://api.acme.example/v1/messages
  #    headers: { authorization: "Bearer \${ACME_TOKEN}" }
  #    json: { recipient: "{{to.international}}", sender: "{{from}}", text: "{{text}}" }
  #  channels: { sms: {} }
  #  outcomes:          # the first that matches
  #    - { status: 2xx, pointer: /messageId, result: accepted, id: /messageId }
  #    - { status: 4xx, result: permanent, code: /code, says: /message, reportCode: "23014" }
  #  receipt:
  #    id: /messageId
  #    status: /status
  #    statuses: { DELIVERED: delivered, FAILED: failed }
  #    reportCode: "23014"
  #  callback:          # POST https://your-gateway/carriers/acme/receipts
  #    hmac: { secrets: ["\${ACME_WEBHOOK_SECRET}"] }
`,
  route: `
  # Only for some accounts.
  #- { channel: sms, account: [shop], via: [acme] }
`,
};

const HEAD = `# Carriers and routes of Bongsu. Everything else is set by environment variables: docs/configuration.md.
# \${NAME} is the environment variable NAME, \${file:/path} what a file holds: keep passwords there.
# Read again on SIGHUP. "bongsu doctor" checks it, "bongsu route explain" shows which carrier a message takes.
`;

export function exampleFile(parts: readonly Part[] = [SIMULATOR, SMPP, HTTP]): string {
  const carriers = parts.map(({ carrier = '' }) => carrier).join('');
  const routes = parts.map(({ route = '' }) => route).join('');
  return `${HEAD}
carriers:${carriers}
# The first route that matches channel, prefix and account decides. In production a message without a route is refused.
routes:${routes}`;
}
