/** The kinds of trouble: with the edge, with the core, and between them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayNode } from '../long-runs/gateway-node.ts';
import type { Track } from '../long-runs/trouble.ts';
import { connectionTroubles, postgresTroubles } from '../long-runs/troubles.ts';
import { ANSWER_TIMEOUT_MS, type Chain } from './chain.ts';

const FROZEN_MS = [1_000, 6_000] as const;

export function tracksOf({ edge, core, link, postgres }: Chain): Track[] {
  const connection: Track = {
    name: 'link',
    restMs: [1_000, 3_000],
    troubles: connectionTroubles(() => [link], [ANSWER_TIMEOUT_MS + 500, ANSWER_TIMEOUT_MS + 2_500]),
  };
  // While its database is away, the core has to say that it cannot accept anything, or does not know.
  const coreStore: Track = {
    name: 'core store',
    restMs: [6_000, 12_000],
    troubles: postgresTroubles(postgres.process),
  };
  return [gatewayTrack('edge', edge), gatewayTrack('core', core), connection, coreStore];
}

function gatewayTrack(name: string, node: GatewayNode): Track {
  return {
    name,
    restMs: [2_000, 6_000],
    troubles: {
      [`${name}: kill -9`]: () => node.restart('SIGKILL'),
      [`${name}: SIGTERM`]: () => node.restart('SIGTERM'),
      async [`${name}: SIGSTOP`](random) {
        await node.isUp();
        node.signal('SIGSTOP');
        await pause(random.between(...FROZEN_MS));
        node.signal('SIGCONT');
      },
    },
  };
}
