/**
 * What the client called the fields of a message. Refusals that are found after reading know the fields of a step; the
 * client wrote them in one of several places, and knows them by its own path.
 */
import { channelOf } from '../channels/channel-table.ts';
import type { Flow, Step } from '../delivery/flow.ts';
import { isObject, memberOf } from './fields.ts';

/** The client's path to a field of a step, such as `messageFlow[1].rcs.content.standalone.text` for `body.description`. */
export type FieldNames = (step: number, field: string) => string;

/** Field names of a single send. `style` is what `styleOf` found in its body. */
export function singleNames(flow: Flow, style?: string): FieldNames {
  return (index, field) => (index === 0 ? nameOf(flow[0], style, field) : `fallback.${field}`);
}

/** Field names of the entries under `path`. */
export function flowNames(path: string, entries: unknown, flow: Flow): FieldNames {
  return (index, field) => {
    const step = flow[index];
    if (!step) return `${path}[${index}]`;
    const { channel } = step;
    const entry: unknown = Array.isArray(entries) ? entries[index] : undefined;
    const message = isObject(entry) ? memberOf(entry, channel) : undefined;
    return `${path}[${index}].${channel}.${nameOf(step, channelOf(step).request.styleOf?.(message), field)}`;
  };
}

function nameOf(step: Step | undefined, style: string | undefined, field: string): string {
  const nameIn = step && style !== undefined && channelOf(step).request.nameIn;
  return nameIn ? nameIn(style, field) : field;
}
