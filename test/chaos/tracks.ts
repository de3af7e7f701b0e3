/** The kinds of trouble of each track. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresProcess } from '../harness/postgres.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';
import type { SeededRandom } from '../simulation/seeded-random.ts';
import type { GatewayNode } from './gateway-node.ts';
import type { RecordingSmsc } from './recording-smsc.ts';
import type { Track, Trouble } from './trouble.ts';

/** A node with its own way to the database. */
export interface Place {
  readonly node: GatewayNode;
  readonly proxy: TcpProxy;
}

const FROZEN_MS = 8_000;
const WITHOUT_CARRIER_MS = [3_000, 9_000] as const;

export function nodeTrack(
  places: readonly Place[],
  files: { readonly whole: string; readonly reduced: string },
): Track {
  const nodeOf = (random: SeededRandom) => random.pick(places).node;
  return {
    name: 'nodes',
    restMs: [1_000, 3_000],
    troubles: {
      'kill -9': random => nodeOf(random).restart('SIGKILL'),
      SIGTERM: random => nodeOf(random).restart('SIGTERM'),
      async 'SIGHUP without a carrier'(random) {
        const node = nodeOf(random);
        node.configure(files.reduced);
        node.signal('SIGHUP');
        await pause(random.between(...WITHOUT_CARRIER_MS));
        node.configure(files.whole);
        node.signal('SIGHUP');
      },
      async 'restart without a carrier'(random) {
        const node = nodeOf(random);
        node.configure(files.reduced);
        await node.restart(random.pick(['SIGKILL', 'SIGTERM']));
        await pause(random.between(...WITHOUT_CARRIER_MS));
        node.configure(files.whole);
        node.signal('SIGHUP');
      },
      async 'SIGSTOP for 8 s'(random) {
        const node = nodeOf(random);
        await node.isUp();
        node.signal('SIGSTOP');
        await pause(FROZEN_MS);
        node.signal('SIGCONT');
      },
    },
  };
}

export function databaseTrack(
  places: readonly Place[],
  server: {
    readonly process: PostgresProcess | undefined;
    readonly terminateAll: () => Promise<void>;
  },
): Track {
  const { process: postgres, terminateAll } = server;
  const proxiesOf = (random: SeededRandom) => {
    const proxies = places.map(({ proxy }) => proxy);
    return random.chance(0.5) ? proxies : [random.pick(proxies)];
  };
  const during =
    (ms: readonly [number, number], begin: (proxy: TcpProxy) => void): Trouble =>
    async random => {
      const proxies = proxiesOf(random);
      for (const proxy of proxies) begin(proxy);
      await pause(random.between(...ms));
      for (const proxy of proxies) proxy.heal();
    };
  const crash: Readonly<Record<string, Trouble>> = postgres
    ? {
        'PostgreSQL crashes': () => postgres.restart('immediate'),
        async 'PostgreSQL frozen'(random) {
          postgres.freeze();
          await pause(random.between(500, 6_000));
          postgres.thaw();
        },
      }
    : {};
  return {
    name: 'database',
    restMs: [1_000, 3_000],
    troubles: {
      ...crash,
      'connections cut': async random => {
        for (const proxy of proxiesOf(random)) proxy.cut();
      },
      'connections cut in an answer': during([300, 300], proxy => proxy.cutAfter(2_000)),
      'connections cut and refused': during([300, 2_000], proxy => {
        proxy.refuse();
        proxy.cut();
      }),
      'short stall': during([500, 2_000], proxy => proxy.stall()),
      'long stall': during([4_000, 7_000], proxy => proxy.stall()),
      'stall, then cut': async random => {
        const proxies = proxiesOf(random);
        for (const proxy of proxies) proxy.stall();
        await pause(random.between(50, 1_500));
        for (const proxy of proxies) {
          proxy.cut();
          proxy.heal();
        }
      },
      delay: during([2_000, 4_000], proxy => proxy.delay(150)),
      pg_terminate_backend: () => terminateAll(),
    },
  };
}

export function carrierTrack(smscs: readonly RecordingSmsc[]): Track {
  return {
    name: 'carriers',
    restMs: [5_000, 10_000],
    troubles: {
      'all links closed': async () => {
        for (const smsc of smscs) smsc.dropLinks();
      },
      'links of one carrier closed': async random => random.pick(smscs).dropLinks(),
      async 'a carrier hangs'(random) {
        const smsc = random.pick(smscs);
        smsc.hang();
        await pause(random.between(1_000, 5_000));
        smsc.wake();
      },
    },
  };
}
