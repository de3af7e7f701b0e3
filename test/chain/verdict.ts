/**
 * Compares what clients of the edge were told, what the edge reported, and what the core took and reported: by recipient and
 * service type, since every recipient belongs to one message.
 */
import type { PolledRecord } from '../chaos/pollers.ts';
import type { CoreLedger, CoreMessage } from './core-ledger.ts';
import type { Sent } from './senders.ts';

const DELIVERED = '10000';
/** No word by the deadline: text, RCS, messenger. */
const EXPIRED = ['22000', '32000', '60600'];

export interface Verdict {
  readonly accepted: number;
  /** Answered A000, and not every step that had to be tried has a record. */
  readonly lost: readonly string[];
  /** Taken twice by the core, or reported twice by the edge. */
  readonly doubled: readonly string[];
  /** Refused for certain, and in the core or reported all the same. */
  readonly refusedAndSent: readonly string[];
  /** Reported otherwise than the core has it. */
  readonly misreported: readonly string[];
  readonly odd: readonly string[];
  /** Sent without an answer and never seen by the core: ended by their deadlines. */
  readonly unknown: readonly string[];
  readonly refused: number;
  readonly doubtful: number;
  readonly doubtfulAndSent: number;
  /** Records of the edge, by service type and code. */
  readonly codes: ReadonlyMap<string, number>;
}

export function judge(
  sent: ReadonlyMap<string, Sent>,
  batches: ReadonlyMap<string, readonly PolledRecord[]>,
  core: CoreLedger,
): Verdict {
  const records = Map.groupBy([...batches.values()].flat(), ({ msgKey }) => msgKey);
  const lost: string[] = [];
  const doubled: string[] = [];
  const refusedAndSent: string[] = [];
  const misreported: string[] = [];
  const unknown: string[] = [];
  const told = { accepted: 0, refused: 0, doubtful: 0, odd: 0 };
  let doubtfulAndSent = 0;
  const known = new Set<string>();
  for (const [to, { told: how, msgKey = '', flow }] of sent) {
    told[how]++;
    known.add(msgKey);
    const taken = core.get(to) ?? [];
    doubled.push(...repeated(taken).map(type => `${to} is in the core twice as ${type}`));
    if (how === 'refused' && taken.length > 0) refusedAndSent.push(to);
    if (how === 'doubtful' && taken.length > 0) doubtfulAndSent++;
    if (how !== 'accepted') continue;
    const own = records.get(msgKey) ?? [];
    doubled.push(...repeated(own).map(type => `${to} was reported twice as ${type}`));
    if (!isWhole(own, flow)) lost.push(`${to}: ${own.map(asText).join(', ') || 'no record'}`);
    for (const record of own) {
      const [message] = taken.filter(({ serviceType }) => serviceType === record.serviceType);
      if (message) {
        if (wordsOf(message) !== wordsOf(record)) {
          misreported.push(`${to}: ${wordsOf(record)} at the edge, ${wordsOf(message)} in the core`);
        }
      } else if (EXPIRED.includes(record.reportCode)) unknown.push(`${to} ${record.serviceType}`);
      else misreported.push(`${to}: ${asText(record)}, and the core never had it`);
    }
    const untold = taken.filter(({ serviceType }) => !own.some(record => record.serviceType === serviceType));
    misreported.push(...untold.map(({ serviceType }) => `${to}: ${serviceType} of the core is not reported`));
  }
  const isDoubtful = told.doubtful > 0;
  const strangers = [
    ...[...core.keys()].filter(to => !sent.has(to)).map(to => `${to} in the core`),
    // A send that was never answered may have been accepted, under a key that only its record tells.
    ...[...records.keys()].filter(key => !known.has(key) && !isDoubtful).map(key => `${key} in a report`),
  ];
  return {
    accepted: told.accepted,
    lost,
    doubled,
    refusedAndSent,
    misreported: [...misreported, ...strangers.map(each => `${each}, which nobody sent`)],
    odd: [...sent].filter(([, each]) => each.told === 'odd').map(([to, { answer }]) => `${to}: ${answer}`),
    unknown,
    refused: told.refused,
    doubtful: told.doubtful,
    doubtfulAndSent,
    codes: countsOf([...records.values()].flat().map(asText)),
  };
}

/** The steps that were tried, in order, until one was delivered or none is left. */
function isWhole(records: readonly PolledRecord[], flow: readonly string[]): boolean {
  const inOrder = records.every(({ serviceType }, step) => serviceType === flow[step]);
  const end = records.at(-1);
  const isOver = end?.reportCode === DELIVERED || records.length === flow.length;
  const hasStopped = records.slice(0, -1).every(({ reportCode }) => reportCode !== DELIVERED);
  return end !== undefined && inOrder && isOver && hasStopped;
}

function repeated(list: readonly { readonly serviceType: string }[]): string[] {
  const counts = countsOf(list.map(({ serviceType }) => serviceType));
  return [...counts].filter(([, count]) => count > 1).map(([type]) => type);
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const asText = ({ serviceType, reportCode }: PolledRecord): string => `${serviceType} ${reportCode}`;

/** What the edge passes on unchanged. */
function wordsOf(record: Omit<CoreMessage, 'msgKey'> | PolledRecord): string {
  const { serviceType, reportCode, carrier, resCnt } = record;
  return [serviceType, reportCode ?? 'nothing yet', carrier, resCnt]
    .filter(word => word !== undefined && word !== null)
    .join(' ');
}
