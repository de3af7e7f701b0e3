/** What scenarios share: a plain load, from the first request to the last report, and the records that can be fetched. */
import { queueIsEmpty } from './gateway-calls.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import type { LoadOrder } from './load-client.ts';
import type { Sample } from './results.ts';

export const CONNECTIONS = 64;
/** Requests before the measurement begins, as a share of those that are measured. */
export const WARM_UP = 0.75;
export const TEXT = '[봉수] 인증번호 482913, 3분 안에 입력해 주세요.';
export const SINGLE = { from: '0212345678', to: '01012345678', text: TEXT, ref: 'order-20261115-0001' };

/** Sends, and waits until nothing is on its way; the same once before, so that what is measured is warm. */
export async function untilReported(
  gateway: GatewayUnderTest,
  requests: number,
  more: Pick<LoadOrder, 'authorizations' | 'counted'> = {},
): Promise<{ readonly result: Sample; readonly whole: Sample }> {
  return measuredWarm(gateway, { ...order(requests), ...more }, () => queueIsEmpty(gateway));
}

/** Measures from the first request until all is `done`, after a warming up that is done, too. */
export async function measuredWarm(
  gateway: GatewayUnderTest,
  { warmUp, ...measured }: ReturnType<typeof order> & Pick<LoadOrder, 'authorizations' | 'counted'>,
  done: () => Promise<void>,
): Promise<{ readonly result: Sample; readonly whole: Sample }> {
  await gateway.load({ ...measured, requests: warmUp, warmUp: 0 });
  await done();
  const before = gateway.keys().length;
  const cpuBefore = gateway.cpuSeconds();
  const startedAt = performance.now();
  const result = await gateway.load({ ...measured, warmUp: 0 });
  await done();
  const count = gateway.keys().length - before;
  const whole = {
    perSecond: perSecondSince(startedAt, count),
    cpuMicros: ((gateway.cpuSeconds() - cpuBefore) * 1e6) / count,
  };
  return { result, whole };
}

/** Polls until there is nothing left. */
export async function drain(gateway: GatewayUnderTest): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    type Answer = {
      readonly data: {
        readonly reportId: string;
        readonly report: readonly { readonly msgKey: string }[] | null;
      };
    };
    const { data } = await gateway.call<Answer>('GET', '/v1/report/polling');
    if (data.reportId === '') return found;
    found.push(...(data.report ?? []).map(({ msgKey }) => msgKey));
    await gateway.call('DELETE', `/v1/report/polling/${data.reportId}`);
  }
}

export function asSet(keys: readonly string[]): Set<string> {
  const unique = new Set(keys);
  if (unique.size !== keys.length) throw new Error(`${keys.length - unique.size} messages have two records`);
  return unique;
}

/** Both contestants are measured when they are warm; the gateway has more code for the compiler to see first. */
export function order(requests: number) {
  return {
    path: '/v1/send/sms',
    body: JSON.stringify(SINGLE),
    connections: CONNECTIONS,
    warmUp: Math.round(requests * WARM_UP),
    requests: Math.round(requests),
  };
}

export const perSecondSince = (startedAt: number, count: number): number =>
  count / ((performance.now() - startedAt) / 1000);
