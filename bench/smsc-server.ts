/**
 * A light SMSC for the benchmark: accepts every submit, and sends its receipt at once if one was asked for. Prints its port, and
 * answers a line "count" on standard input with the number of submits that it accepted.
 *
 * `smsc-server.ts tokenBucket 200 100 20` throttles: 200 a second, and 100 from 20 seconds after the first submit. It answers a
 * line "figures" with what it accepted, refused and could have accepted since the first submit.
 */
import { createInterface } from 'node:readline';
import type { MessagePdu } from '../src/carriers/smpp/pdu.ts';
import { STATUS } from '../src/carriers/smpp/statuses.ts';
import { LIMITS } from '../test/harness/carrier-limits.ts';
import { SmscServer } from '../test/harness/smsc/smsc-server.ts';
import type { SmscSession } from '../test/harness/smsc/smsc-session.ts';

const DELIVERED = { state: 'DELIVRD' };
const [kind, rate = 0, laterRate = rate, afterSeconds = 0] = process.argv.slice(2).map((word, index) => {
  return index === 0 ? word : Number(word);
});
const rateAt = (ms: number) => Number(ms < Number(afterSeconds) * 1000 ? rate : laterRate);
const limit = kind === undefined ? undefined : LIMITS[kind as keyof typeof LIMITS](rateAt);
let accepted = 0;
let refused = 0;
let firstSubmitAt: number | undefined;

class LightSmsc extends SmscServer {
  override submitted(submit: MessagePdu, session: SmscSession): void {
    if (!isAccepted()) {
      session.answerSubmit(submit.sequence, STATUS.throttled);
      return;
    }
    const messageId = String(accepted);
    session.answerSubmit(submit.sequence, STATUS.ok, messageId);
    if (submit.registeredDelivery === 1) session.sendReceipt(submit, messageId, DELIVERED);
  }
}

function isAccepted(): boolean {
  const now = performance.now();
  firstSubmitAt ??= now;
  const isWithin = limit?.(now - firstSubmitAt) ?? true;
  if (isWithin) accepted++;
  else refused++;
  return isWithin;
}

function figures(): string {
  const seconds = (performance.now() - (firstSubmitAt ?? performance.now())) / 1000;
  const before = Math.min(seconds, Number(afterSeconds));
  const possible = before * Number(rate) + (seconds - before) * Number(laterRate);
  return JSON.stringify({ seconds, taken: accepted, refused, possible });
}

// The form that the benchmark looks for.
process.stdout.write(`http://127.0.0.1:${await new LightSmsc().listen()}\n`);
createInterface({ input: process.stdin }).on('line', line => {
  process.stdout.write(line === 'figures' ? `${figures()}\n` : `${accepted}\n`);
});
