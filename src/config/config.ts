/**
 * Reads the whole configuration. Either everything is right, or every problem is reported at once.
 *
 * Secrets are apart from settings, and wrapped: whoever is given a setting does not get them with it, and whatever prints
 * the configuration does not show them.
 */
import { readFileSync } from 'node:fs';
import { Secret } from '../platform/secret.ts';
import {
  type CarrierConfig,
  EMPTY_FILE,
  type FileConfig,
  parseConfigFile,
  type RouteConfig,
  type UnreadCarrier,
} from './file.ts';
import type { Setting } from './setting.ts';
import { CLI_SETTINGS, SETTINGS } from './settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

type Settings = typeof SETTINGS;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
type SecretName = {
  [Name in keyof Settings]: ValueOf<Settings[Name]> extends Secret<unknown> ? Name : never;
}[keyof Settings];
/** Settings that may have no value. */
type OptionalName =
  | 'files'
  | 'httpThreads'
  | 'masking'
  | 'maxConnections'
  | 'nodeName'
  | 'publicUrl'
  | 's3Endpoint'
  | 'tlsCert'
  | 'tlsKey'
  | 'trustedProxies';

export type Config = {
  readonly [Name in Exclude<keyof Settings, OptionalName | SecretName>]: ValueOf<Settings[Name]>;
} & {
  readonly [Name in OptionalName]: ValueOf<Settings[Name]> | undefined;
} & {
  readonly routes: readonly RouteConfig[];
  /** Carriers whose secrets are not here: only where `mayLackSecrets` admits them. */
  readonly unread: readonly UnreadCarrier[];
  readonly secrets: Secrets;
};

export type Secrets = {
  readonly [Name in SecretName]: ValueOf<Settings[Name]> | undefined;
} & {
  /** The carriers of bongsu.yaml with all their settings: passwords and tokens are among them. */
  readonly carriers: Secret<readonly CarrierConfig[]>;
};

export class ConfigProblems extends Error {
  override name = 'ConfigProblems';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`);
    this.problems = problems;
  }
}

const SHORTEST_PRODUCTION_ADMIN_TOKEN = 24;

/**
 * `channels` are the words a route may name. `mayLackSecrets` is for commands beside the gateway, which use no carrier: a secret that
 * only the gateway can read does not stop them.
 */
export function loadConfig(
  env: Env,
  channels: readonly string[],
  { mayLackSecrets = false }: { readonly mayLackSecrets?: boolean } = {},
): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const secrets: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const value = readSetting<unknown>(setting, env, problems);
    if (setting.isSecret) secrets[name] = value;
    else values[name] = value;
  }
  const declared = new Set(
    [...Object.values(SETTINGS), ...Object.values(CLI_SETTINGS)].map(({ env: name }) => name),
  );
  for (const name of Object.keys(env)) {
    if (name.startsWith('BONGSU_') && !name.startsWith('BONGSU_TEST_') && !declared.has(name)) {
      problems.push(`${name}: there is no such setting; see docs/configuration.md`);
    }
  }
  const ofFile: string[] = [];
  const { carriers, unread, routes } = readFile(env, ofFile, channels);
  // The tables above name every member.
  const all = { ...values, routes, unread, secrets: { ...secrets, carriers: new Secret(carriers) } };
  const config = all as Config;
  if (!mayLackSecrets) problems.push(...missingSecrets(config));
  problems.push(
    ...ofFile,
    ...retentionProblems(config, env),
    ...tlsProblems(config),
    ...filesProblems(config),
  );
  if (config.mode === 'production') problems.push(...productionProblems(config.secrets));
  if (problems.length > 0) throw new ConfigProblems(problems);
  return config;
}

/** The value of one setting; undefined if it has none, or if its text is a problem. */
export function readSetting<T>(setting: Setting<T>, env: Env, problems: string[]): T | undefined {
  const given = env[setting.env];
  const text = given === undefined || given === '' ? setting.fallback : given;
  if (text === undefined) return undefined;
  const value = setting.parse(text);
  if (value === undefined) {
    const shown = setting.isSecret ? '' : ` (was "${text}")`;
    problems.push(`${setting.env}: expected ${setting.form}${shown}`);
  }
  return value;
}

function readFile(env: Env, problems: string[], channels: readonly string[]): FileConfig {
  const given = env[SETTINGS.configFile.env];
  const path = given || String(SETTINGS.configFile.fallback);
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    if (!given && (error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY_FILE;
    problems.push(`${SETTINGS.configFile.env}: cannot read ${path} (${(error as Error).message})`);
    return EMPTY_FILE;
  }
  const found: string[] = [];
  const file = parseConfigFile(source, channels, env, found);
  const named = (list: readonly string[]) => list.map(problem => `${path}: ${problem}`);
  problems.push(...named(found));
  return { ...file, unread: file.unread.map(each => ({ ...each, problems: named(each.problems) })) };
}

/** A retention that is not set is shortened by a shorter inquiry window; one that is set contradicts it. */
function retentionProblems(config: Config, env: Env): string[] {
  const { inquiryWindowMs: window } = SETTINGS;
  return (['textRetentionMs', 'reportRetentionMs'] as const)
    .filter(name => env[SETTINGS[name].env] && config[name] > config.inquiryWindowMs)
    .map(
      name =>
        `${SETTINGS[name].env}: expected at most ${window.env}, after which the whole message is deleted`,
    );
}

function filesProblems(config: Config): string[] {
  return config.files?.kind === 'database' ? unsetForFiles(config, 'databaseUrl') : [];
}

/** What the gateway needs and commands beside it do not, as far as it is not here. */
export function missingSecrets(config: Config): string[] {
  const forFiles =
    config.files?.kind === 's3' ? unsetForFiles(config, 's3AccessKeyId', 's3SecretAccessKey') : [];
  return [...config.unread.flatMap(({ problems }) => problems), ...forFiles];
}

function unsetForFiles(
  { files, secrets }: Config,
  ...names: readonly (SecretName & keyof Settings)[]
): string[] {
  return names
    .filter(name => secrets[name] === undefined)
    .map(name => `${SETTINGS.files.env}: ${files?.kind} needs ${SETTINGS[name].env}`);
}

/** Neither is of use without the other. */
function tlsProblems({ tlsCert, tlsKey }: Config): string[] {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return [];
  const { tlsCert: cert, tlsKey: key } = SETTINGS;
  const [missing, given] = tlsCert === undefined ? [cert, key] : [key, cert];
  return [`${missing.env}: needed with ${given.env}`];
}

function productionProblems({ demoAccount, adminToken }: Secrets): string[] {
  const problems: string[] = [];
  if (demoAccount) {
    problems.push(
      'BONGSU_DEMO_ACCOUNT: demo accounts are not allowed in production; use "bongsu account create"',
    );
  }
  if (adminToken && adminToken.reveal().length < SHORTEST_PRODUCTION_ADMIN_TOKEN) {
    problems.push(
      `BONGSU_ADMIN_TOKEN: expected at least ${SHORTEST_PRODUCTION_ADMIN_TOKEN} characters in production`,
    );
  }
  return problems;
}
