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
}

export function inboundListQuery(
  query: InboundQuery,
  records: Records,
  dialect: Dialect,
): { readonly text: string; readonly parameters: readonly Value[] } {
  const parameters: Value[] = [];
  const place = (value: Value) => dialect.position(parameters.push(value));
  const { account, from, to, after, order } = query;
  const conditions = [`msg_key >= ${place(timePrefix(Math.max(0, query.since)))}`];
  if (account === null) conditions.push('account IS NULL');
  else if (account !== undefined) conditions.push(`account = ${place(account)}`);
  if (from) conditions.push(dialect.terms(place(dialect.list(records.senderTerms(from)))));
  if (to !== undefined) conditions.push(`recipient = ${place(to)}`);
  if (after !== undefined) conditions.push(`msg_key ${order === 'oldest' ? '>' : '<'} ${place(after)}`);
  const direction = order === 'oldest' ? 'ASC' : 'DESC';
  const text = `SELECT * FROM inbound WHERE ${conditions.join(' AND ')}
    ORDER BY msg_key ${direction} LIMIT ${place(query.limit)}`;
  return { text, parameters };
}
