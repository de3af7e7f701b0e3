/** Saved inputs: one line of JSON each, in a file for each target. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Input } from './target.ts';

/** A larger one is not worth its place: it can be made again from a smaller one. */
const MOST_CHARACTERS = 3000;

export interface Saved {
  /** What it led to when it was saved. */
  readonly label: string;
  readonly input: Input;
}

export function readCorpus(target: string): readonly Saved[] {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter(line => line !== '').map(line => JSON.parse(line));
}

/** Adds inputs that led to something that none of the saved ones leads to; returns how many. */
export function extendCorpus(target: string, found: readonly Saved[]): number {
  const saved = readCorpus(target);
  const labels = new Set(saved.map(({ label }) => label));
  const fresh = found.filter(
    each => !labels.has(each.label) && JSON.stringify(each).length <= MOST_CHARACTERS,
  );
  const lines = [...saved, ...fresh]
    .sort((a, b) => (a.label < b.label ? -1 : 1))
    .map(each => JSON.stringify(each));
  if (fresh.length > 0) writeFileSync(fileOf(target), `${lines.join('\n')}\n`);
  return fresh.length;
}

function fileOf(target: string): string {
  return fileURLToPath(new URL(`./corpus/${target}.jsonl`, import.meta.url));
}
