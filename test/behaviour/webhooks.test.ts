import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { AccountSettings } from '../../src/domain/account/account.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { WEBHOOK_TIMEOUT_MS } from '../../src/domain/reports/webhook.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { freshStore } from '../harness/engines.ts';
import { type Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { acknowledge, answerWith, type Receiver, startReceiver } from '../harness/receiver.ts';
import { settled } from '../harness/settled.ts';
import { until } from '../harness/until.ts';
import { changeRows } from './stored-rows.ts';

const ALLOW = { BONGSU_WEBHOOK_PRIVATE: 'allow', BONGSU_TOKEN_LIFETIME: '90d' } as const;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What takes longer is no call to a receiver of these tests, or one that is never answered. */
const LONGEST_CALL_MS = 5000;

/** Knows the calls that are under way, by their time-outs: turning the clock meanwhile would cut them off. */
class CallClock extends ManualClock {
  /** When each began, in real time. A pause of something else may be as long as a call's time-out, and is among them. */
  readonly #begun = new Set<{ readonly at: number }>();

  get callsUnderWay(): number {
    const since = performance.now() - LONGEST_CALL_MS;
    return [...this.#begun].filter(({ at }) => at > since).length;
  }

  override schedule(delayMs: number, task: () => void): () => void {
    if (delayMs !== WEBHOOK_TIMEOUT_MS) return super.schedule(delayMs, task);
    const call = { at: performance.now() };
    this.#begun.add(call);
    const end = () => this.#begun.delete(call);
    const cancel = super.schedule(delayMs, () => {
      end();
      task();
    });
    return () => {
      end();
      cancel();
    };
  }
}

/** Turns the clock until the condition holds: step by step, never during a call, and with time for the store in between. */
async function eventually<T>(
  { clock, gateway }: { readonly clock: CallClock; readonly gateway: TestGateway },
  what: string,
  condition: () => T | Promise<T>,
  stepMs = SECOND,
): Promise<Exclude<T, undefined | null | false>> {
  const startedAt = clock.now();
  try {
    return await until(what, async () => {
      const value = await condition();
      if (value) return value;
      await gateway.gateway.store.ping();
      if (clock.callsUnderWay === 0) clock.advance(stepMs);
      return value;
    });
  } catch (error) {
    const turned = `the clock was turned by ${clock.now() - startedAt} ms`;
    const seen = JSON.stringify(await deliveries(gateway)).slice(0, 2000);
    throw new Error(`${turned}, ${clock.callsUnderWay} calls under way; ${seen}`, { cause: error });
  }
}

interface Delivery {
  readonly msgKey: string;
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly nextAt: string | null;
  readonly waitsFor: string | null;
  readonly lastError: string | null;
  readonly lastStatus: number | null;
  readonly recent: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
  }[];
}

async function deliveries(gateway: TestGateway, query = ''): Promise<Delivery[]> {
  return (await gateway.operator('GET', `/webhooks${query}`)).body.data.deliveries;
}

/** Waits until the only delivery there is has been tried so often. */
async function tried(gateway: TestGateway, attempts: number): Promise<Delivery> {
  return until(`there were ${attempts} attempts`, async () => {
    const [delivery] = await deliveries(gateway);
    return delivery?.attempts === attempts && delivery;
  });
}

/** When the next attempt of the only delivery is planned. What is shown may be later, where the circuit pauses. */
async function plannedAt(gateway: TestGateway): Promise<number> {
  const query = { account: undefined, state: undefined, before: undefined, limit: 1 };
  const [delivery] = await gateway.gateway.store.webhooks.list(query);
  return delivery?.nextAt ?? Number.NaN;
}

async function rotate(gateway: TestGateway, id = 'shop'): Promise<string> {
  return (await gateway.operator('POST', `/accounts/${id}/webhook/secret`)).body.data.secret;
}

const hang = () => {};

function webhookTo(receiver: Receiver): Partial<AccountSettings> {
  return { reportMode: 'webhook', webhookUrl: receiver.url };
}

async function open(
  t: TestContext,
  respond?: Receiver['respond'],
  env: Readonly<Record<string, string>> = {},
  clock = new CallClock(),
): Promise<{ clock: CallClock; gateway: TestGateway; receiver: Receiver; client: Client }> {
  const receiver = await startReceiver(t, respond);
  const opened = await testAccount(t, { settings: webhookTo(receiver), env: { ...ALLOW, ...env }, clock });
  return { clock, receiver, ...opened };
}

const arrived = (receiver: Receiver, count: number) =>
  until(`${count} calls have arrived`, () => receiver.received.length >= count);

const keysOf = (receiver: Receiver) => receiver.received.map(({ record }) => record.msgKey);

test('a record is posted as the contract writes it, and is then neither polled nor sent again', async t => {
  const { gateway, receiver, client } = await open(t);
  const { msgKey } = (await client.sms({ ref: 'order-1' })).body;
  const delivery = await tried(gateway, 1);
  const [call] = receiver.received;
  assert.deepEqual(call?.record, {
    msgKey,
    serviceType: 'SMS',
    msgType: 'SM',
    sendTime: '2026-01-05T12:00:00+09:00',
    reportTime: '2026-01-05T12:00:00+09:00',
    reportType: '0',
    reportCode: '10000',
    reportText: 'Delivered',
    carrier: call?.record.carrier,
    ref: 'order-1',
  });
  assert.equal(call?.headers['content-type'], 'application/json');
  assert.deepEqual([delivery.state, delivery.lastStatus, delivery.lastError], ['delivered', 200, null]);
  assert.equal((await client.poll()).body.data.report, null);
  assert.equal((await client.inquire(msgKey)).length, 1);
  gateway.clock.advance(DAY);
  await client.sms();
  await arrived(receiver, 2);
  assert.equal(receiver.received.length, 2);
});

test('both signatures verify, the standard one by an independent library', async t => {
  // The library reads the system's clock and refuses what is older than five minutes.
  const clock = new CallClock(Date.now());
  const env = { BONGSU_HEADER_PREFIXES: 'IB,SVC' };
  const { gateway, receiver, client } = await open(t, acknowledge, env, clock);
  const secret = await rotate(gateway);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  await client.sms();
  await arrived(receiver, 1);
  const [call] = receiver.received;
  assert.ok(call);
  const { headers, text } = call;
  const named = headers as Record<string, string>;
  assert.deepEqual(new Webhook(secret).verify(text, named), JSON.parse(text));
  assert.throws(() => new Webhook(secret).verify(`${text} `, named));
  const timestamp = String(headers['x-ib-timestamp']);
  assert.match(timestamp, /^\d{13}$/);
  assert.equal(headers['x-ib-signature'], createHmac('sha256', secret).update(timestamp).digest('hex'));
  assert.equal(headers['x-svc-signature'], undefined);
});

test('after a rotation both secrets verify for a day, then only the new one', async t => {
  const { gateway, receiver, client } = await open(t);
  const old = await rotate(gateway);
  const fresh = await rotate(gateway);
  await client.sms();
  await arrived(receiver, 1);
  const verifies = (index: number, secret: string) => {
    const { headers, text } = receiver.received[index] ?? { headers: {}, text: '' };
    const named = headers as Record<string, string>;
    const signed = `${named['webhook-id']}.${named['webhook-timestamp']}.${text}`;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return String(named['webhook-signature']).split(' ').includes(expected);
  };
  assert.deepEqual([verifies(0, old), verifies(0, fresh)], [true, true]);
  const { secrets } = (await gateway.operator('GET', '/accounts/shop/webhook')).body.data;
  assert.equal(secrets.length, 2);
  gateway.clock.advance(DAY);
  await client.sms();
  await arrived(receiver, 2);
  assert.deepEqual([verifies(1, old), verifies(1, fresh)], [false, true]);
});

const WRONG_ANSWERS: readonly (readonly [string, Receiver['respond'], RegExp])[] = [
  ['500', answerWith(500), /^HTTP 500; expected 200$/],
  ['204', answerWith(204), /^HTTP 204; expected 200$/],
  ['a redirect', answerWith(302, { location: 'http://127.0.0.1:1/' }), /redirects are not followed/],
  ['another msgKey', answerWith(200, {}, '{"msgKey":"other"}'), /names another msgKey/],
  ['no msgKey', answerWith(200, {}, '{}'), /not a JSON object with "msgKey"/],
  ['no JSON', answerWith(200, {}, 'OK'), /not a JSON object/],
  ['a long answer', answerWith(200, {}, 'x'.repeat(70_000)), /longer than 65536 bytes/],
  ['a dropped connection', response => response.destroy(), /other side closed|socket/i],
];

for (const [what, respond, error] of WRONG_ANSWERS) {
  test(`${what} is a failed attempt, and the record comes again under the same id`, async t => {
    const { gateway, receiver, client } = await open(t, respond);
    await client.sms();
    const { state, lastError } = await tried(gateway, 1);
    assert.equal(state, 'retrying');
    assert.match(lastError ?? '', error);
    receiver.respond = acknowledge;
    gateway.clock.advance(6 * SECOND);
    assert.equal((await tried(gateway, 2)).state, 'delivered');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 1);
  });
}

