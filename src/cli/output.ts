/** What commands write to standard output: a table for people, JSON for programs. */
import type { Command } from 'commander';
import { EXIT_CODES_HELP } from './failure.ts';

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

/**
 * Marks that turn the direction of a text: an operator would approve or allow something else than what is read. Terminals that
 * know them show the rest of the line in another order.
 */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function pointOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

/** With each mark of direction as `<U+202E>`. */
export function visible(text: string): string {
  return text.replace(DIRECTION, mark => `<U+${pointOf(mark).toUpperCase()}>`);
}

/** The same value, in which no mark of direction stands as it is. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(DIRECTION, mark => `\\u${pointOf(mark)}`);
}

/** A client's `ref` may hold any characters; it must not send control sequences to the terminal. */
function printable(cell: string): string {
  return visible(cell.replace(/\p{Cc}/gu, '?'));
}
