/** Compares what clients were told, what the carriers took, and what was reported: by keys, not by counts. */
import type { PolledRecord } from './pollers.ts';
import type { RecordingSmsc, TakenPart } from './recording-smsc.ts';
import type { Sent } from './senders.ts';

const DELIVERED = '10000';
const UNDELIVERED = '23000';

/** A carrier, by what it took. */
type Taker = Pick<RecordingSmsc, 'taken'>;

export interface Verdict {
  readonly accepted: number;
  /** Answered A000 and never reported. */
  readonly lost: readonly string[];
  /** Taken twice by carriers, or reported twice. */
  readonly doubled: readonly string[];
  /** Refused for certain, and sent or reported all the same. */
  readonly refusedAndSent: readonly string[];
  /** Reported otherwise than the carrier's receipt says. */
  readonly misreported: readonly string[];
  readonly odd: readonly string[];
  readonly refused: number;
  readonly doubtful: number;
  readonly doubtfulAndSent: number;
  /** Reported by code. */
  readonly codes: ReadonlyMap<string, number>;
}

/** What must never happen, by what it is called in a table. */
export function brokenRules(
  found: Verdict & { readonly stuck: readonly unknown[]; readonly other: readonly string[] },
): Readonly<Record<string, readonly string[]>> {
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

/** The rows of a table that every run ends with. */
export function countedRows(
  found: Parameters<typeof brokenRules>[0] & { readonly unknown: readonly unknown[] },
): [string, number][] {
  return [
    ['accepted', found.accepted],
    ...Object.entries(brokenRules(found)).map(([name, list]): [string, number] => [name, list.length]),
    ['unknown, never taken', found.unknown.length],
    ['refused for certain', found.refused],
    ['refused in doubt', found.doubtful],
    ['  of these sent', found.doubtfulAndSent],
  ];
}

/** Each break of a rule as a line. */
export function violationsOf(found: Parameters<typeof brokenRules>[0]): string[] {
  return Object.entries(brokenRules(found)).flatMap(([name, list]) => list.map(each => `${name}: ${each}`));
}

export function printRows(rows: readonly (readonly [string, number | string])[]): void {
  for (const [name, count] of rows) console.log(`${name.padEnd(34)}${String(count).padStart(8)}`);
}

function taken(smscs: readonly Taker[], recipient: string): TakenPart[] {
  return smscs.flatMap(({ taken: all }) => [...(all.get(recipient)?.values() ?? [])]);
}

/** Some carrier took every part of it. */
export function isWhole(smscs: readonly Taker[], recipient: string): boolean {
  return smscs.some(({ taken: all }) => {
    const parts = all.get(recipient);
    const [first] = parts?.values() ?? [];
    return parts !== undefined && parts.size === first?.total;
  });
}

export function judge(
  sent: ReadonlyMap<string, Sent>,
  batches: ReadonlyMap<string, readonly PolledRecord[]>,
  smscs: readonly Taker[],
): Verdict {
  const records = new Map<string, PolledRecord[]>();
  const codes = new Map<string, number>();
  for (const record of [...batches.values()].flat()) {
    const ref = record.ref ?? '';
    records.set(ref, [...(records.get(ref) ?? []), record]);
    codes.set(record.reportCode, (codes.get(record.reportCode) ?? 0) + 1);
  }
  const all = [...sent];
  const told = (kind: Sent['told']) => all.filter(([, each]) => each.told === kind);
  const isTaken = ({ recipient }: Sent) => taken(smscs, recipient).length > 0;
  const lost = told('accepted').filter(
    ([ref, { msgKey }]) => !records.get(ref)?.some(record => record.msgKey === msgKey),
  );
  const reportedTwice = [...records].filter(([, { length }]) => length > 1);
  const takenTwice = all.filter(([, { recipient }]) => isTakenTwice(smscs, recipient));
  const strangers = [...records.keys()].filter(ref => !sent.has(ref));
  const wrong = all.filter(([ref, { recipient }]) => {
    const [record] = records.get(ref) ?? [];
    return record && !isTruth(smscs, recipient, record.reportCode);
  });
  return {
    accepted: told('accepted').length,
    lost: lost.map(([ref]) => ref),
    doubled: [
      ...reportedTwice.map(([ref]) => `${ref} reported`),
      ...takenTwice.map(([ref]) => `${ref} sent`),
    ],
    refusedAndSent: told('refused')
      .filter(([ref, each]) => isTaken(each) || records.has(ref))
      .map(([ref]) => ref),
    misreported: [
      ...wrong.map(([ref]) => `${ref} as ${records.get(ref)?.[0]?.reportCode}`),
      ...strangers.map(ref => `${ref}, which nobody sent`),
    ],
    odd: told('odd').map(([ref, { answer }]) => `${ref} was answered ${answer}`),
    refused: told('refused').length,
    doubtful: told('doubtful').length,
    doubtfulAndSent: told('doubtful').filter(([, each]) => isTaken(each)).length,
    codes,
  };
}

function isTakenTwice(smscs: readonly Taker[], recipient: string): boolean {
  const times = new Map<number, number>();
  for (const { taken: all } of smscs) {
    for (const [index, part] of all.get(recipient) ?? []) {
      times.set(index, (times.get(index) ?? 0) + part.times);
    }
  }
  return [...times.values()].some(each => each > 1);
}

/** Every receipt was sent until it was acknowledged, so nothing that the carriers know may be told otherwise. */
function isTruth(smscs: readonly Taker[], recipient: string, reportCode: string): boolean {
  // Why the rest of it was not taken may be the reason that is told.
  if (!isWhole(smscs, recipient)) return reportCode !== DELIVERED;
  const hasFailed = taken(smscs, recipient).some(({ state }) => state === 'UNDELIV');
  return reportCode === (hasFailed ? UNDELIVERED : DELIVERED);
}