test('a receiver that does not answer within five seconds has failed', async t => {
  const { gateway, receiver, client } = await open(t, hang);
  await client.sms();
  await arrived(receiver, 1);
  gateway.clock.advance(4999);
  await settled();
  assert.equal((await deliveries(gateway))[0]?.attempts, 0);
  gateway.clock.advance(1);
  const { lastError, lastStatus } = await tried(gateway, 1);
  assert.deepEqual([lastError, lastStatus], ['no answer within 5000 ms', null]);
});

test('a private address is refused unless that is allowed, and the setting is named', async t => {
  const { gateway, receiver, client } = await open(t, acknowledge, { BONGSU_WEBHOOK_PRIVATE: 'refuse' });
  await client.sms();
  const { lastError } = await tried(gateway, 1);
  assert.equal(lastError, '127.0.0.1 is not a public address (BONGSU_WEBHOOK_PRIVATE=allow permits it)');
  assert.equal(receiver.received.length, 0);
});

test('retries come at growing delays for three days, then the record is given up and inquiry finds it', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(500));
  const { msgKey } = (await client.sms()).body;
  const startedAt = gateway.clock.now();
  const delays: number[] = [];
  let last = startedAt;
  let delivery = await tried(gateway, 1);
  while (delivery.state === 'retrying') {
    last = await plannedAt(gateway);
    delays.push(last - Date.parse(delivery.recent.at(-1)?.at ?? ''));
    const { attempts } = delivery;
    // A pause of the circuit may fall on the retry.
    if (last > clock.now()) clock.advance(last - clock.now());
    delivery = await eventually({ clock, gateway }, 'the next attempt is made', async () => {
      const [now] = await deliveries(gateway);
      return now && now.attempts > attempts && now;
    });
  }
  assert.equal(delivery.state, 'failed');
  assert.equal(last, startedAt + 3 * DAY);
  assert.ok(receiver.received.length >= 14, `${receiver.received.length} attempts`);
  for (const [index, expected] of [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE].entries()) {
    const delay = delays[index] ?? 0;
    assert.ok(delay >= expected - SECOND && delay <= expected * 1.2 + MINUTE, `${delay} after ${index + 1}`);
  }
  assert.equal(delivery.recent.length, delivery.attempts);
  assert.equal((await client.inquire(msgKey)).length, 1);
  const calls = receiver.received.length;
  gateway.clock.advance(DAY);
  assert.equal((await deliveries(gateway, '?state=failed')).length, 1);
  assert.equal(receiver.received.length, calls);
});

