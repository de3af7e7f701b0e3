/**
 * Lists whose filter may drop most rows: the rows of an account are read in stretches, one in each turn of the event loop,
 * until enough rows are found.
 */
import { nextTurn } from '../platform/next-turn.ts';
import type { AnyRow } from './records/columns.ts';

/** Rows of one stretch: a few milliseconds. */
export const STRETCH = 5_000;

export async function inStretches<Key extends string | number, Row extends AnyRow>(
  limit: number,
  start: Key,
  /** The last key of the stretch that begins behind a key; undefined where the rest is shorter. */
  endOf: (start: Key) => Key | undefined | Promise<Key | undefined>,
  /** The first of a stretch that the filter leaves. */
  rowsOf: (start: Key, end: Key | undefined, limit: number) => readonly Row[] | Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let from = start; ; ) {
    const end = await endOf(from);
    found.push(...(await rowsOf(from, end, limit - found.length)));
    if (end === undefined || found.length >= limit) return found;
    from = end;
    await nextTurn();
  }
}
