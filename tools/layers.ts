/** The layers of the gateway: what each folder of src/ may import from the others. docs/architecture.md shows it. */

export interface Layer {
  /** Folder of src/, or a file directly in it. */
  readonly name: string;
  /** Layers it may import, or single files of them. */
  readonly mayImport: readonly string[];
}

/** What the rest of the gateway sees of the store. */
export const STORE_PORT: readonly string[] = [
  'store/store.ts',
  'store/store-fault.ts',
  'store/store-time.ts',
  'store/store-problem.ts',
  'store/blobs.ts',
];

export const LAYERS: readonly Layer[] = [
  { name: 'domain', mayImport: [] },
  { name: 'platform', mayImport: [] },
  // Data about what operators can do, without handlers. It uses no packages, so that the console can import it.
  { name: 'operations', mayImport: ['domain', 'platform/moment.ts'] },
  { name: 'config', mayImport: ['platform'] },
  { name: 'store', mayImport: ['domain', 'platform'] },
  { name: 'carriers', mayImport: ['domain', 'platform'] },
  { name: 'observe', mayImport: ['domain', 'platform', ...STORE_PORT] },
  { name: 'accept', mayImport: ['domain', 'operations', 'platform', ...STORE_PORT, 'observe'] },
  { name: 'report', mayImport: ['domain', 'platform', ...STORE_PORT, 'observe'] },
  {
    name: 'deliver',
    mayImport: ['domain', 'platform', ...STORE_PORT, 'carriers/carrier.ts', 'observe', 'report'],
  },
  { name: 'inbound', mayImport: ['domain', 'platform', ...STORE_PORT, 'carriers/carrier.ts', 'observe'] },
  {
    name: 'operate',
    mayImport: ['domain', 'operations', 'platform', ...STORE_PORT, 'observe', 'accept', 'report', 'deliver'],
  },
  {
    name: 'http',
    mayImport: [
      'domain',
      'operations',
      'platform',
      'store/store-fault.ts',
      'store/store-problem.ts',
      'observe',
      'accept',
      'report',
      'deliver',
      'operate',
    ],
  },
  {
    name: 'composition',
    mayImport: [
      'config',
      'platform',
      'domain',
      'operations',
      'store',
      'carriers',
      'observe',
      'accept',
      'report',
      'deliver',
      'inbound',
      'operate',
      'http',
    ],
  },
  {
    name: 'cli',
    mayImport: ['config', 'platform', 'domain', 'operations', 'composition', 'main.ts', '../client'],
  },
  // Beside src/, because it is for others: it knows nothing of the server.
  { name: '../client', mayImport: [] },
  // It reaches the gateway over HTTP only; what it may ask for is declared.
  { name: '../console', mayImport: ['domain', 'operations'] },
  { name: 'main.ts', mayImport: ['config', 'domain', 'platform', 'composition'] },
];

/** Folders without packages, not even Node's own. */
export const WITHOUT_PACKAGES: readonly string[] = ['domain', 'operations'];

export interface Import {
  /** Path below src/. */
  readonly from: string;
  /** Path below src/, or the name of a package. */
  readonly to: string;
  readonly isPackage: boolean;
}

/** Why an import is not allowed, undefined when it is. */
export function layerProblem({ from, to, isPackage }: Import): string | undefined {
  const layer = LAYERS.find(({ name }) => isWithin(from, name));
  if (!layer) return `src/${from} belongs to no layer of tools/layers.ts`;
  if (isPackage) {
    const isBarred = WITHOUT_PACKAGES.includes(layer.name);
    return isBarred ? `src/${from} imports "${to}": ${layer.name} uses no packages` : undefined;
  }
  const isAllowed = isWithin(to, layer.name) || layer.mayImport.some(target => isWithin(to, target));
  return isAllowed
    ? undefined
    : `src/${from} imports src/${to}: ${layer.name} may import ${layer.mayImport.join(', ') || 'nothing'}`;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