test('the last attempt is made after the window, if the receiver rests at its end', async t => {
  const { clock, gateway, client } = await open(t, answerWith(500));
  await client.sms();
  const begin = clock.now();
  const attempt = (number: number) =>
    eventually({ clock, gateway }, `attempt ${number} is made`, async () => {
      return (await deliveries(gateway))[0]?.attempts === number;
    });
  for (let number = 1; number < 9; number++) {
    await attempt(number);
    clock.advance(Math.max(0, (await plannedAt(gateway)) - clock.now()));
  }
  clock.advance(begin + 3 * DAY - MINUTE - clock.now());
  await attempt(9);
  const end = await plannedAt(gateway);
  assert.ok(end - clock.now() <= MINUTE + SECOND);
  await attempt(10);
  assert.ok(clock.now() > end + MINUTE);
  await eventually(
    { clock, gateway },
    'it is given up',
    async () => (await deliveries(gateway))[0]?.state === 'failed',
  );
});

test('Retry-After is respected, up to an hour', async t => {
  const { gateway, receiver, client } = await open(t, answerWith(503, { 'retry-after': '600' }));
  await client.sms();
  const first = await tried(gateway, 1);
  assert.equal(Date.parse(first.nextAt ?? '') - gateway.clock.now(), 10 * MINUTE);
  receiver.respond = answerWith(429, { 'retry-after': '86400' });
  gateway.clock.advance(10 * MINUTE);
  const second = await tried(gateway, 2);
  assert.equal(Date.parse(second.nextAt ?? '') - gateway.clock.now(), HOUR);
});

test('410 switches the webhook off, records wait, and resuming sends those within their window', async t => {
  const store = await freshStore(t);
  const clock = new CallClock();
  const receiver = await startReceiver(t, answerWith(410));
  const { gateway: first, client } = await testAccount(t, {
    settings: webhookTo(receiver),
    env: { ...ALLOW, ...store },
    clock,
  });
  await client.sms({ ref: 'old' });
  await until('it is off', async () => (await deliveries(first, '?state=off')).length === 1);
  clock.advance(2 * DAY);
  await client.sms({ ref: 'new' });
  await until('both wait', async () => (await deliveries(first, '?state=off')).length === 2);
  assert.equal(receiver.received.length, 1);
  await first.close();

  const gateway = await testGateway(t, { ...ALLOW, ...store }, clock);
  const { isOff, offReason, pending } = (await gateway.operator('GET', '/accounts/shop/webhook')).body.data;
  assert.deepEqual([isOff, pending], [true, 2]);
  assert.match(offReason, /^The receiver answered 410, on 2026-01-05T12:00/);
  receiver.respond = acknowledge;
  clock.advance(DAY + 30 * MINUTE);
  await settled();
  assert.equal(receiver.received.length, 1);
  const resumed = await gateway.operator('POST', '/accounts/shop/webhook/resume');
  assert.equal(resumed.body.data.isOff, false);
  await eventually({ clock, gateway }, 'the rest is sent', () => receiver.received.length >= 2);
  assert.equal(receiver.received[1]?.record.ref, 'new');
  await eventually(
    { clock, gateway },
    'the old one is given up',
    async () => (await deliveries(gateway, '?state=failed')).length === 1,
  );
  assert.equal(receiver.received.length, 2);
});

