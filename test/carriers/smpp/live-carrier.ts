/** An SMPP carrier on real time, for peers that are programs of their own. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { until } from '../../harness/until.ts';
import { RecordingHost } from '../recording-host.ts';
import { internationalStep, smppOptions, submission } from './smpp-under-test.ts';

export interface LiveCarrier {
  readonly carrier: SmppCarrier;
  readonly host: RecordingHost;
  send(text: string): Promise<SubmitAnswer>;
  /** Sends, and waits for as many receipts as there are parts; all must name references of the answer. */
  deliver(text: string): Promise<readonly string[]>;
}

export async function liveCarrier(
  t: TestContext,
  port: number,
  keys: Readonly<Record<string, unknown>> = {},
): Promise<LiveCarrier> {
  const carrier = new SmppCarrier('sky', smppOptions(port, keys), systemClock, systemRandomness());
  const host = new RecordingHost();
  t.after(() => carrier.close());
  await carrier.start(host);
  await until('the carrier is up', () => carrier.status().state === 'up');
  const send = async (text: string) => {
    const [answer] = carrier.submit([submission('+14155550123', internationalStep(text))]);
    assert.ok(answer);
    return answer;
  };
  return {
    carrier,
    host,
    send,
    async deliver(text) {
      const before = host.receipts.length;
      const answer = await send(text);
      assert.ok(answer.kind === 'accepted', answer.kind);
      await until('every receipt came', () => host.receipts.length >= before + answer.refs.length);
      const receipts = host.receipts.slice(before);
      assert.deepEqual(host.refs().slice(before).sort(), [...answer.refs].sort());
      for (const { reportCode, to } of receipts) {
        // Not every peer tells the type of a number, so the plus sign may be missing.
        assert.deepEqual([reportCode, to?.replace('+', '')], ['10000', '14155550123']);
      }
      return answer.refs;
    },
  };
}
