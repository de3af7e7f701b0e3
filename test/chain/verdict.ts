/**
 * Compares what clients of the edge were told, what the edge reported, and what the core accepted and reported: by recipient
 * and service type, since every recipient belongs to one message.
 */
import type { PolledRecord } from '../long-runs/pollers.ts';
import { allRecords, countsOf, DELIVERED, judgeAnswers, type Verdict } from '../long-runs/verdict.ts';
import type { CoreLedger, CoreMessage } from './core-ledger.ts';
import type { SentToEdge } from './senders.ts';

/** Not reported by the deadline: text, RCS, messenger. */
const EXPIRED = ['22000', '32000', '60600'];

export interface ChainVerdict extends Verdict {
  /** Sent without an answer and never seen by the core: ended by their deadlines. */
  readonly unknown: readonly string[];
}

export function judge(
  sent: ReadonlyMap<string, SentToEdge>,
  batches: ReadonlyMap<string, readonly PolledRecord[]>,
  core: CoreLedger,
): ChainVerdict {
  const records = Map.groupBy(allRecords(batches), ({ msgKey }) => msgKey);
  const lost: string[] = [];
  const doubled: string[] = [];
  const misreported: string[] = [];
  const unknown: string[] = [];
  const known = new Set<string>();
  const answers = judgeAnswers(sent, to => core.has(to));
  for (const [to, { told, msgKey = '', flow }] of sent) {
    known.add(msgKey);
    const taken = core.get(to) ?? [];
    doubled.push(...repeated(taken).map(type => `${to} is in the core twice as ${type}`));
    if (told !== 'accepted') continue;
    const own = records.get(msgKey) ?? [];
    doubled.push(...repeated(own).map(type => `${to} was reported twice as ${type}`));
    if (!isWhole(own, flow)) lost.push(`${to}: ${own.map(asText).join(', ') || 'no record'}`);
    for (const record of own) {
      const message = taken.find(({ serviceType }) => serviceType === record.serviceType);
      if (message) {
        if (wordsOf(message) !== wordsOf(record)) {
          misreported.push(`${to}: ${wordsOf(record)} at the edge, ${wordsOf(message)} in the core`);
        }
      } else if (EXPIRED.includes(record.reportCode)) unknown.push(`${to} ${record.serviceType}`);
      else misreported.push(`${to}: ${asText(record)}, and the core never had it`);
    }
    const unreported = taken.filter(each => !own.some(({ serviceType }) => serviceType === each.serviceType));
    misreported.push(
      ...unreported.map(({ serviceType }) => `${to}: ${serviceType} of the core is not reported`),
    );
  }
  const strangers = [
    ...[...core.keys()].filter(to => !sent.has(to)).map(to => `${to} in the core`),
    // A send without an answer may have been accepted; only its record tells its key.
    ...[...records.keys()]
      .filter(key => !known.has(key) && answers.doubtful === 0)
      .map(key => `${key} in a report`),
  ];
  misreported.push(...strangers.map(each => `${each}, which nobody sent`));
  const codes = countsOf(allRecords(batches).map(asText));
  return { ...answers, lost, doubled, misreported, unknown, codes };
}

/** Records of the steps in their order, until one was delivered or none is left. */
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

const asText = ({ serviceType, reportCode }: PolledRecord): string => `${serviceType} ${reportCode}`;

/** The fields that the edge passes on unchanged. */
function wordsOf(record: Omit<CoreMessage, 'msgKey'> | PolledRecord): string {
  const { serviceType, reportCode, carrier, resCnt } = record;
  return [serviceType, reportCode ?? 'nothing yet', carrier, resCnt]
    .filter(word => word !== undefined && word !== null)
    .join(' ');
}
