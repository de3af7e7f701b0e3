/** The tables of the documentation that are made from the code, and where each of them stands. */
import COSTS from '../bench/scale-costs.json' with { type: 'json' };
import { scaleTables } from '../bench/scale-tables.ts';
import { LIFE, type LifeState } from '../src/composition/life.ts';
import { CARRIER_KEYS, ROUTE_KEYS } from '../src/config/file.ts';
import type { FileKeys } from '../src/config/file-key.ts';
import type { Setting } from '../src/config/setting.ts';
import { CLI_SETTINGS, SETTINGS } from '../src/config/settings.ts';
import { BACKGROUND_TASKS, type BackgroundTask } from '../src/domain/background-tasks.ts';
import { STEP_STATES, TRANSITIONS } from '../src/domain/delivery/lifecycle.ts';
import { REPORT_WORDS } from '../src/domain/korean/report-words.ts';
import { RESULT_WORDS } from '../src/domain/korean/result-words.ts';
import { classOf, REPORT_CODES, type ReportCode } from '../src/domain/reports/report-codes.ts';
import { RESULT_CODES } from '../src/domain/request/result-codes.ts';
import { apiDocument } from '../src/http/openapi/document.ts';
import { createMetrics } from '../src/observe/metrics.ts';
import { LAYERS, STORE_PORT } from './layers.ts';
import {
  examplesOf,
  friendtalkTypesTable,
  imagesTable,
  rcsButtonsTable,
  rcsFormatsTable,
  rcsTemplatesTable,
  rcsValuesTable,
  type Table,
} from './message-tables.ts';
import { postmanCollection } from './postman-collection.ts';
import { type ProductionPackage, readLock } from './production-tree.ts';
import { sbomOf } from './sbom.ts';
import {
  CONSOLE_REASONS,
  consolePackages,
  INSTALL_SCRIPTS,
  LICENCES,
  NODE_PACKAGES,
  productionPackages,
  REASONS,
} from './supply-chain.ts';
import { TROUBLES, type Trouble } from './troubles.ts';

/** Page, then name of the region, then what fills it. */
const GENERATED: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/configuration.md': {
    settings: () => settingsTable(SETTINGS),
    'command line': () => settingsTable(CLI_SETTINGS),
    'file keys': fileKeysTable,
  },
  'docs/message-lifecycle.md': { states: stateDiagram },
  'docs/architecture.md': { layers: layersTable },
  'docs/operations.md': { life: lifeTable },
  'docs/background-tasks.md': { tasks: backgroundTable },
  'docs/rcs.md': {
    formats: () => shown(rcsFormatsTable()),
    templates: () => shown(rcsTemplatesTable()),
    buttons: () => shown(rcsButtonsTable()),
    values: () => shown(rcsValuesTable()),
    images: () => shown(imagesTable('RCS')),
    examples: () => examplesOf('rcs'),
  },
  'docs/friendtalk.md': {
    types: () => shown(friendtalkTypesTable()),
    images: () => shown(imagesTable('FRIENDTALK', 'BRANDMESSAGE')),
    examples: () => examplesOf('friendtalk'),
  },
  'docs/result-codes.md': { codes: resultCodesTable },
  'docs/report-codes.md': { codes: reportCodesTable },
  'docs/health.md': { metrics: metricsTable },
  'docs/troubles.md': { troubles: troubleBlocks },
  'docs/scale.md': Object.fromEntries(
    (['costs', 'cell', 'plans', 'simulation'] as const).map(name => [name, () => scaleTables(COSTS)[name]]),
  ),
  'docs/supply-chain.md': {
    direct: () => reasonsTable(productionPackages(readLock()), REASONS),
    console: () => reasonsTable(consolePackages(readLock()), CONSOLE_REASONS),
    licences: licencesTable,
    scripts: installScriptsTable,
  },
};

/** Files that are made whole. */
const GENERATED_FILES: Readonly<Record<string, () => object>> = {
  'docs/openapi.json': apiDocument,
  'docs/bongsu.postman_collection.json': postmanCollection,
  'docs/sbom.json': () => sbomOf(readLock()),
};

export const GENERATED_PATHS = [...Object.keys(GENERATED), ...Object.keys(GENERATED_FILES)];

