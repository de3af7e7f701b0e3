/** Whether what runs is what the configuration says: its file may have been edited since, or refused by a reload. */
import { hostname } from 'node:os';
import { type Config, ConfigProblems } from '../config/config.ts';
import { isAlive, namedNodes } from '../deliver/node-names.ts';
import { type CheckResult, problem, warning } from '../operate/finding.ts';
import type { KnownNode } from '../store/store.ts';
import { configuredCertificate } from './certificate.ts';
import { networkConfigOf } from './configured-network.ts';
import { assertCarriers, runsAs } from './running-network.ts';

const RELOAD = 'Reload it with SIGHUP.';

/** For the gateway: what a reload would find. */
export function changesSince(current: Config, read: () => Config): CheckResult[] {
  try {
    const next = read();
    assertCarriers(next);
    configuredCertificate(next);
    const isSame = JSON.stringify(networkConfigOf(next)) === JSON.stringify(networkConfigOf(current));
    return isSame ? [] : [warning(`${next.configFile} has changed since it was read`, RELOAD)];
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return error.problems.map(each =>
      problem(
        `The configuration cannot be read again: ${each}`,
        'The previous configuration stays in force. Correct the file, then reload with SIGHUP; a restart would fail.',
      ),
    );
  }
}

/** For a command beside it: nodes of this machine that do not run what the file says. */
export function otherwiseRunning(config: Config, known: readonly KnownNode[]): CheckResult[] {
  return namedNodes(known)
    .filter(node => isAlive(node) && node.profile.host === hostname() && !runsAs(config, node.profile))
    .map(({ name }) =>
      warning(`The node ${name} runs with other settings than ${config.configFile}`, RELOAD),
    );
}
