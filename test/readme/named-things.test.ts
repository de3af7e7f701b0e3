/** What the pages name exists: commands with their options, alerts, events of the log. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/main.ts';
import { TROUBLES } from '../../tools/troubles.ts';

const ROOT = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const TROUBLES_PAGE = textOf('docs/troubles.md');

/** Commands in code: between backticks, or a line of a block. */
function commandsIn(page: string): string[] {
  const blocks = [...page.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);
  const lines = blocks.flatMap(block => block.replaceAll('\\\n', ' ').split('\n'));
  const prose = page.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
  return [...lines, ...inline].flatMap(text => {
    const command = /^(?:\$ )?(?:\w+="?[^ ]* )*(?:npx )?bongsu ([a-z].*)$/.exec(text.trim())?.[1];
    return command === undefined ? [] : [command.replace(/ #.*$/, '')];
  });
}

/** What of a command the program does not have: a word that is no command, or an option. */
function unknownIn(text: string): string[] {
  const words = text.split(' ').filter(word => word !== '');
  let command: Command = createProgram({});
  let position = 0;
  for (; command.commands.length > 0 && position < words.length; position++) {
    const names = words[position]?.split('\\|') ?? [];
    const found = names.map(name => command.commands.find(one => one.name() === name));
    const [first] = found;
    if (first === undefined || found.includes(undefined)) return [`${text}: ${words[position]}`];
    command = first;
  }
  const options = words.slice(position).flatMap(word => /^--[a-z-]+/.exec(word)?.[0] ?? []);
  return options
    .filter(option => option !== '--help' && !command.options.some(({ long }) => long === option))
    .map(option => `${text}: ${option}`);
}

for (const page of ['README.md', 'deploy/README.md', ...globSync('docs/*.md', { cwd: ROOT })]) {
  test(`every command that ${page} names exists`, () => {
    assert.deepEqual(commandsIn(textOf(page)).flatMap(unknownIn), []);
  });
}

test('every example in the help of a command is one of its calls', () => {
  const everyOf = (command: Command): Command[] => [command, ...command.commands.flatMap(everyOf)];
  const examples = everyOf(createProgram({})).flatMap(command => {
    const help: string[] = [];
    command.configureOutput({ writeOut: text => help.push(text) }).outputHelp();
    return [...help.join('').matchAll(/^ {2}\$ bongsu (.*)$/gm)].map(([, example = '']) => example);
  });
  assert.ok(examples.length > 80);
  assert.deepEqual(examples.flatMap(unknownIn), []);
});

test('the page of troubles names every alert, and no other', () => {
  const alerts = [...textOf('deploy/monitoring/bongsu-alerts.yml').matchAll(/- alert: (\w+)/g)];
  const named = [...TROUBLES_PAGE.matchAll(/`(Bongsu\w+)`/g)];
  const unique = (found: readonly RegExpMatchArray[]) => [...new Set(found.map(([, name]) => name))].sort();
  assert.deepEqual(unique(named), unique(alerts));
});

test('every event that the page of troubles and the page of health name is in the code', () => {
  const source = globSync('src/**/*.ts', { cwd: ROOT }).map(textOf).join('\n');
  const ofLog = (page: string) =>
    page
      .split('\n')
      .filter(line => line.startsWith('|'))
      .join('\n');
  const health = /^## Log\n([\s\S]*?)^## /m.exec(textOf('docs/health.md'))?.[1] ?? assert.fail();
  const named = [...`${ofLog(TROUBLES_PAGE)}\n${health}`.matchAll(/`([a-z]+(?:[A-Z][a-z]+)+)`/g)];
  assert.ok(named.length > 40);
  const missing = named.filter(([, name]) => !new RegExp(`\\b${name}\\b`).test(source));
  assert.deepEqual(
    missing.map(([, name]) => name),
    [],
  );
});

test('every message that the page of troubles quotes is in the code', () => {
  const source = globSync('src/**/*.ts', { cwd: ROOT }).map(textOf).join('\n');
  const quoted = [...TROUBLES_PAGE.replaceAll(/`[^`]*`/g, '').matchAll(/\| "([^"]+)"/g)].map(
    ([, text = '']) => text,
  );
  assert.ok(quoted.length > 1);
  assert.deepEqual(
    quoted.filter(text => !source.includes(text)),
    [],
  );
});

test('the console has the words that the troubles quote', () => {
  const words = textOf('console/src/words/en.ts');
  const quoted = Object.values(TROUBLES).flatMap(({ console }) =>
    [...console.matchAll(/\*(\w+)\*: ([A-Z][a-z ]+)/g)].flatMap(([, page, state]) => [page, state]),
  );
  assert.ok(quoted.length > 10);
  assert.deepEqual(
    quoted.filter(word => !words.includes(`'${word}`)),
    [],
  );
});
