/**
 * Everything an SMSC can do wrong, through the whole gateway: each fault ends in the right reports, nothing is lost, and
 * nothing is submitted twice unless it was refused.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import test, { type TestContext } from 'node:test';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { CHANNELS } from '../../../src/domain/channels/channel.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { freshStore } from '../../harness/engines.ts';
import { type TestGateway, testAccount } from '../../harness/gateway.ts';
import { configFile } from '../../harness/scratch.ts';
import { DELIVERED_REPLY, type Reply, Smsc } from '../../harness/smsc/smsc.ts';
import { until } from '../../harness/until.ts';

const MESSAGES = 12;
const REFUSED: Reply = { kind: 'refuse', status: STATUS.throttled };
const delivered = (more: Partial<Extract<Reply, { kind: 'accept' }>> = {}): Reply => ({
  kind: 'accept',
  receipt: { state: 'DELIVRD' },
  ...more,
});

/** The report of a message whose fate nobody tells. */
const EXPIRED = '22000';
const HOUR = 3_600_000;

interface Fault {
  readonly name: string;
  readonly reply: (index: number, smsc: Smsc) => Reply;
  readonly keys?: string;
  /** How many may be without an answer when the fault comes; 3 by default. */
  readonly window?: number;
  /** How many messages end with which code. */
  readonly reports: Readonly<Record<string, number>>;
  /** Submits in all; without it, one for each message. */
  readonly submits?: number;
}

const FAULTS: readonly Fault[] = [
  { name: 'nothing', reply: () => DELIVERED_REPLY, reports: { 10000: 12 } },
  {
    name: 'it throttles the first five submits',
    reply: index => (index < 5 ? REFUSED : DELIVERED_REPLY),
    reports: { 10000: 12 },
    submits: 17,
  },
  {
    name: 'its queue is full now and then',
    reply: index => (index % 4 === 1 ? { kind: 'refuse', status: STATUS.queueFull } : DELIVERED_REPLY),
    reports: { 10000: 12 },
    submits: 16,
  },
  {
    name: 'it answers every third submit with silence',
    reply: index => (index % 3 === 0 ? { kind: 'silent' } : DELIVERED_REPLY),
    reports: { 10000: 8, 22000: 4 },
  },
  {
    name: 'the link drops with the fifth submit',
    window: 1,
    reply: index => (index === 4 ? { kind: 'drop' } : DELIVERED_REPLY),
    reports: { 10000: 11, 22000: 1 },
  },
  {
    name: 'a garbage frame comes in place of the third answer',
    window: 1,
    reply: index => (index === 2 ? { kind: 'garbage' } : DELIVERED_REPLY),
    reports: { 10000: 11, 22000: 1 },
  },
  {
    name: 'receipts come before answers',
    reply: () => delivered({ isReceiptFirst: true }),
    reports: { 10000: 12 },
  },
  {
    name: 'receipts tell in decimal what answers told in hexadecimal, with 64 bits and other zeros',
    keys: 'receiptIds: decimalToHex',
    reply: index => {
      const id = 0x812f_c747_0000_0000n + BigInt(index);
      return delivered({
        id: `00${id.toString(16).toUpperCase()}`,
        receipt: { id: id.toString(), state: 'DELIVRD' },
      });
    },
    reports: { 10000: 12 },
  },
  {
    name: 'receipts tell in hexadecimal what answers told in decimal, and nobody has said so',
    keys: 'receiptIds: auto',
    reply: index => {
      const id = 7_000_000 + 13 * index;
      return delivered({ id: String(id), receipt: { id: id.toString(16), state: 'DELIVRD' } });
    },
    reports: { 10000: 12 },
  },
  {
    name: 'every message has the same id',
    reply: index => delivered({ id: 'same', receipt: { state: index % 2 === 0 ? 'DELIVRD' : 'REJECTD' } }),
    reports: { 10000: 6, 23013: 6 },
  },
  {
    name: 'ids change their case and lose their zeros',
    reply: index =>
      delivered({
        id: `00AB${index}F`,
        receipt: { id: `ab${index}f`, state: index < 6 ? 'DELIVRD' : 'UNDELIV' },
      }),
    reports: { 10000: 6, 23000: 6 },
  },
  {
    name: 'it does not read for a while',
    reply: (index, smsc) => {
      if (index === 3) {
        const session = smsc.sessions[0];
        session?.pause();
        setImmediate(() => session?.resume());
      }
      return DELIVERED_REPLY;
    },
    reports: { 10000: 12 },
  },
];

