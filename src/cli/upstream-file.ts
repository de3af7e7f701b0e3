/** A bongsu.yaml whose messages all go to another service that speaks the same contract. */
import { CHANNELS } from '../domain/channels/channel.ts';

export interface Upstream {
  readonly url: string;
  readonly account: string;
  /** Of the credential headers, where it is not the usual one. */
  readonly headerPrefix?: string;
  /** The address is one of this machine or of a private network. */
  readonly isPrivate: boolean;
}

export const UPSTREAM_NAME = 'upstream';
export const UPSTREAM_PASSWORD = 'UPSTREAM_PASSWORD';

export function upstreamFile({ url, account, headerPrefix, isPrivate }: Upstream): string {
  const keys = [
    'kind: omni',
    `url: ${quoted(url)}`,
    `account: ${quoted(account)}`,
    `password: \${${UPSTREAM_PASSWORD}}`,
    ...(headerPrefix === undefined ? [] : [`headerPrefix: ${quoted(headerPrefix)}`]),
    ...(isPrivate ? ['allowPrivate: true'] : []),
  ];
  const routes = CHANNELS.map(channel => `  - { channel: ${channel}, via: [${UPSTREAM_NAME}] }`);
  return `# Every message goes to another service that speaks the same contract: docs/upstream.md.
# \${NAME} is the environment variable NAME: keep passwords there. Read again on SIGHUP.

carriers:
  # Its reports are fetched and deleted by this gateway: nobody else may poll with this account.
  ${UPSTREAM_NAME}:
${keys.map(key => `    ${key}`).join('\n')}

# A second carrier after it in "via" is used while it is down: docs/carriers.md.
routes:
${routes.join('\n')}
`;
}

/** A scalar that YAML reads back as it is. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
