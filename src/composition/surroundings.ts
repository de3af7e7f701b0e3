/** What `doctor` learns from the configuration and the machine. */
import type { Config } from '../config/config.ts';
import { diskReserve } from '../operate/disk-watch.ts';
import { type Disk, ok, type Said, type Surroundings, warning } from '../operate/doctor.ts';
import { readDisk } from '../platform/disk.ts';
import { permissionsForOthers } from '../platform/private-files.ts';
import { configuredCertificate } from './certificate.ts';
import { keepsFiles, keepsRows } from './disk.ts';
import { isDurabilityRequired } from './durability.ts';

export function surroundingsOf(config: Config): Surroundings {
  const isProduction = config.mode === 'production';
  return {
    isProduction,
    mustBeDurable: isDurabilityRequired(config),
    configuration: () => [
      ok(
        `The configuration has no problems (mode ${config.mode}, carriers ${config.secrets.carriers.reveal().length}, routes ${config.routes.length})`,
      ),
      ...(isProduction ? productionNotes(config) : []),
      ...directoryNotes(config),
    ],
    certificateEndsAt: () => configuredCertificate(config)?.expiresAt,
    disks: async () => (usesDirectory(config) ? [await diskOf(config)] : []),
  };
}

function productionNotes({ publicUrl, secrets }: Config): Said[] {
  const notes: Said[] = [];
  if (publicUrl === undefined) {
    notes.push(
      warning(
        'BONGSU_PUBLIC_URL is not set: the addresses of uploaded images are those that uploads were sent to',
        'Set it to the address that clients and carriers use.',
      ),
    );
  }
  if (secrets.dataKeys === undefined) {
    notes.push(
      warning(
        'BONGSU_DATA_KEY is not set: recipients and texts are stored as they are',
        'Set a key to seal them: docs/data-key.md.',
      ),
    );
  }
  if (secrets.databaseUrl !== undefined && secrets.secretKey === undefined) {
    notes.push(
      warning(
        'BONGSU_SECRET_KEY is not set: with PostgreSQL there can be no webhooks',
        'Set the same key on every node: docs/webhooks.md.',
      ),
    );
  }
  return notes;
}

function usesDirectory(config: Config): boolean {
  return keepsRows(config) || keepsFiles(config);
}

function directoryNotes(config: Config): Said[] {
  const { dataDir } = config;
  const permissions = usesDirectory(config) ? permissionsForOthers(dataDir) : undefined;
  if (permissions === undefined) return [];
  return [warning(`Other users of this machine may look into ${dataDir} (${permissions})`, 'chmod 700 it.')];
}

async function diskOf({ dataDir, diskReserveBytes }: Config): Promise<Disk> {
  const space = await readDisk(dataDir);
  return { path: dataDir, ...space, reserveBytes: diskReserve(diskReserveBytes, space.totalBytes) };
}
