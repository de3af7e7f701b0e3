import type { AccountId } from '../../domain/ids.ts';
import type { Rows, Tables, Values, Work } from '../tables/tables.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Queryable, Session } from './database.ts';

export function postgresTables(db: Database): Tables {
  const sessionOf = (account: AccountId | undefined): Session =>
    account === undefined ? db : db.as(account);
  return {
    read: (account, text, values = {}) => sessionOf(account).query(text, values),
    async readCertain(account, text, values) {
      await db.lostSessionsEnded();
      return sessionOf(account).query(text, values);
    },
    write: (account, turn, work) =>
      db.retrying(() => lockingBriefly(db, sessionOf(account), turn, tx => finish(work(), tx))),
  };
}

export async function finish<T>(work: Work<T>, tx: Queryable): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const { text, values, each } = step.value;
    step = work.next(each ? await queryEach(tx, text, each) : await tx.query(text, values));
  }
  return step.value;
}

async function queryEach(tx: Queryable, text: string, each: readonly Values[]): Promise<Rows> {
  await Promise.all(each.map(values => tx.query(text, values)));
  return Object.assign([], { count: 0 });
}
