/** An omni carrier as bongsu.yaml would make it, with the service it speaks to. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Submission, SubmitAnswer } from '../../../src/carriers/carrier.ts';
import type { ReadFile } from '../../../src/carriers/http/media-uploads.ts';
import { OmniCarrier } from '../../../src/carriers/omni/omni-carrier.ts';
import { readKeys } from '../../../src/config/file-key.ts';
import { OMNI_KEYS } from '../../../src/config/omni-keys.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { type AccountId, attemptIdOf, msgKeyOf, type RequestId } from '../../../src/domain/ids.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { until } from '../../harness/until.ts';
import { RecordingHost } from '../recording-host.ts';
import { type OmniService, startService } from './omni-service.ts';

const REQUEST = '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4' as RequestId;

export interface OmniScene {
  readonly service: OmniService;
  readonly carrier: OmniCarrier;
  readonly host: RecordingHost;
  readonly clock: ManualClock;
  /** Turns the clock until something has happened. */
  readonly eventually: (what: string, isDone: () => unknown) => Promise<unknown>;
}

export async function omniCarrier(
  t: TestContext,
  keys: Readonly<Record<string, unknown>> = {},
  readFile: ReadFile = async () => undefined,
  clock = new ManualClock(),
): Promise<{ service: OmniService; carrier: OmniCarrier; clock: ManualClock }> {
  const service = await startService(t, () => clock.now());
  const problems: string[] = [];
  const options = readKeys(
    OMNI_KEYS,
    {
      url: service.url,
      account: 'shop',
      password: 'secret',
      allowPrivate: true,
      // Suites turn the clock in big steps; calls must not run into it.
      timeout: '1d',
      ...keys,
    },
    'carriers.upstream',
    problems,
  );
  assert.ok(options, problems.join());
  const carrier = new OmniCarrier('upstream', options, {
    clock,
    random: systemRandomness(),
    readFile,
    publicUrl: undefined,
  });
  return { service, carrier, clock };
}

export async function omniScene(
  t: TestContext,
  keys: Readonly<Record<string, unknown>> = {},
  readFile?: ReadFile,
): Promise<OmniScene> {
  const made = await omniCarrier(t, keys, readFile);
  const { carrier, clock } = made;
  const host = new RecordingHost();
  await carrier.start(host);
  const eventually = (what: string, isDone: () => unknown) =>
    until(what, () => {
      const done = isDone();
      if (!done) clock.advance(500);
      return done;
    });
  t.after(() => carrier.close());
  return { ...made, host, eventually };
}

const SMS = { channel: 'sms', from: '0212345678', text: 'hello' };
let count = 0;

export function submission(message: Partial<Step> & { readonly to?: string } = {}): Submission {
  const { to = '01012345678', ...fields } = message;
  count = (count + 1) % 1000;
  return {
    attemptId: attemptIdOf(msgKeyOf(REQUEST, count), 0, 1),
    account: 'edge' as AccountId,
    to,
    attempt: 1,
    timeLeftMs: 86_400_000,
    hasOwnTime: false,
    message: ('channel' in fields ? fields : { ...SMS, ...fields }) as Step,
  };
}

export async function submitOne(carrier: OmniCarrier, one = submission()): Promise<SubmitAnswer> {
  const [answer] = await Promise.all(carrier.submit([one]));
  assert.ok(answer);
  return answer;
}
