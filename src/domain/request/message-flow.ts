/** Reading a flow: entries in send order, each holding one channel object (`messageFlow`, and `messageForm` of a form). */
import { CHANNELS, type Channel } from '../channels/channel.ts';
import { CHANNEL_TABLE } from '../channels/channel-table.ts';
import type { Flow, Step } from '../delivery/flow.ts';
import { isNotGiven, isObject, Members, type Reading } from './fields.ts';
import { Problem } from './problem.ts';

/** The channels that a flow may combine; the name of each is the member that holds its fields. */
export const FLOW_CHANNELS: readonly Channel[] = CHANNELS.filter(
  channel => CHANNEL_TABLE[channel].request.readEntry,
);

export const MAX_STEPS = 10;

/** Reads the entries under `path`; the first problem found is the answer. */
export function parseMessageFlow(entries: unknown, reading: Reading, path: string): Flow | Problem {
  if (isNotGiven(entries)) return new Problem('A300', `"${path}" is required`);
  if (!Array.isArray(entries)) return new Problem('A011', `"${path}" must be a list`);
  if (entries.length > MAX_STEPS) {
    return new Problem('A300', `"${path}" has more than ${MAX_STEPS} entries (was ${entries.length})`);
  }
  const flow: Step[] = [];
  for (const [index, entry] of entries.entries()) {
    const step = parseFlowEntry(entry, reading, `${path}[${index}]`);
    if (step instanceof Problem) return step;
    flow.push(step);
  }
  return flow;
}

/** Reads one entry. */
export function parseFlowEntry(entry: unknown, reading: Reading, path: string): Step | Problem {
  if (!isObject(entry)) return new Problem('A011', `"${path}" must be a JSON object`);
  const members = new Members(entry);
  const given = FLOW_CHANNELS.filter(channel => !isNotGiven(members.find(channel)));
  const [channel] = given;
  const readEntry = channel && CHANNEL_TABLE[channel].request.readEntry;
  if (!readEntry || given.length > 1) {
    return new Problem('A300', `"${path}" must hold exactly one of ${FLOW_CHANNELS.join(', ')}`);
  }
  return readEntry(members.find(channel), reading, `${path}.${channel}`);
}
