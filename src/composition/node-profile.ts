/** What a node tells the others of itself beside its carriers: where it runs, and fingerprints of its settings. */
import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import { hmacSha256, sha256 } from '../platform/hashing.ts';
import { readVersion } from '../platform/version.ts';
import type { NodeProfile } from '../store/store.ts';

/** Settings that may well be different on each node. */
const PER_NODE: readonly string[] = [
  'nodeName',
  ...['host', 'port', 'httpThreads', 'maxConnections', 'dataDir', 'configFile', 'logLevel'],
  // The paths; the certificate itself is no setting.
  ...['tlsCert', 'tlsKey'],
];
const FINGERPRINT_LENGTH = 8;

/** The same after a restart; undefined where nothing tells nodes of one host apart. */
function nodeNameOf({ nodeName, port }: Config): string | undefined {
  return nodeName ?? (port === 0 ? undefined : `${hostname()}:${port}`);
}

export function nodeProfileOf(config: Config, startedAt: number): Partial<NodeProfile> {
  const name = nodeNameOf(config);
  return {
    ...(name !== undefined && { name }),
    version: readVersion(),
    host: hostname(),
    pid: process.pid,
    startedAt,
    settings: settingsOf(config),
  };
}

/** What the log says once the node listens. Nodes with the same settings, carriers and routes have the same `configuration`. */
export function startLineOf(config: Config, profile: Partial<NodeProfile>): object {
  const { version, host, pid, mode, settings, carriers = [], routes } = profile;
  const configured = carriers.map(({ name, fingerprint }) => [name, fingerprint]);
  return {
    event: 'started',
    ...{ version, runtime: process.version, host, pid, mode },
    store: config.secrets.databaseUrl ? 'PostgreSQL' : 'SQLite',
    carriers: carriers.map(({ name }) => name),
    configuration: sha256(JSON.stringify([settings, configured, routes])).slice(0, FINGERPRINT_LENGTH),
  };
}

/** Holds no secret: of those only the key of signing secrets is told apart, which nobody can guess. */
function settingsOf(config: Config): Record<string, string> {
  const values = config as unknown as Readonly<Record<string, unknown>>;
  const fingerprints: Record<string, string> = {};
  for (const [name, { env, isSecret }] of Object.entries(SETTINGS)) {
    if (isSecret || PER_NODE.includes(name)) continue;
    fingerprints[env] = sha256(JSON.stringify(values[name] ?? null)).slice(0, FINGERPRINT_LENGTH);
  }
  const key = config.secrets.secretKey?.reveal();
  if (key !== undefined) {
    const digest = hmacSha256(Buffer.from(key), 'configuration of a node').toString('base64url');
    fingerprints[SETTINGS.secretKey.env] = digest.slice(0, FINGERPRINT_LENGTH);
  }
  return fingerprints;
}
