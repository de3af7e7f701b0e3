import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { parse } from 'yaml';

const ROOT = new URL('../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const workflow = parse(textOf('.github/workflows/ci.yml')) as Workflow;

test('the workflow runs the commands of .ci/run, each once', () => {
  const isCommand = (line: string) => /^npm (run|test)/.test(line);
  const steps = Object.values(workflow.jobs).flatMap(job => job.steps.map(({ run = '' }) => run));
  assert.deepEqual(steps.filter(isCommand).sort(), textOf('.ci/run').split('\n').filter(isCommand).sort());
});

test('the workflow may read only, and its actions are pinned by their commit', () => {
  assert.deepEqual(workflow.permissions, { contents: 'read' });
  const files = ['.github/workflows/ci.yml', '.github/actions/setup/action.yml'];
  const used = files.flatMap(path =>
    [...textOf(path).matchAll(/uses: (\S+)/g)].map(([, action = '']) => action),
  );
  assert.ok(used.length > 0);
  for (const action of used) assert.match(action, /^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40}$)/);
});

test('package.json has at most 18 scripts, and every command of a page is one of them or a suite', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  assert.ok(Object.keys(scripts).length <= 18);
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(new URL('docs/', ROOT)).map(name => `docs/${name}`),
  ];
  // Not those in docs/history/: they are records, and name the scripts of their day.
  for (const page of pages.filter(name => name.endsWith('.md'))) {
    for (const [, script = '', name] of textOf(page).matchAll(/npm run (\w[\w:-]*)(?: ([a-z][\w-]*))?/g)) {
      assert.ok(Object.hasOwn(scripts, script), `${page}: npm run ${script}`);
      if (script !== 'suite' || name === undefined) continue;
      assert.match(
        textOf('test/suite.ts'),
        new RegExp(`^ {2}'?${name}'?: \\{`, 'm'),
        `${page}: the suite ${name}`,
      );
    }
  }
});