async function faultyGateway(t: TestContext, fault: Fault) {
  const smsc = await Smsc.listen();
  smsc.behaviour = { submit: (_, index) => fault.reply(index, smsc) };
  t.after(() => smsc.close());
  const keys = `host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: x, window: ${fault.window ?? 3}, responseTimeout: 2s`;
  const path = configFile(
    `carriers:\n  sky: { kind: smpp, ${keys}${fault.keys ? `, ${fault.keys}` : ''} }\nroutes:\n  - { channel: international, via: [sky] }\n`,
  );
  const opened = await testAccount(t, { env: { BONGSU_CONFIG: path, BONGSU_TOKEN_LIFETIME: '90d' } });
  await until('the carrier is bound', () => smsc.receiver);
  return { smsc, ...opened };
}

/** Turns the clock in steps until every message has its report. */
async function reports(
  gateway: TestGateway,
  fault: Fault,
  codes: () => Promise<string[]>,
): Promise<string[]> {
  const answered = MESSAGES - (fault.reports[EXPIRED] ?? 0);
  return until('every message has its report', async () => {
    const told = await codes();
    if (told.length === MESSAGES) return told;
    // While answers may still come, in steps that no timer of the link notices; then what is silent expires.
    gateway.clock.advance(told.length < answered ? 50 : HOUR);
    return false;
  });
}

for (const fault of FAULTS) {
  test(`an SMSC with this fault: ${fault.name}`, async t => {
    const { smsc, gateway, client } = await faultyGateway(t, fault);
    const keys: (string | undefined)[] = [];
    for (let number = 0; number < MESSAGES; number++) {
      const to = `+1415555${String(1000 + number)}`;
      keys.push((await client.international({ to, text: `message ${number}` })).body.msgKey);
    }
    const codes = async () =>
      (await Promise.all(keys.map(key => client.inquire(key)))).flat().map(({ reportCode }) => reportCode);
    const told = await reports(gateway, fault, codes);
    const counts: Record<string, number> = {};
    for (const code of told) counts[code] = (counts[code] ?? 0) + 1;
    assert.deepEqual(counts, fault.reports);
    assert.equal(smsc.submits.length, fault.submits ?? MESSAGES);
  });
}

test('every part of a long message counts against the rate, each time that it is submitted', async t => {
  const rate = 20;
  const times: number[] = [];
  const seen = new Set<string>();
  const clock = new ManualClock();
  const smsc = await Smsc.listen({
    submit: ({ shortMessage }, index) => {
      times.push(clock.monotonic());
      const part = Buffer.from(shortMessage).toString('hex');
      const isAgain = seen.has(part);
      seen.add(part);
      return index % 3 === 0 || isAgain ? DELIVERED_REPLY : { kind: 'refuse', status: STATUS.systemError };
    },
  });
  t.after(() => smsc.close());
  const path = configFile(
    `carriers:\n  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret, rate: ${rate}, window: 60 }\n` +
      'routes:\n  - { channel: international, via: [sky] }\n',
  );
  const { client } = await testAccount(t, { env: { BONGSU_CONFIG: path }, clock });
  const texts = Array.from({ length: 12 }, (_, number) => String.fromCharCode(97 + number).repeat(400));
  for (const [number, text] of texts.entries())
    await client.international({ to: `+1415555${String(1000 + number)}`, text });
  await until('all texts are whole', async () => {
    clock.advance(10);
    for (let turn = 0; turn < 8; turn++) await new Promise(resolve => setImmediate(resolve));
    return smsc.texts.length === texts.length;
  });
  assert.deepEqual(new Set(smsc.texts), new Set(texts));
  assert.ok(times.length > 3 * texts.length, 'some parts are submitted again');
  // A message may take more than there is room for, and those after it pay.
  const mostInASecond = Math.max(
    ...times.map(from => times.filter(at => at >= from && at < from + 1000).length),
  );
  assert.ok(mostInASecond <= rate + 3, `${mostInASecond} in a second`);
});

/** Sends domestic and international texts by this SMSC. */
async function gatewayWith(
  t: TestContext,
  smsc: Smsc,
  clock: ManualClock,
  store: Record<string, string> = {},
) {
  const path = configFile(
    `carriers:\n  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret }\n` +
      'routes:\n  - { channel: sms, via: [sky] }\n  - { channel: international, via: [sky] }\n',
  );
  const opened = await testAccount(t, { env: { ...store, BONGSU_CONFIG: path }, clock });
  await until('it is bound', () => smsc.receiver);
  return { path, ...opened };
}

