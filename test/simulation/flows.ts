/** What clients send: single messages, and flows with one or two fallbacks. */
import { parseMessageFlow } from '../../src/domain/request/message-flow.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { alimtalk, mms, sms } from '../harness/flows.ts';

export const FLOWS = [
  [sms()],
  [sms()],
  [mms()],
  [alimtalk()],
  [alimtalk(), sms()],
  [alimtalk(), sms(), mms()],
  [sms(), mms()],
].map(entries => {
  const flow = parseMessageFlow(entries, 'final', 'messageFlow');
  if (flow instanceof Problem) throw new Error(flow.result);
  return { entries, flow };
});
