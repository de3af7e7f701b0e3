/** Opt-outs as people and programs see them: as JSON, and as a file for spreadsheets, which is the proof of each. */
import type { NewOptOut, OptOut } from '../domain/delivery/opt-out.ts';
import { MOST_OPT_OUTS_A_CALL } from '../domain/delivery/opt-out-request.ts';
import { storedWritings } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OptOutView } from '../operations/opt-outs.ts';
import { BYTE_ORDER_MARK, formatCsvRow } from '../platform/csv.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { AddedOptOuts, OptOutAuthor, OptOuts } from './opt-outs.ts';

const PAGE = 200;
/** Of one part for operators. */
const MOST_ROWS = 10_000;

export function optOutView(
  { id, number, sender, covers, source, since, ended }: OptOut,
  formatTime: FormatTime,
): OptOutView {
  return {
    id: String(id),
    to: storedWritings(number)[0] ?? number,
    ...{ sender, covers },
    source: source ?? null,
    since: formatTime(since.at),
    sinceWay: since.way,
    sinceBy: since.by,
    ended: ended ? formatTime(ended.at) : null,
    endedWay: ended?.way ?? null,
    endedBy: ended?.by ?? null,
  };
}

const COLUMNS = [
  ...['to', 'sender', 'covers', 'source', 'since', 'sinceWay', 'sinceBy', 'ended', 'endedWay', 'endedBy'],
] as readonly (keyof OptOutView)[];

const HEAD = BYTE_ORDER_MARK + formatCsvRow(COLUMNS);

/** The whole list, those that have ended included, newest first. */
export async function* exportOptOuts(
  optOuts: Pick<OptOuts, 'page'>,
  account: string,
  view: (optOut: OptOut) => OptOutView,
): AsyncGenerator<string> {
  yield HEAD;
  for await (const page of pagesOf(optOuts, account)) {
    if (page instanceof Problem) return;
    yield page.map(optOut => rowOf(view(optOut))).join('');
  }
}

/** The same in parts, for operators. */
export async function optOutsFile(
  optOuts: Pick<OptOuts, 'page'>,
  account: string,
  before: number | undefined,
  view: (optOut: OptOut) => OptOutView,
): Promise<{ readonly text: string; readonly rows: number; readonly next: string | null } | Problem> {
  const lines = [HEAD];
  for await (const page of pagesOf(optOuts, account, before)) {
    if (page instanceof Problem) return page;
    for (const optOut of page) lines.push(rowOf(view(optOut)));
    const rows = lines.length - 1;
    if (rows >= MOST_ROWS) return { text: lines.join(''), rows, next: String(page.at(-1)?.id) };
  }
  return { text: lines.join(''), rows: lines.length - 1, next: null };
}

async function* pagesOf(
  optOuts: Pick<OptOuts, 'page'>,
  account: string,
  start = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly OptOut[] | Problem> {
  let before = start;
  for (;;) {
    const page = await optOuts.page(account, { before, limit: PAGE });
    const last = page instanceof Problem ? undefined : page.at(-1);
    if (page instanceof Problem || last) yield page;
    if (!last) return;
    before = last.id;
  }
}

function rowOf(view: OptOutView): string {
  return formatCsvRow(COLUMNS.map(name => view[name] ?? ''));
}

/** A call's worth at a time, each of them as a whole. After a fault midway the rest is missing; to repeat it is safe. */
export async function addAll(
  optOuts: Pick<OptOuts, 'add'>,
  account: string,
  entries: readonly NewOptOut[],
  author: OptOutAuthor,
  onPart: (part: AddedOptOuts) => Promise<void> = async () => {},
): Promise<AddedOptOuts | Problem> {
  let [added, known] = [0, 0];
  for (let start = 0; start < entries.length; start += MOST_OPT_OUTS_A_CALL) {
    const result = await optOuts.add(account, entries.slice(start, start + MOST_OPT_OUTS_A_CALL), author);
    if (result instanceof Problem) return result;
    await onPart(result);
    added += result.added;
    known += result.known;
  }
  return { added, known };
}