test('another URL is not off because the one before it was', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(410));
  await client.sms();
  await until('it is off', async () => (await deliveries(gateway, '?state=off')).length === 1);
  const other = await startReceiver(t);
  await gateway.gateway.accounts.change('shop' as AccountId, { settings: { webhookUrl: other.url } });
  await eventually({ clock, gateway }, 'the other has it', () => other.received.length === 1);
  assert.equal(receiver.received.length, 1);
});

test('a receiver that hangs delays nobody else', async t => {
  const { gateway, receiver: slow, client: slowClient } = await open(t, hang);
  const fast = await startReceiver(t);
  const fastClient = await gateway.account('fast', webhookTo(fast));
  await Promise.all(Array.from({ length: 50 }, () => slowClient.sms()));
  await arrived(slow, 1);
  await Promise.all(Array.from({ length: 50 }, () => fastClient.sms()));
  // The clock stands still: none of the hanging calls has ended.
  await arrived(fast, 50);
  assert.equal(new Set(keysOf(fast)).size, 50);
  assert.ok(slow.received.length <= 8);
});

test('records of an account arrive in the order they were reported when the receiver takes one at a time', async t => {
  const { clock, receiver, client, gateway } = await open(t, answerWith(500));
  await client.sms();
  await tried(gateway, 1);
  for (let index = 0; index < 5; index++) {
    gateway.clock.advance(10);
    await client.reportsOf((await client.sms({ ref: String(index) })).body.msgKey);
  }
  receiver.respond = acknowledge;
  await eventually({ clock, gateway }, 'all have arrived', async () => {
    return (await deliveries(gateway, '?state=delivered')).length === 6;
  });
  const order = receiver.received.map(({ record }) => record.ref).filter(ref => ref !== undefined);
  assert.deepEqual([...new Set(order)], ['0', '1', '2', '3', '4']);
});

test('a dead receiver gets a probe now and then, not a call for each record', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(500));
  for (let index = 0; index < 40; index++) await client.sms();
  await arrived(receiver, 5);
  const info = async () => (await gateway.operator('GET', '/accounts/shop/webhook')).body.data;
  await until('the circuit is open', async () => (await info()).circuit === 'open');
  assert.equal(receiver.received.length, 5);
  const failing = async () =>
    /^bongsu_webhook_failing_accounts (\d)$/m.exec((await gateway.request('GET', '/metrics')).text)?.[1];
  await eventually({ clock, gateway }, 'it is counted', async () => (await failing()) === '1', SECOND);
  const openedAt = clock.now();
  const isLater = () => clock.now() >= openedAt + 30 * MINUTE;
  await eventually({ clock, gateway }, 'half an hour is over', isLater, 30 * SECOND);
  assert.ok(
    receiver.received.length <= 20,
    `${receiver.received.length} calls for 40 records in half an hour`,
  );
  receiver.respond = acknowledge;
  const areDelivered = async () => (await deliveries(gateway, '?state=delivered')).length === 40;
  await eventually({ clock, gateway }, 'all are delivered', areDelivered, 10 * SECOND);
  assert.equal((await info()).circuit, 'closed');
  await eventually({ clock, gateway }, 'it is well', async () => (await failing()) === '0', SECOND);
});

test('a record that waits for a failing receiver says so, and its next attempt is never in the past', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(500, {}, 'out of order'));
  for (let index = 0; index < 8; index++) await client.sms();
  await arrived(receiver, 5);
  const info = async () => (await gateway.operator('GET', '/accounts/shop/webhook')).body.data;
  await until('the circuit is open', async () => (await info()).circuit === 'open');
  const { trouble } = await info();
  assert.deepEqual(trouble, {
    since: '2026-01-05T12:00:00+09:00',
    failures: 5,
    error: 'HTTP 500; expected 200',
    lastAt: '2026-01-05T12:00:00+09:00',
    nextAt: '2026-01-05T12:00:30+09:00',
  });
  const settled = () =>
    until('nothing is in hand', async () => {
      const all = await deliveries(gateway);
      return all.every(({ waitsFor }) => waitsFor !== 'call') && all;
    });
  clock.advance(20 * SECOND);
  for (const { waitsFor, nextAt, state, attempts } of await settled()) {
    assert.deepEqual([waitsFor, nextAt], ['circuit', '2026-01-05T12:00:30+09:00']);
    assert.equal(state, attempts === 0 ? 'pending' : 'retrying');
  }
  await gateway.gateway.accounts.change('shop' as AccountId, { blocked: true });
  for (const { waitsFor, nextAt } of await settled()) assert.deepEqual([waitsFor, nextAt], ['webhook', null]);
  await gateway.gateway.accounts.change('shop' as AccountId, { blocked: false });

  // An operator who knows better does not wait for the pause.
  receiver.respond = acknowledge;
  const newest = (await deliveries(gateway))[0];
  const before = receiver.received.length;
  const retried = await gateway.operator('POST', `/webhooks/${newest?.id}/retry`);
  assert.equal(retried.body.data.id, newest?.id);
  await arrived(receiver, before + 1);
  assert.equal(receiver.received[before]?.headers['webhook-id'], newest?.id);
  await until('all is well', async () => (await info()).circuit === 'closed');
  assert.equal((await info()).trouble, null);
});

