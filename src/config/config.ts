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
/** Keys of messages may be committed some seconds after they were made. */
const SHORTEST_TEXT_RETENTION_MS = 60_000;

const SHORTEST_TOKEN_LIFETIME_MS = 1_000;
/** Reservations are for a moment within a year. */
const YEAR_MS = 365 * 24 * 3_600_000;

/** `channels` are the words a route may name. */
export function loadConfig(env: Env, channels: readonly string[]): Config {
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
  const { carriers, routes } = readFile(env, problems, channels);
  // The tables above name every member.
  const config = { ...values, routes, secrets: { ...secrets, carriers: new Secret(carriers) } } as Config;
  problems.push(
    ...textRetentionProblems(config, env),
    ...contradictions(config, env),
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
  problems.push(...found.map(problem => `${path}: ${problem}`));
  return file;
}

/** Where it is not set, a shorter inquiry window shortens it. */
function textRetentionProblems({ textRetentionMs, inquiryWindowMs }: Config, env: Env): string[] {
  const { env: name } = SETTINGS.textRetentionMs;
  if (textRetentionMs < SHORTEST_TEXT_RETENTION_MS) return [`${name}: expected at least 1m`];
  if (!env[name] || textRetentionMs <= inquiryWindowMs) return [];
  return [
    `${name}: expected at most ${SETTINGS.inquiryWindowMs.env}, after which the whole message is deleted`,
  ];
}

/** Settings that are right one by one, and cannot be meant together. */
function contradictions(config: Config, env: Env): string[] {
  const problems: string[] = [];
  const { tokenLifetimeMs, reservationLeadMs, reportRetentionMs, inquiryWindowMs } = config;
  const { env: retention } = SETTINGS.reportRetentionMs;
  if (tokenLifetimeMs < SHORTEST_TOKEN_LIFETIME_MS) {
    problems.push(`${SETTINGS.tokenLifetimeMs.env}: expected at least 1s`);
  }
  if (reservationLeadMs >= YEAR_MS) {
    problems.push(
      `${SETTINGS.reservationLeadMs.env}: expected less than 365d: a reservation is for a moment within a year`,
    );
  }
  if (env[retention] && reportRetentionMs > inquiryWindowMs) {
    problems.push(
      `${retention}: expected at most ${SETTINGS.inquiryWindowMs.env}, after which the whole message is deleted`,
    );
  }
  return problems;
}

function filesProblems({ files, secrets }: Config): string[] {
  const missing = (...names: readonly (SecretName & keyof Settings)[]) =>
    names
      .filter(name => secrets[name] === undefined)
      .map(name => `${SETTINGS.files.env}: ${files?.kind} needs ${SETTINGS[name].env}`);
  if (files?.kind === 'database') return missing('databaseUrl');
  return files?.kind === 's3' ? missing('s3AccessKeyId', 's3SecretAccessKey') : [];
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
      'BONGSU_DEMO_ACCOUNT: a demo account has no place in production; use "bongsu account create"',
    );
  }
  if (adminToken && adminToken.reveal().length < SHORTEST_PRODUCTION_ADMIN_TOKEN) {
    problems.push(
      `BONGSU_ADMIN_TOKEN: expected at least ${SHORTEST_PRODUCTION_ADMIN_TOKEN} characters in production`,
    );
  }
  return problems;
}
