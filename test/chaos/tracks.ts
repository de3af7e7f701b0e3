/** The kinds of trouble of each track. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresProcess } from '../harness/postgres.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';
import type { GatewayNode } from '../long-runs/gateway-node.ts';
import type { RecordingSmsc } from '../long-runs/smscs/recording-smsc.ts';
import type { Track } from '../long-runs/trouble.ts';
import { connectionTroubles, during, postgresTroubles } from '../long-runs/troubles.ts';
import type { SeededRandom } from '../simulation/seeded-random.ts';

/** A node with a proxy of its own in front of the database. */
export interface Place {
  readonly node: GatewayNode;
  readonly proxy: TcpProxy;
}

const FROZEN_MS = 8_000;
/** Delay of each answer of the database before a node is frozen, so that it is in the middle of transactions. */
const SLOW_MS = 150;
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
      // Among the transactions are sends with a key, which their clients meanwhile repeat at the other node.
      async 'SIGSTOP in transactions for 8 s'(random) {
        const { node, proxy } = random.pick(places);
        await node.isUp();
        proxy.delay(SLOW_MS);
        await pause(random.between(2 * SLOW_MS, 4 * SLOW_MS));
        node.signal('SIGSTOP');
        proxy.delay(0);
        await pause(FROZEN_MS);
        node.signal('SIGCONT');
      },
    },
  };
}

/** `postgres` is undefined if it is not a process of ours. */
export function databaseTrack(
  places: readonly Place[],
  postgres: PostgresProcess | undefined,
  terminateSessions: () => Promise<void>,
): Track {
  const proxiesOf = (random: SeededRandom) => {
    const proxies = places.map(({ proxy }) => proxy);
    return random.chance(0.5) ? proxies : [random.pick(proxies)];
  };
  return {
    name: 'database',
    restMs: [1_000, 3_000],
    troubles: {
      ...postgresTroubles(postgres),
      ...connectionTroubles(proxiesOf, [4_000, 7_000]),
      'some connections stall': during(proxiesOf, [1_000, 7_000], (proxy, random) =>
        proxy.stallSome(() => random.chance(0.5)),
      ),
      pg_terminate_backend: terminateSessions,
    },
  };
}

export function carrierTrack(smscs: readonly RecordingSmsc[]): Track {
  return {
    name: 'carriers',
    restMs: [5_000, 10_000],
    troubles: {
      'all links closed': async () => {
        for (const smsc of smscs) smsc.reset();
      },
      'links of one carrier closed': async random => random.pick(smscs).reset(),
      async 'a carrier hangs'(random) {
        const smsc = random.pick(smscs);
        smsc.pause();
        await pause(random.between(1_000, 5_000));
        smsc.resume();
      },
    },
  };
}
