/** Reading a flow: entries in send order, each holding one channel object (`messageFlow`, and `messageForm` of a form). */
import { parseAlimtalkEntry } from '../channels/alimtalk.ts';
import { parseBrandmessageEntry } from '../channels/brandmessage.ts';
import { parseFriendtalkEntry } from '../channels/friendtalk/friendtalk.ts';
import { parseMmsEntry } from '../channels/mms.ts';
import { parseRcsEntry } from '../channels/rcs/rcs.ts';
import { parseSmsEntry } from '../channels/sms.ts';
import type { Flow, Step } from '../delivery/flow.ts';
import { isNotGiven, isObject, memberOf, type Reading } from './fields.ts';
import { Problem } from './problem.ts';

type ParseEntry = (entry: unknown, reading: Reading, path: string) => Step | Problem;

/** The channels that a flow may combine, by the member that holds their fields. */
export const FLOW_CHANNELS: Readonly<Record<string, ParseEntry>> = {
  sms: parseSmsEntry,
  mms: parseMmsEntry,
  rcs: parseRcsEntry,
  alimtalk: parseAlimtalkEntry,
  friendtalk: parseFriendtalkEntry,
  brandmessage: parseBrandmessageEntry,
};

export const MAX_STEPS = 10;

/** Reads the entries under `path`; the first fault found is the answer. */
export function parseMessageFlow(entries: unknown, reading: Reading, path: string): Flow | Problem {
  if (isNotGiven(entries)) return new Problem('A300', `"${path}" is required`);
  if (!Array.isArray(entries)) return new Problem('A011', `"${path}" must be a list`);
  if (entries.length > MAX_STEPS) {
    return new Problem('A300', `"${path}" has more than ${MAX_STEPS} entries (was ${entries.length})`);
  }
  const flow: Step[] = [];
  for (const [index, entry] of entries.entries()) {
    const step = parseEntry(entry, reading, `${path}[${index}]`);
    if (step instanceof Problem) return step;
    flow.push(step);
  }
  return flow;
}

function parseEntry(entry: unknown, reading: Reading, path: string): Step | Problem {
  if (!isObject(entry)) return new Problem('A011', `"${path}" must be a JSON object`);
  const given = Object.keys(FLOW_CHANNELS).filter(channel => !isNotGiven(memberOf(entry, channel)));
  const [channel] = given;
  const parse = channel === undefined ? undefined : FLOW_CHANNELS[channel];
  if (channel === undefined || parse === undefined || given.length > 1) {
    const channels = Object.keys(FLOW_CHANNELS).join(', ');
    return new Problem('A300', `"${path}" must hold exactly one of ${channels}`);
  }
  return parse(memberOf(entry, channel), reading, `${path}.${channel}`);
}
