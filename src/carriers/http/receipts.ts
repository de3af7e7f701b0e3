/** Reads receipts from callbacks and from polled answers. The same receipt twice is the same receipt. */
import { parseAttemptId } from '../../domain/ids.ts';
import { DELIVERED, type ReportCode } from '../../domain/reports/report-codes.ts';
import type { CarrierHost, CarrierReceipt } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import type { ReceiptOptions } from './options.ts';
import { compileFailureCode, compilePointer, type ReportCodes } from './outcome.ts';
import type { Pointer } from './pointer.ts';

export interface ReadReceipts {
  readonly receipts: readonly CarrierReceipt[];
  /** The names of all entries as the provider writes them, for its acknowledgement. */
  readonly names: readonly string[];
  /** Statuses that the table does not have, as far as they can be shown. */
  readonly unknownStatuses: readonly string[];
  /** Entries that name no message. */
  readonly nameless: number;
}

/** `attemptId`: set when the address of the callback names the attempt; it wins over what the receipts say. */
export type ReceiptReader = (entries: readonly unknown[], attemptId?: string) => ReadReceipts;

type Meaning = 'delivered' | 'failed' | 'intermediate' | ReportCode;

/** The row of the table for every other status. */
const ANY_OTHER = '*';
const LONGEST_TEXT = 200;

export function compileReceipts(
  options: ReceiptOptions,
  reportCodes: ReportCodes,
  path: string,
  problems: string[],
): ReceiptReader {
  const pointers = Object.fromEntries(
    (['id', 'attemptId', 'status', 'code', 'network', 'to', 'from', 'userType'] as const).map(name => [
      name,
      compilePointer(options[name], `${path}.${name}`, problems),
    ]),
  );
  const meanings = compileMeanings(options.statuses, `${path}.statuses`, problems);
  const failureCode = compileFailureCode(options.reportCode, `${path}.reportCode`, problems) ?? '99999';

  return (entries, attemptId) => {
    const receipts: CarrierReceipt[] = [];
    const names: string[] = [];
    const unknownStatuses: string[] = [];
    let nameless = 0;
    for (const entry of entries) {
      const written = (pointers.id ?? pointers.attemptId)?.text(entry);
      if (written !== undefined) names.push(written);
      const status = textAt(pointers.status, entry) ?? '';
      const meaning = meanings.get(status) ?? meanings.get(ANY_OTHER);
      if (meaning === undefined) unknownStatuses.push(shown(status));
      // An unknown status is not final: the next receipt, or the deadline, decides.
      if (meaning === undefined || meaning === 'intermediate') continue;
      const name = nameOf(entry, attemptId);
      if (!name) {
        nameless++;
        continue;
      }
      receipts.push({ ...name, ...detailsOf(entry), reportCode: codeOf(meaning, entry) });
    }
    return { receipts, names, unknownStatuses, nameless };
  };

  function nameOf(
    entry: unknown,
    known: string | undefined,
  ): { attemptId: string } | { ref: string } | undefined {
    const attemptId = known ?? textAt(pointers.attemptId, entry);
    const ref = textAt(pointers.id, entry);
    // What is no attempt of ours may be cut, or another's: the id tells.
    const isOurs = attemptId !== undefined && (ref === undefined || parseAttemptId(attemptId) !== undefined);
    if (isOurs) return { attemptId };
    return ref === undefined ? undefined : { ref };
  }

  function detailsOf(entry: unknown): Pick<CarrierReceipt, 'to' | 'from' | 'network' | 'userType'> {
    const to = textAt(pointers.to, entry);
    const from = textAt(pointers.from, entry);
    const network = textAt(pointers.network, entry);
    const userType = textAt(pointers.userType, entry);
    return {
      ...(to !== undefined && { to }),
      ...(from !== undefined && { from }),
      ...(network !== undefined && { network }),
      ...(userType !== undefined && { userType }),
    };
  }

  function codeOf(meaning: Exclude<Meaning, 'intermediate'>, entry: unknown): ReportCode {
    if (meaning === 'delivered') return DELIVERED;
    if (meaning !== 'failed') return meaning;
    return reportCodes.get(textAt(pointers.code, entry) ?? '') ?? failureCode;
  }
}

function compileMeanings(
  statuses: Readonly<Record<string, string>>,
  path: string,
  problems: string[],
): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const [status, word] of Object.entries(statuses)) {
    const known = (['delivered', 'failed', 'intermediate'] as const).find(each => each === word);
    const meaning = known ?? compileFailureCode(word, `${path}.${status}`, problems);
    if (meaning !== undefined) meanings.set(status, meaning);
  }
  if (![...meanings.values()].includes('delivered')) {
    problems.push(`${path}: expected a status that means delivered`);
  }
  return meanings;
}

function textAt(pointer: Pointer | undefined, entry: unknown): string | undefined {
  const text = pointer?.text(entry);
  if (text === undefined || text.length > LONGEST_TEXT) return undefined;
  return cleanText(text) || undefined;
}

/** A status for the log, unless it could be something else: a number, a text. */
function shown(status: string): string {
  return /^[\w.-]{0,30}$/.test(status) && !/\d{6}/.test(status) ? status : 'not a word';
}

/** Hands receipts on and reports those that could not be read; rejects when they must be sent again. */
export async function deliverReceipts(read: ReadReceipts, host: CarrierHost): Promise<void> {
  const { receipts, unknownStatuses, nameless } = read;
  for (const status of new Set(unknownStatuses)) host.noticed('receiptStatusUnknown', { status });
  if (nameless > 0) host.noticed('receiptNameless', { count: nameless });
  if (receipts.length > 0) await host.receive(receipts);
}
