/**
 * What `bongsu send` says before it sends: what the network would not deliver, as far as that can be told without asking. The
 * gateway accepts such messages, because clients test with arbitrary words.
 */
import { CHANNEL_TABLE } from '../domain/channels/channel-table.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { certainObjections, isFilledIn } from '../domain/delivery/network-objections.ts';
import { compileFlow } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import { warn } from './failure.ts';
import type { Message } from './send-body.ts';

/** Says nothing about a message that would be refused: the refusal says more. */
export function warnOfMessage({ channel, body }: Message): void {
  const read = CHANNEL_TABLE[channel].request.readSingle(body);
  if (!(read instanceof Problem)) warnOfSteps(read.flow);
}

export function warnOfFlow(messageFlow: unknown): void {
  const compiled = compileFlow(messageFlow);
  if (!(compiled instanceof Problem)) warnOfSteps(compiled.flow);
}

function warnOfSteps(flow: Flow): void {
  for (const { detail, reportCode } of flow.flatMap(certainObjections).filter(isFilledIn)) {
    warn(`${detail}: networks fail such a message with ${reportCode}`);
  }
}