/** What stands under the path when it is current: a file made whole, or the page with every region filled anew. */
export function render(path: string, current: string): string {
  const make = GENERATED_FILES[path];
  return make ? `${JSON.stringify(make(), null, 2)}\n` : renderPage(path, current);
}

function renderPage(path: string, page: string): string {
  const regions = GENERATED[path] ?? {};
  return Object.entries(regions).reduce((text, [name, fill]) => {
    const region = new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    if (!region.test(text)) throw new Error(`${path} has no region "${name}"`);
    return text.replace(region, (_, start: string, end: string) => `${start}${fill()}\n${end}`);
  }, page);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function shown({ head, rows }: Table): string {
  return table(head, rows);
}

function settingsTable(settings: Readonly<Record<string, Setting<unknown>>>): string {
  return table(
    ['variable', 'default', 'form', 'meaning'],
    Object.values(settings).map(({ env, fallback, form, meaning }) => [
      `\`${env}\``,
      fallback === undefined ? 'none' : `\`${fallback}\``,
      form,
      meaning,
    ]),
  );
}

function fileKeysTable(): string {
  const kinds = Object.entries(CARRIER_KEYS).map(
    ([kind, keys]) => `### kind: ${kind}\n\n${keysTable(keys, 'carriers.NAME.')}`,
  );
  return [...kinds, `### routes\n\n${keysTable(ROUTE_KEYS, 'routes[].')}`].join('\n\n');
}

function keysTable(keys: FileKeys, path: string): string {
  return table(['key', 'default', 'form', 'meaning'], keyRows(keys, path, new Map()));
}

/** Keys that several sections share are described in the first of them, which `describedIn` remembers. */
function keyRows(keys: FileKeys, path: string, describedIn: Map<FileKeys[string], string>): string[][] {
  const shared = Map.groupBy(Object.entries(keys), ([, key]) => describedIn.get(key));
  return [...shared].flatMap(([where, entries]) => {
    if (where === undefined) return entries.flatMap(([name, key]) => keyRow(name, key, path, describedIn));
    const names = entries.map(([name]) => code(name)).join(', ');
    return [[`${code(path)} ${names}`, '', '', `As below ${code(where)}`]];
  });
}

function keyRow(
  name: string,
  key: FileKeys[string],
  path: string,
  describedIn: Map<FileKeys[string], string>,
): string[][] {
  const { form, meaning, absence, keys: below } = key;
  describedIn.set(key, path);
  const shown = absence === 'required' ? '**required**' : absence.shown && code(absence.shown);
  const many = form.startsWith('a list') ? '[]' : form.startsWith('a map by') ? '.*' : '';
  const inner = below ? keyRows(below, `${path}${name}${many}.`, describedIn) : [];
  return [[code(`${path}${name}`), shown, form, meaning], ...inner];
}

function stateDiagram(): string {
  const arrows = STEP_STATES.flatMap(state =>
    Object.entries(TRANSITIONS[state]).map(([event, next]) => `  ${state} --> ${next}: ${event}`),
  );
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> queued', ...arrows, '```'].join('\n');
}

function backgroundTable(): string {
  const rows = Object.entries<BackgroundTask>(BACKGROUND_TASKS).map(
    ([name, { by, everyMs, does, limit, connections = '', afterFailure = '' }]) => [
      code(name),
      does,
      by,
      everyMs < 1000 ? `${everyMs} ms` : everyMs < 60_000 ? `${everyMs / 1000} s` : `${everyMs / 60_000} min`,
      limit,
      connections,
      afterFailure,
    ],
  );
  return table(
    ['task', 'what it does', 'who', 'pause', 'limit of a run', 'connections', 'after a failure'],
    rows,
  );
}

function lifeTable(): string {
  const words: Readonly<Record<string, string>> = {
    waits: 'waits until it is over',
    refused: 'is refused (`reloadRefused`)',
    ignored: 'has no effect',
    ends: 'ends the process',
    reloading: 'reloads',
    stopping: 'stops',
  };
  const rows = (Object.keys(LIFE) as LifeState[]).map(state => [
    state,
    ...(['reload', 'stop', 'stopAgain'] as const).map(event => words[LIFE[state][event]] ?? ''),
  ]);
  return table(['the process is', '`SIGHUP`', '`SIGTERM`, `SIGINT`', 'a second one'], rows);
}

function layersTable(): string {
  const port = STORE_PORT.map(code).join(', ');
  const rows = LAYERS.map(({ name, mayImport }) => [code(name), importsInWords(mayImport) || 'nothing']);
  return `${table(['folder or file of src/', 'may import'], rows)}\n\nThe store port: ${port}.`;
}

/** A layer that may import the whole store port says so in three words. */
function importsInWords(mayImport: readonly string[]): string {
  const isWholePort = STORE_PORT.every(file => mayImport.includes(file));
  if (!isWholePort) return mayImport.map(code).join(', ');
  const others = mayImport.filter(target => !STORE_PORT.includes(target));
  return [...others.map(code), 'the store port'].join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}

function resultCodesTable(): string {
  return table(
    ['code', 'HTTP', 'text', 'Korean'],
    Object.entries(RESULT_CODES).map(([code, { status, text }]) => [
      code,
      String(status),
      text,
      RESULT_WORDS[text],
    ]),
  );
}

/** Those that the package adds of its own are left out: they are about the process, and have its prefix. */
function metricsTable(): string {
  const metrics = createMetrics().registry.getMetricsAsArray();
  const own = metrics.filter(({ name }) => !name.startsWith('bongsu_process_'));
  return table(
    ['metric', 'kind', 'meaning'],
    own.map(({ name, type, help, ...rest }) => {
      const labels = 'labelNames' in rest && Array.isArray(rest.labelNames) ? rest.labelNames.join(',') : '';
      return [code(labels ? `${name}{${labels}}` : name), String(type), help];
    }),
  );
}

function troubleBlocks(): string {
  const said = ([says, withinSeconds, later]: Trouble['doctor']) =>
    `${code(says)}, ${withinSeconds} s${later === undefined ? '' : `; later ${code(later)}`}`;
  return Object.values<Trouble>(TROUBLES)
    .map(({ what, log, doctor, status, console, alerts, shows, mends }) => {
      const fired = Object.entries(alerts)
        .map(([alert, seconds]) => `${code(alert)}, ${Math.ceil(seconds / 60)} min`)
        .join('; ');
      const lines = [
        `log: ${said(log)}`,
        `\`doctor\`: ${said(doctor)}`,
        ...(status === null ? [] : [`\`status\`: ${said(status)}`]),
        `console: ${console}`,
        `alerts: ${fired}`,
        `shows it: ${code(shows)}`,
        `mends it: ${mends}`,
      ];
      return [`### ${what}\n`, ...lines.map(line => `- ${line}`)].join('\n');
    })
    .join('\n\n');
}