test('a delivery is shown with its attempts, and with what went back and forth in the last three', async t => {
  const long = `010-1234-5678 ${'x'.repeat(2000)}`;
  const { clock, gateway, receiver, client } = await open(
    t,
    answerWith(500, { 'x-note': 'try later', 'set-cookie': 'secret' }, long),
  );
  const { msgKey } = (await client.sms({ ref: 'order-7' })).body;
  await tried(gateway, 1);
  for (const attempts of [2, 3]) {
    clock.advance(40 * SECOND);
    await tried(gateway, attempts);
  }
  receiver.respond = hang;
  clock.advance(10 * MINUTE);
  await arrived(receiver, 4);
  clock.advance(WEBHOOK_TIMEOUT_MS);
  await tried(gateway, 4);
  const show = async (headers?: Record<string, string>) =>
    (await gateway.operator('GET', `/webhooks/${msgKey}-0`, undefined, headers)).body.data;
  const shown = await show();
  const [last, third, second, first] = shown.history;
  assert.deepEqual([shown.state, shown.attempts, shown.history.length], ['retrying', 4, 4]);
  assert.deepEqual([first.exchange, first.status], [null, 500]);
  assert.notEqual(second.exchange, null);
  assert.deepEqual([last.status, last.error, last.exchange.answer], [null, 'no answer within 5000 ms', null]);
  assert.equal(last.durationMs, WEBHOOK_TIMEOUT_MS);
  assert.equal(last.exchange.answeredMs, null);

  const { request, answer } = third.exchange;
  const call = receiver.received[2];
  assert.equal(request.url, receiver.url);
  assert.equal(request.body, call?.text);
  for (const name of ['webhook-id', 'webhook-timestamp', 'content-type']) {
    assert.equal(request.headers[name], call?.headers[name]);
  }
  const beginning = String(call?.headers['webhook-signature']).slice(0, 'v1,'.length + 8);
  assert.equal(request.headers['webhook-signature'], `${beginning}…`);
  assert.match(request.headers['X-SVC-Signature'], /^[0-9a-f]{8}…$/);
  assert.deepEqual([answer.headers['x-note'], answer.headers['set-cookie']], ['try later', '***']);
  assert.deepEqual([answer.body.length, answer.length], [1000, long.length]);
  assert.match(answer.body, /^010-1234-5678 x/);

  const seen = (await show((await gateway.addOperator('kim', 'viewer')).headers)).history[1].exchange;
  assert.equal(seen.request.url, `${new URL(receiver.url).origin}/reports`);
  assert.doesNotMatch(seen.answer.body, /1234/);
  assert.equal(Object.hasOwn((await deliveries(gateway))[0]?.recent[0] ?? {}, 'exchange'), false);
  for (const id of [`${msgKey}-1`, msgKey, 'x', `${msgKey}-0-0`]) {
    assert.equal((await gateway.operator('GET', `/webhooks/${id}`)).status, 404, id);
    assert.equal((await gateway.operator('POST', `/webhooks/${id}/retry`)).status, 404, id);
  }
});

test('what was not delivered of a range is sent now, what was delivered is not, and one of them may be', async t => {
  const { clock, gateway, receiver, client } = await open(t);
  await client.sms({ ref: 'delivered' });
  await until('it is delivered', async () => (await deliveries(gateway, '?state=delivered')).length === 1);
  clock.advance(MINUTE);
  receiver.respond = answerWith(500);
  await client.sms({ ref: 'failing' });
  await until('it failed', async () => (await deliveries(gateway, '?state=retrying')).length === 1);
  clock.advance(3 * SECOND);
  receiver.respond = acknowledge;
  const range = { from: '2026-01-05T12:00:00+09:00', until: '2026-01-05T12:02:00+09:00' };
  const answer = await gateway.operator('POST', '/accounts/shop/webhook/retry', range);
  assert.deepEqual(answer.body.data, { records: 1 });
  await until('both are delivered', async () => (await deliveries(gateway, '?state=delivered')).length === 2);
  const refs = () => receiver.received.map(({ record }) => record.ref);
  assert.deepEqual(refs(), ['delivered', 'failing', 'failing']);

  const [, first] = await deliveries(gateway);
  await gateway.operator('POST', `/webhooks/${first?.id}/retry`);
  await until('it came again', () => refs().at(-1) === 'delivered');
  const { entries } = (await gateway.operator('GET', '/audit')).body.data;
  assert.deepEqual(
    entries
      .slice(0, 2)
      .map(({ action, target, details }: Record<string, unknown>) => [action, target, details]),
    [
      ['webhook.retry', 'shop', { id: first?.id }],
      ['webhook.retry-range', 'shop', { ...range, records: 1 }],
    ],
  );
});

