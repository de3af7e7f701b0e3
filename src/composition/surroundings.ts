/** What `doctor` learns from the configuration and the machine. */
import { hostname } from 'node:os';
import { type Config, missingSecrets } from '../config/config.ts';
import { diskReserve } from '../operate/disk-watch.ts';
import type { Disk, Surroundings } from '../operate/doctor-checks.ts';
import { type CheckResult, ok, problem, warning } from '../operate/finding.ts';
import { readDisk } from '../platform/disk.ts';
import { permissionsForOthers } from '../platform/private-files.ts';
import { configuredCertificate } from './certificate.ts';
import { keepsFiles, keepsRows } from './disk.ts';
import { isDurabilityRequired } from './durability.ts';
import { carriersProblems } from './running-network.ts';

export function surroundingsOf(
  /** Carriers and routes as they were last read. */
  current: () => Config,
  /** Where the running gateway differs from it. */
  differences: () => Promise<readonly CheckResult[]>,
): Surroundings {
  const config = current();
  const isProduction = config.mode === 'production';
  return {
    isProduction,
    host: hostname(),
    mustBeDurable: isDurabilityRequired(config),
    configuration: async () => [
      ...soundness(current()),
      ...(await differences()),
      ...(isProduction ? productionNotes(config) : []),
      ...directoryNotes(config),
    ],
    certificateEndsAt: () => configuredCertificate(config)?.expiresAt,
    disks: async () => (usesDirectory(config) ? [await diskOf(config)] : []),
  };
}

function soundness(config: Config): CheckResult[] {
  const advice = 'The gateway does not start without it: run this command in the environment of the gateway.';
  const problems = [
    ...missingSecrets(config).map(detail => problem(detail, advice)),
    ...carriersProblems(config).map(detail => problem(detail, 'Correct it; see docs/configuration.md.')),
  ];
  if (problems.length > 0) return problems;
  const { mode, secrets, routes } = config;
  const counts = `mode ${mode}, carriers ${secrets.carriers.reveal().length}, routes ${routes.length}`;
  return [ok(`The configuration has no problems (${counts})`)];
}

function productionNotes({ publicUrl, secrets }: Config): CheckResult[] {
  const notes: CheckResult[] = [];
  if (publicUrl === undefined) {
    notes.push(
      warning(
        'BONGSU_PUBLIC_URL is not set: URLs of images use the address that the upload was sent to',
        'Set it to the address that clients and carriers use.',
      ),
    );
  }
  if (secrets.dataKeys === undefined) {
    notes.push(
      warning(
        'BONGSU_DATA_KEY is not set: recipients and texts are stored unencrypted',
        'Set a key to encrypt them: docs/data-key.md.',
      ),
    );
  }
  if (secrets.databaseUrl !== undefined && secrets.secretKey === undefined) {
    notes.push(
      warning(
        'BONGSU_SECRET_KEY is not set: webhooks are not available with PostgreSQL',
        'Set the same key on every node: docs/webhooks.md.',
      ),
    );
  }
  return notes;
}

function usesDirectory(config: Config): boolean {
  return keepsRows(config) || keepsFiles(config);
}

function directoryNotes(config: Config): CheckResult[] {
  const { dataDir } = config;
  const permissions = usesDirectory(config) ? permissionsForOthers(dataDir) : undefined;
  if (permissions === undefined) return [];
  return [
    warning(`Other users of this machine can read ${dataDir} (${permissions})`, 'Run chmod 700 on it.'),
  ];
}

async function diskOf({ dataDir, diskReserveBytes }: Config): Promise<Disk> {
  const space = await readDisk(dataDir);
  return { path: dataDir, ...space, reserveBytes: diskReserve(diskReserveBytes, space.totalBytes) };
}
