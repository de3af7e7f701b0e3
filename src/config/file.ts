/**
 * bongsu.yaml: carriers and routes. Unknown keys are errors; `${NAME}` in a value is an environment variable, `${file:/path}` is
 * what a file holds.
 */
import { type FileKeys, optional, readKeys, required, type ValuesOf, withDefault } from './file-key.ts';
import { HTTP_KEYS } from './http-keys.ts';
import { isMap, listOf, text, wholeNumber } from './kinds.ts';
import { OMNI_KEYS } from './omni-keys.ts';
import { readSecretFile } from './secret-file.ts';
import { SIMULATOR_KEYS } from './simulator-keys.ts';
import { SMPP_KEYS, smppProblems } from './smpp-keys.ts';
import { parseYaml } from './yaml-text.ts';

/** The kinds of carriers and the keys of each; `kind` itself is read before. */
export const CARRIER_KEYS = {
  simulator: SIMULATOR_KEYS,
  smpp: SMPP_KEYS,
  http: HTTP_KEYS,
  omni: OMNI_KEYS,
} as const satisfies Readonly<Record<string, FileKeys>>;

type CarrierKind = keyof typeof CARRIER_KEYS;
type Env = Readonly<Record<string, string | undefined>>;

/** One carrier of the file; the members follow its kind. */
export type CarrierConfig = {
  [Kind in CarrierKind]: { readonly name: string; readonly kind: Kind } & ValuesOf<
    (typeof CARRIER_KEYS)[Kind]
  >;
}[CarrierKind];

export const ROUTE_KEYS = {
  channel: required(text('a channel'), 'Channel of the route.'),
  prefix: withDefault(listOf('numbers'), [], 'Prefixes of recipient numbers.', 'all'),
  account: withDefault(listOf('account ids'), [], 'Accounts that use the route.', 'all'),
  weight: optional(
    wholeNumber(1, 1000),
    'Routes with a weight that match the same message share its traffic in this proportion; messages to one recipient always take the same one.',
  ),
  via: required(
    listOf('carriers'),
    'Carriers in order of preference: the next is used while the one before is down.',
  ),
} as const;

export type RouteConfig = ValuesOf<typeof ROUTE_KEYS>;

/** A carrier of the file whose environment variables or files cannot be read here, and everything that is wrong with it. */
export interface UnreadCarrier {
  readonly name: string;
  readonly kind: CarrierKind;
  readonly problems: readonly string[];
}

export interface FileConfig {
  readonly carriers: readonly CarrierConfig[];
  readonly unread: readonly UnreadCarrier[];
  readonly routes: readonly RouteConfig[];
}

export const EMPTY_FILE: FileConfig = { carriers: [], unread: [], routes: [] };

/** A value from a file, or from an environment variable. */
const PLACE = /\$\{(?:file:([^}]*)|([A-Z0-9_]+))\}/g;
const CARRIER_NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Parses the text of the file. Every problem found is pushed, with the key and the expected form; those of `unread` are not. */
export function parseConfigFile(
  source: string,
  channels: readonly string[],
  env: Env,
  problems: string[],
): FileConfig {
  const values = parseYaml(source, problems);
  if (values === undefined) return EMPTY_FILE;
  if (!isMap(values)) {
    problems.push('the file: expected a map');
    return EMPTY_FILE;
  }
  for (const key of Object.keys(values)) {
    if (key !== 'carriers' && key !== 'routes') {
      problems.push(`the file: "${key}" is not a key here; expected carriers, routes`);
    }
  }
  const named = isMap(values.carriers) ? Object.keys(values.carriers) : [];
  const routes = substitute(values.routes ?? [], 'routes', env, problems);
  return {
    ...readCarriers(values.carriers ?? {}, env, problems),
    routes: readRoutes(routes, channels, named, problems),
  };
}

function readCarriers(value: unknown, env: Env, problems: string[]): Pick<FileConfig, 'carriers' | 'unread'> {
  if (!isMap(value)) {
    problems.push('carriers: expected a map');
    return EMPTY_FILE;
  }
  const unread: UnreadCarrier[] = [];
  const carriers = Object.entries(value).flatMap(([name, given]) => {
    const path = `carriers.${name}`;
    const missing: string[] = [];
    const body = substitute(given, path, env, missing);
    if (!CARRIER_NAME.test(name)) {
      problems.push(`${path}: a name is a lower-case letter, then letters, digits or dashes (at most 40)`);
    }
    if (!isMap(body)) {
      problems.push(...missing, `${path}: expected a map`);
      return [];
    }
    const { kind, ...rest } = body;
    if (typeof kind !== 'string' || !isCarrierKind(kind)) {
      problems.push(...missing, `${path}.kind: expected ${Object.keys(CARRIER_KEYS).join(', ')}`);
      return [];
    }
    const found: string[] = [];
    const carrier = readCarrier(name, kind, rest, found);
    if (missing.length > 0) unread.push({ name, kind, problems: [...missing, ...found] });
    else problems.push(...found);
    return carrier && missing.length === 0 ? [carrier] : [];
  });
  return { carriers, unread };
}

function readCarrier(
  name: string,
  kind: CarrierKind,
  body: Readonly<Record<string, unknown>>,
  problems: string[],
): CarrierConfig | undefined {
  const path = `carriers.${name}`;
  const values = readKeys<FileKeys>(CARRIER_KEYS[kind], body, path, problems);
  if (!values) return undefined;
  const carrier = { name, kind, ...values } as CarrierConfig;
  problems.push(...crossProblems(carrier).map(problem => `${path}.${problem}`));
  return carrier;
}

/** Problems of keys in combination. */
function crossProblems(carrier: CarrierConfig): string[] {
  return carrier.kind === 'smpp' ? smppProblems(carrier) : [];
}

function isCarrierKind(kind: string): kind is CarrierKind {
  return Object.hasOwn(CARRIER_KEYS, kind);
}

function readRoutes(
  value: unknown,
  channels: readonly string[],
  carriers: readonly string[],
  problems: string[],
): RouteConfig[] {
  if (!Array.isArray(value)) {
    problems.push('routes: expected a list');
    return [];
  }
  return value.flatMap((body: unknown, index) => {
    const path = `routes[${index}]`;
    const route = readKeys(ROUTE_KEYS, body, path, problems);
    if (!route) return [];
    const { channel, via } = route;
    if (!channels.includes(channel)) problems.push(`${path}.channel: expected one of ${channels.join(', ')}`);
    if (via.length === 0) problems.push(`${path}.via: expected a list of at least one carrier`);
    for (const name of via) {
      if (!carriers.includes(name)) problems.push(`${path}.via: no carrier is named "${name}"`);
    }
    return [route];
  });
}

function substitute(value: unknown, path: string, env: Env, problems: string[]): unknown {
  if (typeof value === 'string') {
    return value.replace(PLACE, (_, file: string | undefined, name: string) => {
      const found = file === undefined ? env[name] : readSecretFile(file);
      if (found instanceof Error) problems.push(`${path}: ${found.message}`);
      // Empty is not set, as it is for settings.
      else if (!found) problems.push(`${path}: the environment variable ${name} is not set`);
      else return found;
      return '';
    });
  }
  const join = (key: string | number) => (path ? `${path}.${key}` : String(key));
  if (Array.isArray(value)) return value.map((item, index) => substitute(item, join(index), env, problems));
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, substitute(item, join(key), env, problems)]),
    );
  }
  return value;
}