test('the rest of a long message that is never taken ends with its step, before the fallback goes out', async t => {
  const clock = new ManualClock();
  const smsc = await Smsc.listen({
    submit: ({ shortMessage }) => (shortMessage[5] === 2 ? REFUSED : { kind: 'accept' }),
  });
  t.after(() => smsc.close());
  const { client } = await gatewayWith(t, smsc, clock);
  const from = '0212345678';
  const { body } = await client.call('POST', '/v1/send/omni', {
    destinations: [{ to: '01012345678' }],
    messageFlow: [
      { sms: { from, text: `${'a'.repeat(78)}${'가'.repeat(6)}`, ttl: '60' } },
      { sms: { from, text: 'fallback' } },
    ],
  });
  const elapse = (stepMs: number, what: string, isSo: () => boolean) =>
    until(what, () => {
      clock.advance(stepMs);
      return isSo();
    });
  await elapse(500, 'the fallback goes out', () => smsc.texts.includes('fallback'));
  const [report] = await client.reportsOf(body.data.destinations[0].msgKey);
  assert.equal(report?.reportCode, EXPIRED);
  const submitted = smsc.submits.length;
  assert.ok(submitted > 3, 'its second part was submitted again');
  const untilMs = clock.monotonic() + 300_000;
  await elapse(10_000, 'five minutes have passed', () => clock.monotonic() > untilMs);
  assert.equal(smsc.submits.length, submitted);
});

for (const isTaken of [true, false]) {
  test(`a stop waits for the rest of a long message${isTaken ? '' : ', which is unknown where it is not taken'}`, async t => {
    const clock = new ManualClock();
    let isOpen = false;
    const smsc = await Smsc.listen({
      submit: ({ shortMessage }) => (shortMessage[5] === 2 && !isOpen ? REFUSED : { kind: 'accept' }),
    });
    t.after(() => smsc.close());
    const store = await freshStore(t);
    const { gateway, client } = await gatewayWith(t, smsc, clock, store);
    const { body } = await client.international({ text: 'a'.repeat(200) });
    await until('the first try is over', () => {
      clock.advance(10);
      return smsc.submits.length > 2;
    });
    let isClosed = false;
    const closing = gateway.close().then(() => {
      isClosed = true;
    });
    await until('the stop has tried', () => {
      clock.advance(10);
      return smsc.submits.length > 3;
    });
    isOpen = isTaken;
    await until('it is closed', () => {
      clock.advance(100);
      return isClosed;
    });
    await closing;
    const next = await gatewayWith(t, smsc, clock, store);
    const data = await next.gateway.message(body.msgKey);
    assert.equal(data.state, isTaken ? 'submitted' : 'unknown');
    const [submit] = smsc.submits;
    assert.ok(submit);
    // Its reference is known: a receipt for one part fails the message, without a search for whose it may be.
    smsc.sessions.at(-1)?.sendReceipt(submit, '1', { state: 'UNDELIV' });
    const [report] = await next.client.reportsOf(body.msgKey);
    assert.equal(report?.reportCode, '23000');
  });
}

test('a reload that replaces a carrier leaves the rest of a long message to the old one, and the message unknown at the end', async t => {
  const clock = new ManualClock();
  const smsc = await Smsc.listen({
    submit: ({ shortMessage }) => (shortMessage[5] === 2 ? REFUSED : { kind: 'accept' }),
  });
  t.after(() => smsc.close());
  const { gateway, client, path } = await gatewayWith(t, smsc, clock);
  const { body } = await client.international({ text: 'a'.repeat(200) });
  const elapse = <T>(what: string, isSo: () => T | Promise<T>) =>
    until(what, () => {
      clock.advance(100);
      return isSo();
    });
  await elapse('the first try is over', () => smsc.submits.length > 2);
  writeFileSync(
    path,
    `carriers:\n  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret, window: 7 }\n` +
      'routes:\n  - { channel: sms, via: [sky] }\n  - { channel: international, via: [sky] }\n',
  );
  let isReloaded = false;
  const reloading = gateway.gateway.reload(loadConfig({ BONGSU_CONFIG: path }, CHANNELS)).then(() => {
    isReloaded = true;
  });
  await elapse('the old carrier tries again', () => smsc.submits.length > 4);
  await elapse('it is replaced', () => isReloaded);
  await reloading;
  const stateNow = async () => (await gateway.message(body.msgKey)).state;
  assert.equal(await stateNow(), 'unknown');
});
