/** `bongsu init`: writes a bongsu.yaml to begin with. As it stands it changes nothing in the sandbox; the rest is commented. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { SETTINGS } from '../config/settings.ts';
import { Failure } from './failure.ts';
import { describeCommand, type OutputOptions, print } from './output.ts';

interface InitOptions extends OutputOptions {
  readonly file: string;
}

export function addInitCommand(program: Command): void {
  const command = describeCommand(
    program.command('init'),
    'write a commented bongsu.yaml; one that is there is left alone',
    ['init', 'init --file /etc/bongsu/bongsu.yaml'],
  );
  command.option('--file <path>', 'where to write it', String(SETTINGS.configFile.fallback));
  command.action((options: InitOptions) => {
    const { file } = options;
    try {
      writeFileSync(file, exampleFile(), { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Failure(`there is a ${file} already`);
    }
    print(options, { file }, () => `${file} written; "bongsu doctor" checks it`);
  });
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
  #    - { status: 429, result: temporary, carriersFault: true }
  #    - { status: 4xx, result: permanent, code: /code, reportCode: "23014" }
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
# \${NAME} is the environment variable NAME: keep passwords there.
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
