import type { Rows, Statement, Tables, Values, Work } from '../tables/tables.ts';
import type { Database } from './database.ts';
import { rewrite } from './rewrite.ts';

export function sqliteTables(db: Database): Tables {
  /** Texts are constant, so each is rewritten and prepared once. */
  const prepared = new Map<string, (values: Values) => Rows>();

  function ask(text: string, values: Values): Rows {
    let run = prepared.get(text);
    if (!run) {
      run = prepareRewritten(db, text);
      prepared.set(text, run);
    }
    return run(values);
  }

  function answer({ text, values, isLock, each }: Statement): Rows {
    if (!isLock && !each) return ask(text, values);
    each?.forEach(one => void ask(text, one));
    return rowsOf([], 0);
  }

  return {
    read: async (_, text, values = {}) => ask(text, values),
    readCertain: async (_, text, values) => ask(text, values),
    write: (_account, _turn, work, rows) => db.write(() => finish(work(), answer), rows),
  };
}

export function prepareRewritten(db: Database, given: string): (values: Values) => Rows {
  const { text, valuesOf } = rewrite(given);
  const statement = db.prepare(text);
  if (!statement.returnsRows) {
    return values => rowsOf([], Number(statement.runList(valuesOf(values)).changes));
  }
  return values => {
    const rows = statement.all(...valuesOf(values));
    return rowsOf(rows, rows.length);
  };
}

function finish<T>(work: Work<T>, answer: (statement: Statement) => Rows): T {
  let step = work.next();
  while (!step.done) step = work.next(answer(step.value));
  return step.value;
}

function rowsOf(rows: Rows[number][], count: number): Rows {
  return Object.assign(rows, { count });
}
