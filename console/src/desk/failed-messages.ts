/** From a group of failures to its messages. */
import type { FailureDesk, FailureGroup } from '../../../src/operations/failures.ts';
import { FAILED_STATES } from '../gateway/messages.ts';

/** The search that finds the messages of a group. */
export function messagesOf(group: FailureGroup, { from, until }: FailureDesk, account: string): string {
  const terms = {
    code: group.code,
    state: group.code === undefined ? FAILED_STATES : undefined,
    lastChannel: group.channel,
    carrier: group.carrier,
    account: group.account ?? account,
    from: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
  };
  const given = Object.entries(terms).filter((term): term is [string, string] => Boolean(term[1]));
  return `/messages?${new URLSearchParams(given)}`;
}
