/** The bongsu.yaml of the edge: every channel goes to the core. */
import { CHANNELS } from '../../src/domain/channels/channel.ts';

export interface EdgeSettings {
  /** The core, or what stands before it. */
  readonly url: string;
  readonly account: string;
  readonly timeoutMs: number;
  readonly window: number;
  /** Whether it may rely on the core to take a repeated send once. */
  readonly isRepeatable: boolean;
}

export const PASSWORD_VARIABLE = 'CORE_PASSWORD';

/** Waits are short, so that a run is. */
const PACE = 'interval: 50ms, idleInterval: 200ms, breaker: { failures: 5, pause: 500ms, longestPause: 2s }';

export function edgeFile({ url, account, timeoutMs, window, isRepeatable }: EdgeSettings): string {
  const limits = `timeout: ${timeoutMs}ms, window: ${window}, repeatable: ${isRepeatable}`;
  const routes = CHANNELS.map(channel => `  - { channel: ${channel}, via: [core] }`);
  return `carriers:
  core: { kind: omni, url: "${url}", account: ${account}, password: "\${${PASSWORD_VARIABLE}}", allowPrivate: true, ${limits}, ${PACE} }
routes:
${routes.join('\n')}
`;
}
