/** The packages that run in production, found in package-lock.json as Node would find them. */
import { readFileSync } from 'node:fs';

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Lock {
  /** By path, such as `node_modules/pg/node_modules/split2`; the project itself is ''. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly integrity: string;
  readonly hasInstallScript: boolean;
  /** `name@version` of each package that it needs. */
  readonly needs: readonly string[];
}

export function readLock(): Lock {
  return JSON.parse(readFileSync('package-lock.json', 'utf8'));
}

/** The packages that these need, directly or not, and these themselves; sorted, each version once. */
export function treeOf({ packages }: Lock, roots: readonly string[]): ProductionPackage[] {
  /** By name and version, with a blank in between, so that names are in their order. */
  const found = new Map<string, ProductionPackage>();
  const seen = new Set<string>();
  for (const name of roots) add(pathOf('', name));
  return [...found.keys()].toSorted().flatMap(key => found.get(key) ?? []);

  function add(path: string): void {
    if (seen.has(path)) return;
    seen.add(path);
    const locked = packages[path];
    if (!locked) throw new Error(`package-lock.json has no ${path}`);
    const paths = dependenciesOf(locked).flatMap(({ name, isOptional }) => {
      const target = findPath(path, name);
      if (target === undefined && !isOptional)
        throw new Error(`package-lock.json has no ${name} for ${path}`);
      return target === undefined ? [] : [target];
    });
    const { version = '', license: licence = 'none', integrity = '', hasInstallScript = false } = locked;
    const needs = paths.map(idAt).toSorted();
    const name = nameAt(path);
    found.set(`${name} ${version}`, { name, version, licence, integrity, hasInstallScript, needs });
    for (const target of paths) add(target);
  }

  function idAt(path: string): string {
    return `${nameAt(path)}@${packages[path]?.version}`;
  }

  /** In the package's own node_modules, or in those above it. */
  function findPath(from: string, name: string): string | undefined {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = pathOf(folder, name);
      if (packages[path]) return path;
      if (folder === '') return undefined;
    }
  }
}

/** Folder, then package; folders above the first are cut off one by one. */
function pathOf(folder: string, name: string): string {
  return folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
}

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function dependenciesOf(locked: LockedPackage): { readonly name: string; readonly isOptional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked;
  return [
    ...Object.keys(dependencies).map(name => ({ name, isOptional: name in optionalDependencies })),
    ...Object.keys(optionalDependencies).map(name => ({ name, isOptional: true })),
    ...Object.keys(peerDependencies).map(name => ({
      name,
      isOptional: locked.peerDependenciesMeta?.[name]?.optional === true,
    })),
  ];
}
