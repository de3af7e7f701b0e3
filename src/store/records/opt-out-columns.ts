import type { NewOptOut, OptOut, OptOutMark, OptOutWay } from '../../domain/delivery/opt-out.ts';
import type { AccountId } from '../../domain/ids.ts';
import { type AnyRow, bigint, type ColumnsOf, hashed, optional, sealed, text } from './columns.ts';

interface OptOutFields extends Pick<OptOut, 'account' | 'sender' | 'covers' | 'source'> {
  /** What the recipient is found by. */
  readonly number: string;
  readonly recipient: string;
  readonly sinceAt: number;
  readonly sinceWay: OptOutWay;
  readonly sinceBy: string;
}

export const OPT_OUT_NUMBER = 'opt_out.number';

/** Of the table `opt_out`: an entry that has not ended. */
export const OPT_OUT_COLUMNS: ColumnsOf<OptOutFields> = {
  account: text('account'),
  number: hashed(text('number'), OPT_OUT_NUMBER),
  // With the hash by which it is found, so that no number stands beside the hash of another.
  recipient: sealed(text('recipient'), 'opt_out.recipient', ['account', 'number', 'sender', 'covers']),
  sender: text('sender'),
  covers: text('covers'),
  source: optional(text('source')),
  sinceAt: bigint('since_at'),
  sinceWay: text('since_way'),
  sinceBy: text('since_by'),
};

export function optOutFieldsOf(account: AccountId, entry: NewOptOut, since: OptOutMark): OptOutFields {
  const { number, sender, covers, source } = entry;
  return {
    ...{ account, number, sender, covers, source },
    recipient: number,
    sinceAt: since.at,
    sinceWay: since.way,
    sinceBy: since.by,
  };
}

export function optOutReader(fieldsIn: (row: AnyRow) => OptOutFields): (row: AnyRow) => OptOut {
  return row => {
    const { account, recipient, sender, covers, source, sinceAt, sinceWay, sinceBy } = fieldsIn(row);
    return {
      id: Number(row.id),
      ...{ account, sender, covers, source },
      number: recipient,
      since: { at: Number(sinceAt), way: sinceWay, by: sinceBy },
      ended:
        row.ended_at === null
          ? undefined
          : { at: Number(row.ended_at), way: row.ended_way as OptOutWay, by: String(row.ended_by) },
    };
  };
}

/** What an entry says. */
export function keyOfOptOut({
  number,
  sender,
  covers,
}: Pick<NewOptOut, 'number' | 'sender' | 'covers'>): string {
  return `${number}\n${sender}\n${covers}`;
}

/** Of two entries that say the same, one is enough. */
export function withoutRepetitions(entries: readonly NewOptOut[]): readonly NewOptOut[] {
  return [...new Map(entries.map(entry => [keyOfOptOut(entry), entry])).values()];
}
