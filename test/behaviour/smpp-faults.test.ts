/**
 * Everything an SMSC can do wrong, through the whole gateway: each fault ends in the right reports, nothing is lost, and
 * nothing is submitted twice unless it was refused.
 */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { DELIVERED_REPLY, type Reply, Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

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
  const gateway = await testGateway(
    t,
    { BONGSU_CONFIG: path, BONGSU_TOKEN_LIFETIME: '90d' },
    new ManualClock(),
  );
  await until('the carrier is bound', () => smsc.receiver);
  return { smsc, gateway, client: await gateway.account('shop') };
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
