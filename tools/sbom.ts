/**
 * The bill of materials, in the CycloneDX format. `npm sbom` is not used: it puts the time and a random number into it, so that it
 * could not be compared with the lock, and it knows neither what the console is built from nor where Node comes from.
 */
import type { Lock, ProductionPackage } from './production-tree.ts';
import { consolePackages, NODE_PACKAGES, productionPackages } from './supply-chain.ts';

export function sbomOf(lock: Lock): object {
  const { version = '' } = lock.packages[''] ?? {};
  const production = productionPackages(lock);
  const console = consolePackages(lock).filter(
    ({ name }) => !production.some(({ name: other }) => other === name),
  );
  const node = production.find(({ name }) => name === 'node');
  const executables = Object.entries(NODE_PACKAGES).map(([name, integrity]) => ({
    ...{ name, integrity, version: node?.version ?? '', licence: 'MIT' },
    ...{ hasInstallScript: false, needs: [] },
  }));
  const root = `bongsu@${version}`;
  const direct = Object.keys(lock.packages['']?.dependencies ?? {});
  const directIds = [...production.filter(({ name }) => direct.includes(name)), ...console].map(idOf);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': root,
        type: 'application',
        name: 'bongsu',
        version,
        purl: `pkg:npm/${root}`,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: [
      ...production.map(one => component(one, 'required')),
      ...console.map(one => component(one, 'required', 'built into the console')),
      ...executables.map(one => component(one, 'optional', 'executable of Node, one for each platform')),
    ],
    dependencies: [
      { ref: root, dependsOn: directIds.toSorted() },
      ...[...production, ...console, ...executables].map(one => ({
        ref: idOf(one),
        dependsOn: one === node ? executables.map(idOf) : one.needs,
      })),
    ],
  };
}

function component(one: ProductionPackage, scope: 'required' | 'optional', use?: string): object {
  return {
    'bom-ref': idOf(one),
    type: 'library',
    name: one.name,
    version: one.version,
    scope,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.slice(7), 'base64').toString('hex') }],
    licenses: [{ license: { id: one.licence } }],
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    ...(use && { properties: [{ name: 'bongsu:use', value: use }] }),
  };
}

function idOf({ name, version }: Pick<ProductionPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}
