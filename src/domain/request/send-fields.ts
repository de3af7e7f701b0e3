/** Fields that every send may have, whatever its channel; they are read beside those of its channel. */
import type { Channel } from '../channels/channel.ts';
import { CHANNEL_TABLE } from '../channels/channel-table.ts';
import type { SingleSend } from '../delivery/flow.ts';
import { text } from './field-kinds.ts';
import { readFields } from './fields.ts';
import { Problem } from './problem.ts';

export const sendFields = {
  // Our choice of length: the specification does not show one.
  groupKey: text({
    code: 'A300',
    max: 64,
    unit: 'characters',
    description: 'Groups messages: comes back in reports, and the history can be asked for it.',
  }),
};

/** A single send as its channel reads it, with what any send may have. */
export function readSingleSend(channel: Channel, body: unknown): SingleSend | Problem {
  const { request } = CHANNEL_TABLE[channel];
  const send = request.readSingle(body);
  if (send instanceof Problem) return send;
  const values = readFields(sendFields, body);
  if (values instanceof Problem) return values;
  const { groupKey } = values;
  const style = request.styleOf?.(body);
  if (groupKey === undefined && style === undefined) return send;
  return { ...send, ...(groupKey !== undefined && { groupKey }), ...(style !== undefined && { style }) };
}
