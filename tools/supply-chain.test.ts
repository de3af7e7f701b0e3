import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { type Lock, type LockedPackage, readLock, treeOf } from './production-tree.ts';
import { sbomOf } from './sbom.ts';
import { CONSOLE_REASONS, NODE_PACKAGES, productionPackages, supplyChainProblems } from './supply-chain.ts';

const ONE = { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAAA' };

function lockOf(packages: Readonly<Record<string, LockedPackage>>): Lock {
  return { packages };
}

/** The real lock with something else in it. */
function changed(packages: Readonly<Record<string, LockedPackage>>): Lock {
  return { packages: { ...readLock().packages, ...packages } };
}

test('the tree has what is needed, found as Node finds it, and nothing for development', () => {
  const lock = lockOf({
    'node_modules/a': { ...ONE, dependencies: { b: '*', '@x/c': '*' }, peerDependencies: { p: '*' } },
    'node_modules/b': { ...ONE, version: '1.1.1', optionalDependencies: { absent: '*' } },
    'node_modules/p': ONE,
    'node_modules/@x/c': { ...ONE, dependencies: { b: '*' } },
    'node_modules/@x/c/node_modules/b': { ...ONE, version: '2.0.0', dependencies: { a: '*' } },
    'node_modules/development': ONE,
  });
  const tree = treeOf(lock, ['a']);
  assert.deepEqual(
    tree.map(({ name, version, needs }) => [name, version, needs]),
    [
      ['@x/c', '1.0.0', ['b@2.0.0']],
      ['a', '1.0.0', ['@x/c@1.0.0', 'b@1.1.1', 'p@1.0.0']],
      ['b', '1.1.1', []],
      ['b', '2.0.0', ['a@1.0.0']],
      ['p', '1.0.0', []],
    ],
  );
  assert.throws(() => treeOf(lockOf({ 'node_modules/a': { ...ONE, dependencies: { b: '*' } } }), ['a']));
});

test('the tree is what npm marks as not for development', () => {
  const lock = readLock();
  const marked = Object.entries(lock.packages as Record<string, { dev?: boolean; link?: boolean }>)
    .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  const names = productionPackages(lock).map(({ name }) => name);
  assert.deepEqual([...new Set(names)], [...new Set(marked)].toSorted());
});

test('an undeclared dependency is a problem', () => {
  assert.deepEqual(supplyChainProblems(readLock()), []);
  const root = { dependencies: { ...readLock().packages['']?.dependencies, extra: '1.0.0' } };
  const withExtra = (extra: LockedPackage) =>
    supplyChainProblems(changed({ '': root, 'node_modules/extra': extra }));
  assert.deepEqual(withExtra(ONE), ['extra: no reason is given for it']);
  assert.ok(withExtra({ ...ONE, license: 'AGPL-3.0' }).includes('extra: its licence is AGPL-3.0'));
  assert.ok(withExtra({ version: '1.0.0' }).includes('extra: its licence is none'));
  assert.ok(withExtra({ ...ONE, integrity: '' }).includes('extra: has no hash in the lock'));
  const script = 'a/b: has an install script, or may have one, that is not explained';
  const forDevelopment = changed({ 'node_modules/x/node_modules/a/b': { hasInstallScript: true } });
  assert.deepEqual(supplyChainProblems(forDevelopment), [script]);
  assert.deepEqual(supplyChainProblems(readLock(), ['node', 'a/b']), [script]);
});

test('another executable of Node than the one that is written down is a problem', () => {
  const { version = '' } = readLock().packages['node_modules/node'] ?? {};
  const problemsOf = (name: string, integrity: string, installedVersion = version) =>
    supplyChainProblems(
      readLock(),
      [],
      lockOf({ [`node_modules/${name}`]: { version: installedVersion, integrity } }),
    );
  const [name = '', integrity = ''] = Object.entries(NODE_PACKAGES)[0] ?? [];
  const problem = [`${name}: is not the one in tools/supply-chain.ts`];
  assert.deepEqual(problemsOf(name, integrity), []);
  assert.deepEqual(problemsOf(name, 'sha512-AAAA'), problem);
  assert.deepEqual(problemsOf(name, integrity, '0.0.1'), problem);
  assert.deepEqual(problemsOf('node-other-platform', 'sha512-AAAA'), []);
});

test('the console imports no packages but those in the table', () => {
  const imported = globSync('console/src/**/*.{ts,tsx}').flatMap(path =>
    [...readFileSync(path, 'utf8').matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name),
  );
  const names = imported.map(name => name.split('/')[0] ?? '');
  assert.deepEqual([...new Set(names)].toSorted(), Object.keys(CONSOLE_REASONS));
});

test('the bill of materials names every package once, with its hash, and what it needs', () => {
  const { components, dependencies } = sbomOf(readLock()) as {
    components: readonly { 'bom-ref': string; hashes: readonly { content: string }[] }[];
    dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
  };
  const refs = components.map(component => component['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
  for (const { hashes } of components) assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/);
  assert.equal(dependencies.length, refs.length + 1);
  assert.deepEqual(
    dependencies.flatMap(({ dependsOn }) => dependsOn).filter(ref => !refs.includes(ref)),
    [],
  );
});