test('a wall clock that is set back an hour does not keep the circuit open for that hour', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(500));
  for (let index = 0; index < 8; index++) await client.sms();
  await arrived(receiver, 5);
  const info = async () => (await gateway.operator('GET', '/accounts/shop/webhook')).body.data;
  await until('the circuit is open', async () => (await info()).circuit === 'open');
  receiver.respond = acknowledge;
  clock.setWallBy(-60 * MINUTE);
  const setAt = clock.now();
  const { msgKey } = (await client.sms()).body;
  const isThere = () => receiver.received.some(({ record }) => record.msgKey === msgKey);
  await eventually({ clock, gateway }, 'a record of afterwards has arrived', isThere, SECOND);
  assert.ok(clock.now() - setAt < 5 * MINUTE, `it took ${clock.now() - setAt} ms`);
});

test('a record that was on its way when the gateway closed arrives after the next start, under the same id', async t => {
  const store = await freshStore(t);
  const receiver = await startReceiver(t, hang);
  const clock = new CallClock();
  const { gateway: first, client } = await testAccount(t, {
    settings: webhookTo(receiver),
    env: { ...ALLOW, ...store },
    clock,
  });
  const { msgKey } = (await client.sms()).body;
  await arrived(receiver, 1);
  await first.close();
  receiver.respond = acknowledge;
  const second = await testGateway(t, { ...ALLOW, ...store }, clock);
  await eventually({ clock, gateway: second }, 'it is delivered', async () => {
    return (await deliveries(second, '?state=delivered')).length === 1;
  });
  assert.deepEqual(keysOf(receiver), [msgKey, msgKey]);
  const [before, after] = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(before, after);
});

test('an account that cannot be read blocks neither the start nor the webhooks of others', async t => {
  const store = await freshStore(t);
  const receiver = await startReceiver(t, answerWith(500));
  const clock = new CallClock();
  const first = await testGateway(t, { ...ALLOW, ...store }, clock);
  await (await first.account('broken', webhookTo(receiver))).sms();
  const { msgKey } = (await (await first.account('shop', webhookTo(receiver))).sms()).body;
  await until('both were tried', async () => {
    return (await deliveries(first)).filter(({ attempts }) => attempts === 1).length === 2;
  });
  await first.close();
  await changeRows(store, `UPDATE account SET settings = '{' WHERE id = 'broken'`);
  receiver.respond = acknowledge;
  const gateway = await testGateway(t, { ...ALLOW, ...store }, clock);
  const delivered = await eventually({ clock, gateway }, 'that of the other is delivered', async () => {
    const found = await deliveries(gateway, '?state=delivered');
    return found.length > 0 && found;
  });
  assert.deepEqual(
    delivered.map(one => one.msgKey),
    [msgKey],
  );
  const listed = await gateway.operator('GET', '/accounts');
  assert.deepEqual(
    listed.body.data.accounts.map(({ id }: { id: string }) => id),
    ['shop'],
  );
});

test('a replay sends the records of a range again, under the same ids', async t => {
  const { clock, gateway, receiver, client } = await open(t);
  const keys: (string | undefined)[] = [];
  for (let index = 0; index < 4; index++) {
    keys.push((await client.sms()).body.msgKey);
    const isDelivered = async () => (await deliveries(gateway, '?state=delivered')).length > index;
    await until('it is delivered', isDelivered);
    clock.advance(MINUTE);
  }
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  const range = { from: '2026-01-05T12:01:00+09:00', until: '2026-01-05T03:03:00Z' };
  const answer = await gateway.operator('POST', '/accounts/shop/webhook/replay', range);
  assert.deepEqual(answer.body.data, { records: 2 });
  await eventually({ clock, gateway }, 'they come again', () => receiver.received.length >= 6);
  assert.deepEqual(keysOf(receiver).slice(4).sort(), keys.slice(1, 3).sort());
  const again = receiver.received.slice(4).map(({ headers }) => headers['webhook-id']);
  assert.deepEqual(again.sort(), ids.slice(1, 3).sort());
});