function reportCodesTable(): string {
  const codes = Object.keys(REPORT_CODES) as ReportCode[];
  return table(
    ['code', 'class', 'text', 'Korean'],
    codes.toSorted().map(code => [code, classOf(code), REPORT_CODES[code], REPORT_WORDS[REPORT_CODES[code]]]),
  );
}

function reasonsTable(
  packages: readonly ProductionPackage[],
  reasons: Readonly<Record<string, string>>,
): string {
  const rows = packages
    .filter(({ name }) => reasons[name])
    .map(({ name, version, licence, needs }) => [
      code(name),
      version,
      licence,
      String(needs.length),
      reasons[name] ?? '',
    ]);
  return table(['package', 'version', 'licence', 'needs', 'why'], rows);
}

function licencesTable(): string {
  const packages = [...productionPackages(readLock()), ...consolePackages(readLock())];
  const rows = LICENCES.map(licence => {
    const names = packages.filter(one => one.licence === licence).map(({ name }) => name);
    return [licence, String(names.length)];
  });
  return table(['licence', 'packages'], rows);
}

function installScriptsTable(): string {
  const withScript = Object.entries(readLock().packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  const rows = INSTALL_SCRIPTS.map(([packages, what]) => [
    withScript
      .filter(name => packages.test(name))
      .map(code)
      .join(', '),
    what,
  ]);
  const hashes = Object.entries(NODE_PACKAGES).map(([name, hash]) => [code(name), code(hash)]);
  return `${table(['package', 'its script'], rows)}\n\n${table(['package with Node', 'hash'], hashes)}`;
}
