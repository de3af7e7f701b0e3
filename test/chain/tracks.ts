/** The kinds of trouble: with the edge, with the core, and between them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayNode } from '../chaos/gateway-node.ts';
import type { Track, Trouble } from '../chaos/trouble.ts';
import type { PostgresProcess } from '../harness/postgres.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';

const FROZEN_MS = [1_000, 6_000] as const;

/** One gateway of the chain. */
export function gatewayTrack(name: string, node: GatewayNode): Track {
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

/** The way from the edge to the core. `answerTimeoutMs`: how long the edge waits for an answer. */
export function linkTrack(proxy: TcpProxy, answerTimeoutMs: number): Track {
  const during =
    (ms: readonly [number, number], begin: () => void): Trouble =>
    async random => {
      begin();
      await pause(random.between(...ms));
      proxy.heal();
    };
  const beyond = [answerTimeoutMs + 500, answerTimeoutMs + 2_500] as const;
  return {
    name: 'link',
    restMs: [1_000, 3_000],
    troubles: {
      'link: cut': async () => proxy.cut(),
      'link: cut in an answer': during([300, 300], () => proxy.cutAfter(1_000)),
      'link: cut and refused': during([300, 3_000], () => {
        proxy.refuse();
        proxy.cut();
      }),
      'link: short stall': during([300, 1_500], () => proxy.stall()),
      'link: stall beyond the timeout': during(beyond, () => proxy.stall()),
      async 'link: stall, then cut'(random) {
        proxy.stall();
        await pause(random.between(50, 1_500));
        proxy.cut();
        proxy.heal();
      },
      'link: delay': during([1_000, 3_000], () => proxy.delay(150)),
    },
  };
}

/** The core's database, so that the core has to say that it cannot take anything, or does not know. */
export function coreStoreTrack(postgres: PostgresProcess): Track {
  return {
    name: 'core store',
    restMs: [6_000, 12_000],
    troubles: {
      'core store: crash': () => postgres.restart('immediate'),
      async 'core store: frozen'(random) {
        postgres.freeze();
        await pause(random.between(1_000, 5_000));
        postgres.thaw();
      },
    },
  };
}
