/** The deliberate bugs of an area: each changes one place of one file. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AREAS, type Area } from './areas.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Mutant {
  readonly area: string;
  readonly file: string;
  readonly line: number;
  /** Which one of its area made it. */
  readonly rule: number;
  /** Stays the same when lines move. */
  readonly name: string;
  /** The whole file with the bug. */
  readonly text: string;
}

export function mutantsOf(areaName: string): Mutant[] {
  const area = AREAS[areaName];
  if (!area) throw new Error(`there is no area "${areaName}": ${Object.keys(AREAS).join(', ')}`);
  return trackedFiles()
    .filter(file => area.files.test(file))
    .flatMap(file => mutantsIn(areaName, area, file));
}

function mutantsIn(area: string, { rules }: Area, file: string): Mutant[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const code = blankedComments(text);
  const times = new Map<string, number>();
  return rules.flatMap(({ find, put }, rule) =>
    [...code.matchAll(find)].map(match => {
      const [found, one = '', two = ''] = match;
      const instead = put(found, one, two);
      const change = `${basename(file)}: ${found.trim()} → ${instead.trim() || 'nothing'}`;
      const time = (times.get(change) ?? 0) + 1;
      times.set(change, time);
      return {
        area,
        file,
        rule,
        line: code.slice(0, match.index).split('\n').length,
        name: time === 1 ? change : `${change} (${time})`,
        text: text.slice(0, match.index) + instead + text.slice(match.index + found.length),
      };
    }),
  );
}

/** The text with blanks where comments are, so that every position stays. */
function blankedComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\/|(?:^|(?<=\s))\/\/[^\n]*/gm, comment =>
    comment.replace(/[^\n]/g, ' '),
  );
}

export function trackedFiles(): string[] {
  return execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}