for (const [again, respond] of [
  ['replay', acknowledge],
  ['retry', answerWith(500)],
] as const) {
  test(`a record that comes during a ${again} of older ones goes before the rest of them`, async t => {
    const { clock, gateway, receiver, client } = await open(t, respond);
    const shop = 'shop' as AccountId;
    await gateway.gateway.accounts.change(shop, { settings: { webhookCalls: 1 } });
    const older = 4;
    for (let index = 0; index < older; index++) await client.sms();
    await until('each was tried', async () => {
      const tries = (await deliveries(gateway)).filter(one => one.attempts === 1);
      return tries.length === older;
    });
    const held: (() => void)[] = [];
    receiver.respond = (...call) => {
      held.push(() => acknowledge(...call));
    };
    const range = { from: '2026-01-05T00:00:00Z', until: '2026-01-06T00:00:00Z' };
    const answer = await gateway.operator('POST', `/accounts/shop/webhook/${again}`, range);
    assert.deepEqual(answer.body.data, { records: older });
    const isBegun = () => receiver.received.length > older;
    // A retry is made at once. The clock stands still, or the older ones would fall due by themselves.
    if (again === 'retry') await until('the first comes again', isBegun);
    else await eventually({ clock, gateway }, 'the first comes again', isBegun);
    const { msgKey } = (await client.sms()).body;
    await until('the lane has the new one', async () => {
      const ofThis = (await deliveries(gateway)).find(({ id }) => id === `${msgKey}-0`);
      return ofThis?.waitsFor === 'call';
    });
    receiver.respond = acknowledge;
    for (const release of held) release();
    await until('all came again', () => receiver.received.length > older * 2);
    assert.equal(keysOf(receiver).indexOf(msgKey), older + 1);
  });
}

const WRONG_RANGES: readonly (readonly [object, RegExp])[] = [
  [{}, /"from" is required/],
  [{ from: '2026-01-05', until: '2026-01-06T00:00:00Z' }, /"from" must be a time/],
  [{ from: '2026-01-05T00:00:00Z' }, /"until" is required/],
  [{ from: '2026-01-05T00:00:00Z', until: '2026-01-05T00:00:00Z' }, /"from" must be before "until"/],
];

test('a replay names what is wrong with its range, and needs webhook mode', async t => {
  const { gateway } = await open(t);
  for (const [body, result] of WRONG_RANGES) {
    const answer = await gateway.operator('POST', '/accounts/shop/webhook/replay', body);
    assert.equal(answer.status, 400);
    assert.match(answer.body.result, result);
  }
  await gateway.account('poller');
  const range = { from: '2026-01-05T00:00:00Z', until: '2026-01-06T00:00:00Z' };
  for (const what of ['replay', 'retry']) {
    const refused = await gateway.operator('POST', `/accounts/poller/webhook/${what}`, range);
    assert.match(refused.body.result, /is not in webhook mode/);
  }
});

test('switching to polling hands over what was not delivered, and switching back pushes what was not fetched', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(500));
  const shop = 'shop' as AccountId;
  const { msgKey } = (await client.sms()).body;
  await tried(gateway, 1);
  await gateway.gateway.accounts.change(shop, { settings: { reportMode: 'polling' } });
  const { report } = await eventually({ clock, gateway }, 'it can be polled', async () => {
    const { data } = (await client.poll()).body;
    return data.report && data;
  });
  assert.deepEqual(
    report.map((record: { msgKey: string }) => record.msgKey),
    [msgKey],
  );
  assert.equal((await deliveries(gateway)).length, 0);
  const unfetched = (await client.sms()).body.msgKey;
  await client.reportsOf(unfetched);
  receiver.respond = acknowledge;
  await gateway.gateway.accounts.change(shop, { settings: { reportMode: 'webhook' } });
  await eventually({ clock, gateway }, 'it is pushed', async () => {
    return (await deliveries(gateway, '?state=delivered')).length === 1;
  });
  assert.deepEqual(keysOf(receiver).slice(1), [unfetched]);
  assert.equal(
    (await client.poll()).body.data.report.length,
    1,
    'the batch handed out before is still there',
  );
});

test('switching to webhook pushes what has waited to be fetched for longer than a push is tried', async t => {
  const { clock, gateway, receiver, client } = await open(t, acknowledge, { BONGSU_REPORT_RETENTION: '10d' });
  const shop = 'shop' as AccountId;
  await gateway.gateway.accounts.change(shop, { settings: { reportMode: 'polling' } });
  const { msgKey = '' } = (await client.sms()).body;
  await client.reportsOf(msgKey);
  clock.advance(8 * DAY);
  await gateway.gateway.accounts.change(shop, { settings: { reportMode: 'webhook' } });
  await eventually({ clock, gateway }, 'it is pushed', () => receiver.received.length === 1);
  assert.deepEqual(keysOf(receiver), [msgKey]);
});

