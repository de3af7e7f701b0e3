/** What every long run compares: by keys, not by counts. Each kind of run adds how it finds what was sent and reported. */
import type { PolledRecord } from './pollers.ts';
import type { Sent } from './senders.ts';

export const DELIVERED = '10000';

export interface Answers {
  readonly accepted: number;
  /** Certainly refused, but sent or reported. */
  readonly refusedAndSent: readonly string[];
  /** Answers that no fault explains. */
  readonly odd: readonly string[];
  readonly refused: number;
  readonly doubtful: number;
  readonly doubtfulAndSent: number;
}

export interface Verdict extends Answers {
  /** Answered A000, but not every record that it must have was reported. */
  readonly lost: readonly string[];
  /** Accepted twice on the other side, or reported twice. */
  readonly doubled: readonly string[];
  /** Reported otherwise than the other side says. */
  readonly misreported: readonly string[];
  /** How often each code was reported. */
  readonly codes: ReadonlyMap<string, number>;
}

export interface RunResult extends Verdict {
  /** Never accepted on the other side; ended by their deadlines. */
  readonly unknown: readonly unknown[];
  readonly stuck: readonly unknown[];
  /** Broken rules of processes, batches, logs and stores. */
  readonly other: readonly string[];
  /** Logs and key sets. */
  readonly directory: string;
}

/** Compares what clients were told with what was sent on and reported. */
export function judgeAnswers<Each extends Sent>(
  sent: ReadonlyMap<string, Each>,
  isSentOn: (name: string, each: Each) => boolean,
  isReported: (name: string) => boolean = () => false,
): Answers {
  const all = [...sent];
  const told = (kind: Sent['told']) => all.filter(([, each]) => each.told === kind);
  return {
    accepted: told('accepted').length,
    refusedAndSent: told('refused')
      .filter(([name, each]) => isSentOn(name, each) || isReported(name))
      .map(([name]) => name),
    odd: told('odd').map(([name, { answer }]) => `${name} was answered ${answer}`),
    refused: told('refused').length,
    doubtful: told('doubtful').length,
    doubtfulAndSent: told('doubtful').filter(([name, each]) => isSentOn(name, each)).length,
  };
}

export function allRecords(batches: ReadonlyMap<string, readonly PolledRecord[]>): PolledRecord[] {
  return [...batches.values()].flat();
}

export function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What must never happen, by its name in the table. */
function brokenRules(found: RunResult): Readonly<Record<string, readonly string[]>> {
  return {
    lost: found.lost,
    doubled: found.doubled,
    stuck: found.stuck.map(step => JSON.stringify(step)),
    'refused and sent': found.refusedAndSent,
    misreported: found.misreported,
    'odd answers': found.odd,
    'other rules broken': found.other,
  };
}

/** Each broken rule as a line. */
export function violationsOf(found: RunResult): string[] {
  return Object.entries(brokenRules(found)).flatMap(([name, list]) => list.map(each => `${name}: ${each}`));
}

/** The rows of the table of every run. */
export function countedRows(found: RunResult): [string, number][] {
  return [
    ['accepted', found.accepted],
    ...Object.entries(brokenRules(found)).map(([name, list]): [string, number] => [name, list.length]),
    ['unknown, never accepted', found.unknown.length],
    ['refused for certain', found.refused],
    ['refused in doubt', found.doubtful],
    ['  of these sent', found.doubtfulAndSent],
  ];
}
