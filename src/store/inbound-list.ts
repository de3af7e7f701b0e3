/** The list of inbound messages, in SQL of both engines. */
import { timePrefix } from '../domain/ids.ts';
import type { InboundQuery } from './port/inbound-store.ts';
import type { Records } from './records/records.ts';

type Value = string | number | null | readonly string[];

interface Dialect {
  readonly position: (position: number) => string;
  /** Whether the sender is among those of the list at this place. */
  readonly terms: (place: string) => string;
  /** A list as a parameter. */
  readonly list: (terms: readonly string[]) => Value;
  /** The account where the sender leaves fewer, so that no plan walks all that the account has. */
  readonly accountOfSender: string;
}

export function inboundListQuery(
  query: InboundQuery,
  records: Records,
  dialect: Dialect,
  /** The last to be looked at, in the order of the list. */
  last?: string,
): { readonly text: string; readonly parameters: readonly Value[] } {
  const parameters: Value[] = [];
  const place = (value: Value) => dialect.position(parameters.push(value));
  const { account, from, to, after, order } = query;
  const conditions = [`msg_key >= ${place(timePrefix(Math.max(0, query.since)))}`];
  if (account === null) conditions.push('account IS NULL');
  else if (account !== undefined)
    conditions.push(`${from ? dialect.accountOfSender : 'account'} = ${place(account)}`);
  if (from) conditions.push(dialect.terms(place(dialect.list(records.senderTerms(from)))));
  if (to !== undefined) conditions.push(`recipient = ${place(to)}`);
  if (after !== undefined) conditions.push(`msg_key ${order === 'oldest' ? '>' : '<'} ${place(after)}`);
  if (last !== undefined) conditions.push(`msg_key ${order === 'oldest' ? '<=' : '>='} ${place(last)}`);
  const direction = order === 'oldest' ? 'ASC' : 'DESC';
  const text = `SELECT * FROM inbound WHERE ${conditions.join(' AND ')}
    ORDER BY msg_key ${direction} LIMIT ${place(query.limit)}`;
  return { text, parameters };
}
