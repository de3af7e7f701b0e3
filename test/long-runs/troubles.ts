/** Troubles that several runs have: of a connection through a proxy, and of a PostgreSQL. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresProcess } from '../harness/postgres.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';
import type { SeededRandom } from '../simulation/seeded-random.ts';
import type { Track, Trouble } from './trouble.ts';

export type Milliseconds = readonly [least: number, most: number];

/** Something begins at the proxies and lasts so long; then everything passes again. */
export function during(
  proxiesOf: (random: SeededRandom) => readonly TcpProxy[],
  ms: Milliseconds,
  begin: (proxy: TcpProxy, random: SeededRandom) => void,
): Trouble {
  return async random => {
    const proxies = proxiesOf(random);
    for (const proxy of proxies) begin(proxy, random);
    await pause(random.between(...ms));
    for (const proxy of proxies) proxy.heal();
  };
}

/** `longMs`: longer than the caller waits for an answer. */
export function connectionTroubles(
  proxiesOf: (random: SeededRandom) => readonly TcpProxy[],
  longMs: Milliseconds,
): Track['troubles'] {
  const lasting = (ms: Milliseconds, begin: (proxy: TcpProxy) => void) => during(proxiesOf, ms, begin);
  return {
    'connections cut': async random => {
      for (const proxy of proxiesOf(random)) proxy.cut();
    },
    'connections cut in an answer': lasting([300, 300], proxy => proxy.cutAfter(1_000)),
    'connections cut and refused': lasting([300, 3_000], proxy => {
      proxy.refuse();
      proxy.cut();
    }),
    'short stall': lasting([300, 2_000], proxy => proxy.stall()),
    'long stall': lasting(longMs, proxy => proxy.stall()),
    'stall, then cut': async random => {
      const proxies = proxiesOf(random);
      for (const proxy of proxies) proxy.stall();
      await pause(random.between(50, 1_500));
      for (const proxy of proxies) {
        proxy.cut();
        proxy.heal();
      }
    },
    delay: lasting([1_000, 4_000], proxy => proxy.delay(150)),
  };
}

/** Without troubles if the PostgreSQL is not a process of ours. */
export function postgresTroubles(postgres: PostgresProcess | undefined): Track['troubles'] {
  if (!postgres) return {};
  return {
    'PostgreSQL crashes': () => postgres.restart('immediate'),
    async 'PostgreSQL frozen'(random) {
      postgres.freeze();
      await pause(random.between(500, 6_000));
      postgres.thaw();
    },
  };
}