test('an account that wants the final record gets that one, in the format it chose', async t => {
  const { gateway, receiver } = await open(t);
  const settings = { ...webhookTo(receiver), reportRecords: 'final', reportFormat: 'legacy' } as const;
  const client = await gateway.account('legacy', settings);
  const flow = [
    { sms: { from: '0212345678', text: 'one' } },
    { mms: { from: '0212345678', title: 'two', text: 'two' } },
  ];
  const destinations = [{ to: '01012340001' }];
  const answer = await client.call('POST', '/v1/send/omni', { destinations, messageFlow: flow });
  assert.equal(answer.body.code, 'A000', answer.text);
  await arrived(receiver, 1);
  const [call] = receiver.received;
  assert.deepEqual([call?.record.serviceType, call?.record.msgType], ['MMS', 'LM']);
  assert.equal(call?.record.sendTime, undefined);
  await tried(gateway, 1);
  assert.equal(receiver.received.length, 1);
});

test('a blocked account is not called, and gets its records when it is unblocked', async t => {
  const { clock, gateway, receiver, client } = await open(t, answerWith(500));
  const shop = 'shop' as AccountId;
  await client.sms();
  await tried(gateway, 1);
  const others = await startReceiver(t, answerWith(500));
  await (await gateway.account('cafe', webhookTo(others))).sms();
  await eventually({ clock, gateway }, 'the other is called', () => others.received.length === 1);
  receiver.respond = acknowledge;
  await gateway.gateway.accounts.change(shop, { blocked: true });
  gateway.clock.advance(HOUR);
  const { isOff, offReason } = (await gateway.operator('GET', '/accounts/shop/webhook')).body.data;
  assert.deepEqual([isOff, offReason], [true, 'The account is blocked']);
  await eventually({ clock, gateway }, 'the other is called again', () => others.received.length === 3);
  assert.equal(receiver.received.length, 1);
  await gateway.gateway.accounts.change(shop, { blocked: false });
  await eventually({ clock, gateway }, 'it arrives', () => receiver.received.length === 2);
});

test('a test call sends a signed sample once, and tells what was wrong', async t => {
  const { gateway, receiver } = await open(t);
  const run = async () => (await gateway.operator('POST', '/accounts/shop/webhook/test')).body.data;
  const { exchange, ...result } = await run();
  assert.deepEqual(result, {
    isOk: true,
    status: 200,
    detail: 'The receiver answered correctly',
    durationMs: 0,
    at: '2026-01-05T12:00:00+09:00',
  });
  const [sent] = receiver.received;
  assert.equal(exchange.request.url, receiver.url);
  assert.equal(exchange.request.body, sent?.text);
  assert.equal(exchange.request.headers['webhook-id'], sent?.headers['webhook-id']);
  assert.equal(exchange.answer.body, JSON.stringify({ msgKey: 'TEST0000000000000000000000000000' }));
  assert.deepEqual([exchange.sentMs, exchange.answeredMs], [0, 0]);
  assert.equal(receiver.received[0]?.record.msgKey, 'TEST0000000000000000000000000000');
  assert.ok(receiver.received[0]?.headers['webhook-signature']);
  receiver.respond = answerWith(404, {}, 'no such path');
  const failed = await run();
  assert.deepEqual([failed.isOk, failed.status, failed.detail], [false, 404, 'HTTP 404; expected 200']);
  assert.equal(failed.exchange.answer.body, 'no such path');
  gateway.clock.advance(HOUR);
  await settled();
  assert.deepEqual(await deliveries(gateway), []);
  assert.equal(receiver.received.length, 2);
});

test('the operator needs the token, a known account and a sensible query', async t => {
  const { gateway } = await open(t);
  assert.equal((await gateway.request('GET', '/admin/v1/webhooks')).body.code, 'A002');
  assert.equal((await gateway.operator('GET', '/accounts/nobody/webhook')).status, 404);
  for (const query of ['?state=odd', '?limit=0', '?limit=201', '?cursor=x', '?account=%20']) {
    assert.equal((await gateway.operator('GET', `/webhooks${query}`)).status, 400, query);
  }
});

test('deliveries are listed page by page, newest first', async t => {
  const { gateway, receiver, client } = await open(t);
  for (let index = 0; index < 3; index++) {
    await client.sms();
    gateway.clock.advance(1);
  }
  await arrived(receiver, 3);
  const first = (await gateway.operator('GET', '/webhooks?account=shop&limit=2')).body.data;
  assert.equal(first.deliveries.length, 2);
  const second = (await gateway.operator('GET', `/webhooks?limit=2&cursor=${first.next}`)).body.data;
  assert.deepEqual([second.deliveries.length, second.next], [1, null]);
  const ids = [...first.deliveries, ...second.deliveries].map(({ id }: Delivery) => id);
  assert.deepEqual(ids, ids.toSorted().toReversed());
});
