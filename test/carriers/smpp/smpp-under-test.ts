/** An SMPP carrier bound to the SMSC of the tests, with a clock that the test turns. */
import assert from 'node:assert/strict';
import type { Submission, SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.ts';
import { readKeys, type ValuesOf } from '../../../src/config/file-key.ts';
import { SMPP_KEYS } from '../../../src/config/smpp-keys.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { parseAccountId } from '../../../src/domain/ids.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { type Behaviour, Smsc } from '../../harness/smsc/smsc.ts';
import { until } from '../../harness/until.ts';
import { RecordingHost } from '../recording-host.ts';

export type SmppConfig = ValuesOf<typeof SMPP_KEYS>;

/** The options of a carrier as bongsu.yaml would give them. */
export function smppOptions(port: number, keys: Readonly<Record<string, unknown>> = {}): SmppConfig {
  const problems: string[] = [];
  const body = { host: '127.0.0.1', port, systemId: 'bongsu', password: 'secret', ...keys };
  const options = readKeys(SMPP_KEYS, body, 'carriers.sky', problems);
  assert.deepEqual(problems, []);
  assert.ok(options);
  return options;
}

export function internationalStep(text: string, from = 'Bongsu'): Step {
  return { channel: 'international', from, text, parts: 1 };
}

export function submission(to: string, message: Step): Submission {
  const account = parseAccountId('tests');
  assert.ok(account !== undefined);
  const attemptId = `attempt-${to}`;
  return { attemptId, account, to, attempt: 1, message, timeLeftMs: 86_400_000, hasOwnTime: false };
}

const STEP_MS = 50;

export interface SmppScene {
  readonly smsc: Smsc;
  readonly carrier: SmppCarrier;
  readonly host: RecordingHost;
  readonly clock: ManualClock;
  /** Submits a text; answers gather in their order of coming. */
  send(text: string, to?: string): Promise<SubmitAnswer>;
  readonly answers: SubmitAnswer[];
  /** Waits for a condition while the carrier's clock stands still. */
  until: typeof until;
  /** Waits for a condition while the carrier's clock runs. */
  eventually<T>(what: string, condition: () => T): ReturnType<typeof until<T>>;
}

/** Where what a scene opens is closed: a test, or a part of one. */
export interface Scope {
  after(task: () => Promise<void>): void;
}

/** A carrier that is up. */
export async function smppScene(
  t: Scope,
  behaviour: Behaviour = {},
  keys: Readonly<Record<string, unknown>> = {},
): Promise<SmppScene> {
  const smsc = await Smsc.listen(behaviour);
  const clock = new ManualClock();
  const carrier = new SmppCarrier('sky', smppOptions(smsc.port, keys), clock, systemRandomness());
  const host = new RecordingHost();
  const answers: SubmitAnswer[] = [];
  const eventually = <T>(what: string, condition: () => T) =>
    until(what, () => {
      clock.advance(STEP_MS);
      return condition();
    });
  t.after(async () => {
    let isClosed = false;
    carrier.close().then(() => {
      isClosed = true;
    });
    await eventually('the carrier is closed', () => isClosed);
    await smsc.close();
  });
  await carrier.start(host);
  await until('the carrier is up', () => carrier.status().state === 'up');
  return {
    smsc,
    carrier,
    host,
    clock,
    answers,
    until,
    eventually,
    async send(text, to = '+14155550123') {
      const [answer] = carrier.submit([submission(to, internationalStep(text))]);
      assert.ok(answer);
      answers.push(await answer);
      return answer;
    },
  };
}
