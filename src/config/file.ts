/** bongsu.yaml: carriers and routes. Unknown keys are errors; `${NAME}` in a value is an environment variable. */
import { parseDocument } from 'yaml';
import { type LatencyRange, parseLatency } from './setting.ts';

export interface SimulatorConfig {
  readonly name: string;
  readonly kind: 'simulator';
  /** Absent: the setting BONGSU_SIMULATOR_LATENCY. */
  readonly latency: LatencyRange | undefined;
}

export type CarrierConfig = SimulatorConfig;

export interface RouteConfig {
  readonly channel: string;
  readonly prefixes: readonly string[];
  readonly via: readonly string[];
}

export interface FileConfig {
  readonly carriers: readonly CarrierConfig[];
  readonly routes: readonly RouteConfig[];
}

export const EMPTY_FILE: FileConfig = { carriers: [], routes: [] };

/** The keys of the file, for the documentation and for the check of unknown ones. */
export const FILE_KEYS = {
  top: {
    carriers: 'Map of carriers, each under a name of your choice.',
    routes: 'List of routes; the first that matches is used.',
  },
  carrier: {
    kind: '`simulator`: the simulated network.',
    latency: 'Simulator: `0` or a range such as `50-300ms`. Default: BONGSU_SIMULATOR_LATENCY.',
  },
  route: {
    channel: 'Channel the route serves.',
    prefix: 'Heads of recipient numbers it serves; absent means all.',
    via: 'Carriers in order of preference.',
  },
} as const;

const CARRIER_NAME = /^[a-z][a-z0-9-]{0,39}$/;

type Members = Readonly<Record<string, unknown>>;

/** Parses the text of the file. Every problem found is pushed, with the key and the expected form. */
export function parseConfigFile(
  source: string,
  channels: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): FileConfig {
  const document = parseDocument(source, { uniqueKeys: true });
  for (const error of document.errors) problems.push(`not valid YAML: ${error.message.split('\n')[0]}`);
  if (document.errors.length > 0) return EMPTY_FILE;
  const root = substitute(document.toJS() ?? {}, '', env, problems);
  const top = members(root, 'the file', Object.keys(FILE_KEYS.top), problems);
  if (!top) return EMPTY_FILE;
  const carriers = readCarriers(top.carriers, problems);
  const names = carriers.map(carrier => carrier.name);
  return { carriers, routes: readRoutes(top.routes, channels, names, problems) };
}

function readCarriers(value: unknown, problems: string[]): CarrierConfig[] {
  if (value === undefined || value === null) return [];
  const entries = members(value, 'carriers', undefined, problems);
  return Object.entries(entries ?? {}).flatMap(([name, body]) => {
    const path = `carriers.${name}`;
    if (!CARRIER_NAME.test(name)) {
      problems.push(`${path}: a name is a lower-case letter, then letters, digits or dashes (at most 40)`);
    }
    const carrier = members(body, path, Object.keys(FILE_KEYS.carrier), problems);
    if (!carrier) return [];
    if (carrier.kind !== 'simulator') problems.push(`${path}.kind: expected simulator`);
    const latency = typeof carrier.latency === 'string' ? parseLatency(carrier.latency) : undefined;
    if (carrier.latency !== undefined && !latency) {
      problems.push(`${path}.latency: expected "0", or a range such as 50-300ms`);
    }
    return [{ name, kind: 'simulator' as const, latency }];
  });
}

function readRoutes(
  value: unknown,
  channels: readonly string[],
  carriers: readonly string[],
  problems: string[],
): RouteConfig[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push('routes: expected a list');
    return [];
  }
  return value.flatMap((body: unknown, index) => {
    const path = `routes[${index}]`;
    const route = members(body, path, Object.keys(FILE_KEYS.route), problems);
    if (!route) return [];
    const channel = String(route.channel ?? '');
    if (!channels.includes(channel)) problems.push(`${path}.channel: expected one of ${channels.join(', ')}`);
    const prefixes = strings(route.prefix ?? [], `${path}.prefix`, problems);
    const via = strings(route.via ?? [], `${path}.via`, problems);
    if (via.length === 0) problems.push(`${path}.via: expected a list of at least one carrier`);
    for (const name of via) {
      if (!carriers.includes(name)) problems.push(`${path}.via: no carrier is named "${name}"`);
    }
    return [{ channel, prefixes, via }];
  });
}

function members(
  value: unknown,
  path: string,
  known: readonly string[] | undefined,
  problems: string[],
): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push(`${path}: expected a map`);
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (known && !known.includes(key)) {
      problems.push(`${path}: "${key}" is not a key here; expected ${known.join(', ')}`);
    }
  }
  return value as Members;
}

function strings(value: unknown, path: string, problems: string[]): string[] {
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value;
  problems.push(`${path}: expected a list of strings`);
  return [];
}

function substitute(
  value: unknown,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Z0-9_]+)\}/g, (_, name: string) => {
      const found = env[name];
      if (found === undefined) problems.push(`${path}: the environment variable ${name} is not set`);
      return found ?? '';
    });
  }
  const join = (key: string | number) => (path ? `${path}.${key}` : String(key));
  if (Array.isArray(value)) return value.map((item, index) => substitute(item, join(index), env, problems));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, item]) => [key, substitute(item, join(key), env, problems)]),
    );
  }
  return value;
}
