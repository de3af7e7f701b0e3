/** A process of its own that reads configurations: one that hangs or dies takes nobody with it. */
import { writeFileSync } from 'node:fs';
import { carrierProblems } from '../../src/carriers/create-carrier.ts';
import { ConfigProblems, loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';

export interface ReadResult {
  /** What was wrong with it; none where it can be used. */
  readonly problems: readonly string[];
  readonly cpuMs: number;
  /** What was thrown that is no list of problems. */
  readonly thrown?: string;
}

const [, , file = ''] = process.argv;

process.on('message', source => {
  const before = process.threadCpuUsage();
  const read = readConfig(String(source));
  const { user, system } = process.threadCpuUsage(before);
  process.send?.({ ...read, cpuMs: (user + system) / 1000 } satisfies ReadResult);
});

/** As at the start of the gateway and at SIGHUP. */
function readConfig(source: string): Omit<ReadResult, 'cpuMs'> {
  writeFileSync(file, source);
  try {
    const config = loadConfig({ BONGSU_CONFIG: file, SECRET: 'a secret of the environment' }, CHANNELS);
    const carriers = config.secrets.carriers.reveal();
    return { problems: carriers.flatMap(carrier => carrierProblems(carrier, undefined)) };
  } catch (error) {
    if (error instanceof ConfigProblems) return { problems: error.problems };
    return { problems: [], thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
