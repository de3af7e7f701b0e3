/** What commands write to standard output: a table for people, JSON for programs. */
import type { Command } from 'commander';
import { EXIT_CODES_HELP } from './failure.ts';
import { jsonLine, visible } from './visible.ts';

export interface OutputOptions {
  readonly json?: boolean;
}

/** Writes the result of a command; `text` is called only if the output is for people. */
export function print(options: OutputOptions, value: unknown, text: () => string): void {
  process.stdout.write(`${options.json ? jsonLine(value) : visible(text())}\n`);
}

/** Adds what every command has: a description, `--json`, examples and exit codes in its help. */
export function describeCommand(command: Command, summary: string, examples: readonly string[]): Command {
  const lines = examples.map(example => `\n  $ bongsu ${example}`).join('');
  return command
    .description(summary)
    .option('--json', 'write one line of JSON')
    .addHelpText('after', `\nExamples:${lines}\n${EXIT_CODES_HELP}`);
}

/** Columns as wide as their widest cell, two blanks apart. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return formatLines([head.map(name => name.toUpperCase()), ...rows]);
}

/** Name and value, one pair to a line. */
export function formatPairs(pairs: Readonly<Record<string, string>>): string {
  return formatLines(Object.entries(pairs));
}

function formatLines(lines: readonly (readonly string[])[]): string {
  const cells = lines.map(line => line.map(printable));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map(line => line[column]?.length ?? 0)),
  );
  return cells
    .map(line => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map(line => line.trimEnd())
    .join('\n');
}

/** A client's `ref` may hold any characters; it must not send control sequences to the terminal. */
function printable(cell: string): string {
  return visible(cell.replace(/\p{Cc}/gu, '?'));
}
