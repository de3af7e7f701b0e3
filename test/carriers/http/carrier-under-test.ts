/** An HTTP carrier as bongsu.yaml would make it, and messages to send. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Submission, SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { createHttpCarrier, HttpCarrier } from '../../../src/carriers/http/http-carrier.ts';
import type { ReadFile } from '../../../src/carriers/http/media-uploads.ts';
import { readKeys } from '../../../src/config/file-key.ts';
import { HTTP_KEYS } from '../../../src/config/http-keys.ts';
import type { CarrierCallback } from '../../../src/domain/delivery/carrier-callback.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { type Clock, ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { zonedTimeFormatter } from '../../../src/platform/zoned-time.ts';
import { RecordingHost } from '../recording-host.ts';

export type Keys = Readonly<Record<string, unknown>>;

/** What every test of the carrier shares: a provider that answers `{ "id": … }`. */
export function basicKeys(url: string): Keys {
  return {
    allowPrivate: true,
    submit: { url: `${url}/messages`, json: { to: '{{to}}', text: '{{text}}', key: '{{attemptId}}' } },
    channels: { sms: {} },
    outcomes: [
      { status: '2xx', pointer: '/id', result: 'accepted', id: '/id' },
      { status: '4xx', pointer: '/code', equals: 'BUSY', result: 'temporary', reportCode: '22001' },
      { status: 400, result: 'permanent', reportCode: '23000', code: '/code' },
    ],
    reportCodes: { NO_SUCH_NUMBER: '23001' },
  };
}

export interface MadeCarrier {
  readonly carrier: HttpCarrier;
  readonly host: RecordingHost;
  readonly clock: ManualClock;
}

export async function makeCarrier(
  t: TestContext,
  keys: Keys,
  parts: { readonly readFile?: ReadFile; readonly clock?: Clock } = {},
): Promise<MadeCarrier> {
  const clock = new ManualClock();
  const made = carrierOf(keys, { clock, ...parts });
  assert.ok(made instanceof HttpCarrier, JSON.stringify(made));
  const host = new RecordingHost();
  await made.start(host);
  t.after(() => made.close());
  return { carrier: made, host, clock };
}

/** The carrier, or what is wrong with the keys. */
export function carrierOf(
  keys: Keys,
  parts: { readonly readFile?: ReadFile; readonly clock?: Clock } = {},
): HttpCarrier | readonly string[] {
  const problems: string[] = [];
  const options = readKeys(HTTP_KEYS, keys, 'carriers.acme', problems);
  if (!options) return problems;
  return createHttpCarrier('acme', options, {
    clock: new ManualClock(),
    random: systemRandomness(),
    formatTime: zonedTimeFormatter('Asia/Seoul'),
    publicUrl: 'https://gateway.example',
    readFile: async () => undefined,
    ...parts,
  });
}

export const ATTEMPT = '01KH2M3N4P5Q6R7S8T9V0W1X2Y3Z4000-0-1';

export function submission(message: Partial<Step> = {}, attemptId = ATTEMPT): Submission {
  return {
    attemptId,
    account: 'shop' as AccountId,
    to: '01012345678',
    attempt: 1,
    timeLeftMs: 86_400_000,
    hasOwnTime: false,
    message: { channel: 'sms', from: '0212345678', text: 'hello', ...message } as Step,
  };
}

/** An answer without what it says to people, and of pauses. */
export function bare(answer: SubmitAnswer) {
  const { pauseMs: _, ...rest } = answer;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'detail' && name !== 'fault'));
}

export function submitOne(carrier: HttpCarrier, one = submission()) {
  const [answer] = carrier.submit([one]);
  assert.ok(answer);
  return answer;
}

export function callback(
  given: Partial<CarrierCallback> & { readonly json?: unknown } = {},
): CarrierCallback {
  const { json, ...rest } = given;
  return {
    headers: { 'content-type': 'application/json' },
    query: new URLSearchParams(),
    body: json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(json)),
    address: '192.0.2.7',
    ...rest,
  };
}
