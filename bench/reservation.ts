/**
 * A reservation of many recipients, made, due and drained, against combined sends of as many messages; and what another account
 * notices of it, which sends one message after the other.
 */
import { queueIsEmpty, tokenOf } from './gateway-calls.ts';
import { assertSameKeys, type Engine, type GatewayUnderTest } from './gateway-under-test.ts';
import { drain, order, perSecondSince, SINGLE, TEXT } from './plain-load.ts';
import type { Sample } from './results.ts';

const A_CALL = 1000;
const A_SEND = 10;
const OTHER = { id: 'other', password: 'other-password' };
const FLOW = [{ sms: { from: SINGLE.from, text: TEXT } }];
/** Of the other account. */
const PAUSE_MS = 5;
const QUIET_MS = 5_000;

interface Shown {
  readonly data: { readonly status: string; readonly sentCnt: number };
}
interface Reserved {
  readonly data: { readonly resvKey: string; readonly destinations: readonly { readonly msgKey: string }[] };
}

interface ReservationRound {
  readonly engine: Engine;
  /** How many recipients. */
  readonly stored: number;
  sample(row: string, sample: Sample): void;
}

export async function reservation({ engine, stored, sample }: ReservationRound): Promise<void> {
  const recipients = Math.ceil(stored / A_CALL) * A_CALL;
  await engine.run({}, async gateway => {
    const body = { messageFlow: FLOW, destinations: destinationsOf(A_SEND, 0), ref: SINGLE.ref };
    const startedAt = performance.now();
    const sends = {
      ...order(recipients / A_SEND),
      warmUp: 0,
      path: '/v1/send/omni',
      body: JSON.stringify(body),
    };
    await gateway.load(sends);
    await queueIsEmpty(gateway);
    sample(`${engine.name} combined`, { perSecond: perSecondSince(startedAt, recipients) });
  });
  await engine.run({ BONGSU_RESERVATION_LEAD: '100ms' }, async gateway => {
    await gateway.call('POST', '/admin/v1/accounts', OTHER);
    const authorization = `Bearer ${await tokenOf(gateway, OTHER)}`;
    const madeAt = performance.now();
    const { resvKey, keys } = await reserveAll(gateway, recipients);
    sample(`${engine.name} reserving`, { perSecond: perSecondSince(madeAt, recipients) });
    const one = `/v1/reservation/resvKey/${resvKey}`;
    const quiet = await otherAccount(
      gateway,
      authorization,
      () => new Promise(resolve => setTimeout(resolve, QUIET_MS)),
    );
    sample(`${engine.name} other, quiet`, quiet);
    const dueAt = Date.now() + 1000;
    await gateway.call('PUT', one, { resvSendTime: new Date(dueAt).toISOString() });
    let perSecond = 0;
    const loud = await otherAccount(gateway, authorization, async () => {
      while ((await gateway.call<Shown>('GET', one)).data.status !== 'COMPLETED') await pause(100);
      await queueIsEmpty(gateway, A_SEND);
      perSecond = recipients / ((Date.now() - dueAt) / 1000);
    });
    sample(`${engine.name} other, while it drains`, loud);
    await queueIsEmpty(gateway);
    sample(`${engine.name} reservation`, { perSecond, peakMb: gateway.peakMb() });
    process.stderr.write(
      `${engine.name}: ${recipients} recipients, peak memory ${Math.round(gateway.peakMb())} MB\n`,
    );
    assertSameKeys(keys, new Set(await drain(gateway)), 'records');
  });
}

async function reserveAll(gateway: GatewayUnderTest, recipients: number) {
  const first = await gateway.call<Reserved>('POST', '/v1/reservation', {
    resvSendTime: new Date(Date.now() + 24 * 3_600_000).toISOString(),
    messageFlow: FLOW,
    destinations: [],
    ref: SINGLE.ref,
  });
  const { resvKey } = first.data;
  const keys: string[] = [];
  for (let from = 0; from < recipients; from += A_CALL) {
    const path = `/v1/reservation/resvKey/${resvKey}/destinations`;
    const added = await gateway.call<Reserved>('POST', path, { destinations: destinationsOf(A_CALL, from) });
    for (const { msgKey } of added.data.destinations) keys.push(msgKey);
  }
  return { resvKey, keys };
}

/** Recipients whose last digits stand for no odd fate. */
function destinationsOf(count: number, from: number): { readonly to: string }[] {
  return Array.from({ length: count }, (_, index) => {
    return {
      to: `010${String(Math.floor((from + index) / 1000) % 10_000).padStart(4, '0')}${5000 + (index % 1000)}`,
    };
  });
}

async function otherAccount(
  gateway: GatewayUnderTest,
  authorization: string,
  work: () => Promise<unknown>,
): Promise<Sample> {
  const times: number[] = [];
  let isOver = false;
  const worked = work().finally(() => {
    isOver = true;
  });
  const headers = { authorization, 'content-type': 'application/json' };
  while (!isOver) {
    const startedAt = performance.now();
    const init = { method: 'POST', headers, body: JSON.stringify(SINGLE) };
    const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/send/sms`, init);
    if (!response.ok) throw new Error(`the other account is refused: ${await response.text()}`);
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
    await pause(PAUSE_MS);
  }
  await worked;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
