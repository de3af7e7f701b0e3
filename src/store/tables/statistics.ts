import type { Statistic, StatisticStore } from '../port/operator-store.ts';
import { bigint, type ColumnsOf, readerOf, text } from '../records/columns.ts';
import { NOTE_BATCH, SWEEP_SUM_WRITERS } from '../sum-batches.ts';
import { addedOf, insertOf, sql, type Tables } from './tables.ts';

const COLUMNS: ColumnsOf<Statistic> = { at: bigint('at'), name: text('name'), value: bigint('value') };
const statisticOf = readerOf(COLUMNS);

const ADD = `${insertOf('statistic', COLUMNS)}
  ON CONFLICT (at, name) DO UPDATE SET value = statistic.value + excluded.value`;
const BETWEEN = 'SELECT * FROM statistic WHERE at >= :from AND at < :until ORDER BY at, name';
const SWEPT = 1000;
const SWEEP = `
  DELETE FROM statistic WHERE (at, name) IN (
    SELECT at, name FROM statistic WHERE at < :before ORDER BY at, name LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED)`;

export function statisticTable(tables: Tables): StatisticStore {
  return {
    async add({ writer, number, writtenAt, sums }) {
      // In one order on every node, so that none waits for another that waits for it.
      const sorted = sums.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
      await tables.write(
        undefined,
        undefined,
        function* () {
          const { count } = yield* sql(NOTE_BATCH, { writer, number, writtenAt });
          if (count > 0) yield* sql(ADD, addedOf(COLUMNS, sorted));
        },
        sums.length,
      );
    },
    async between(from, until) {
      return (await tables.read(undefined, BETWEEN, { from, until })).map(statisticOf);
    },
    sweep(before) {
      return tables.write(undefined, undefined, function* () {
        yield* sql(SWEEP_SUM_WRITERS, { before });
        return (yield* sql(SWEEP, { before })).count === SWEPT;
      });
    },
  };
}
