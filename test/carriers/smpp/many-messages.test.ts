/**
 * Many messages to the SMSCs of others, first in peace, then while their answers are dropped, delayed and garbled and links are
 * cut. Every text that counts as taken has arrived as it was, and none has arrived twice. `npm run suite peers` sends 1,000 texts
 * each time.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import smpp, { type SmppSession } from 'smpp';
import type { SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { decodeGsm } from '../../../src/carriers/smpp/gsm-alphabet.ts';
import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { pathOf, unlessInstalled } from '../../harness/debian.ts';
import { freePorts, startPeer } from '../../harness/peer-process.ts';
import { scratchDirectory } from '../../harness/scratch.ts';
import { until } from '../../harness/until.ts';
import { RecordingHost } from '../recording-host.ts';
import { internationalStep, smppOptions, submission } from './smpp-under-test.ts';
import { type Spoil, spoilAnswers } from './spoiling-proxy.ts';

const MESSAGES = Number(process.env.BONGSU_PEER_MESSAGES ?? 40);
const WINDOW = 20;
const NET_SMPP = fileURLToPath(new URL('./net-smpp-smsc.pl', import.meta.url));
const LARVIT = fileURLToPath(new URL('./larvit-smsc.ts', import.meta.url));

interface Peer {
  readonly port: number;
  /** Texts that have arrived, long ones joined. */
  texts(): string[];
}

/** An SMSC of others, and what it cannot do. */
interface PeerKind {
  readonly name: string;
  readonly skip: string | false;
  readonly start: (t: TestContext) => Promise<Peer>;
  readonly keys?: Readonly<Record<string, unknown>>;
  readonly isAscii?: true;
  readonly receipts: 'ofParts' | 'ofWholeTexts' | 'none';
  /** What it does not survive: a lost link, and the generic_nack that answers an unknown command. */
  readonly isSparedOf?: readonly Spoil[];
}

const PEERS: readonly PeerKind[] = [
  { name: 'Net::SMPP', skip: unlessInstalled('Net::SMPP'), start: startNetSmpp, receipts: 'ofParts' },
  { name: 'npm smpp', skip: false, start: startNpmSmpp, receipts: 'ofParts' },
  { name: 'larvitsmpp', skip: false, start: startLarvit, receipts: 'ofWholeTexts' },
  {
    name: 'drive_smpp of Kannel',
    skip: unlessInstalled('drive_smpp'),
    start: startKannelDrive,
    // It takes no transceiver, shows texts up to their first zero octet, and knows neither receipts nor enquire_link.
    keys: { bind: 'pair', registeredDelivery: 0, enquireLink: '1d' },
    isAscii: true,
    receipts: 'none',
    isSparedOf: ['cut', 'garbleLength', 'garbleCommand'],
  },
];

/** Of 40 answers in a row. */
const SPOILED: ReadonlyMap<number, Spoil> = new Map([
  [3, 'delay'],
  [7, 'drop'],
  [11, 'garbleId'],
  [17, 'delay'],
  [23, 'garbleCommand'],
  [31, 'drop'],
]);
/** Of all answers: it costs the link. */
const CUTS: ReadonlyMap<number, Spoil> = new Map([
  [29, 'garbleLength'],
  [300, 'cut'],
  [700, 'garbleLength'],
]);
const DELAY_MS = 300;
/** The carrier's time goes on only while nothing is answered, so that a slow machine makes no answer late. */
const POLL_MS = 2;
const POLLS_WITHOUT_PROGRESS = 50;
const STEP_MS = 1000;

test('texts to the SMSCs of others', { concurrency: MESSAGES < 100 }, async t => {
  await Promise.all(
    PEERS.flatMap(kind => [
      t.test(`${kind.name}: ${MESSAGES} arrive as they are`, { skip: kind.skip }, u => inPeace(u, kind)),
      t.test(`${kind.name}: ${MESSAGES} while its answers are spoiled`, { skip: kind.skip }, u =>
        whileSpoiled(u, kind),
      ),
    ]),
  );
});

async function inPeace(t: TestContext, kind: PeerKind): Promise<void> {
  const peer = await kind.start(t);
  const { host, texts, answers } = await sendAll(t, kind, peer.port);
  assert.ok(answers.every(({ kind }) => kind === 'accepted'));
  await until('all have arrived', () => peer.texts().length >= MESSAGES);
  assert.deepEqual(peer.texts().sort(), texts.toSorted());
  const refs = answers
    .flatMap(answer => (answer.kind === 'accepted' ? [answer.refs] : []))
    .filter(({ length }) => kind.receipts === 'ofParts' || (kind.receipts === 'ofWholeTexts' && length === 1))
    .flat();
  const awaited = new Set(refs);
  await until('their receipts came', () => host.refs().filter(ref => awaited.has(ref)).length >= refs.length);
  assert.deepEqual(
    host
      .refs()
      .filter(ref => awaited.has(ref))
      .sort(),
    refs.toSorted(),
  );
  assert.ok(host.receipts.every(({ reportCode }) => reportCode === '10000'));
  t.diagnostic(JSON.stringify({ taken: answers.length, receipts: host.receipts.length }));
}

async function whileSpoiled(t: TestContext, kind: PeerKind): Promise<void> {
  const peer = await kind.start(t);
  const counts: Record<Spoil, number> = {
    ...{ pass: 0, drop: 0, delay: 0, garbleId: 0, garbleCommand: 0, garbleLength: 0, cut: 0 },
  };
  const port = await spoilAnswers(t, peer.port, DELAY_MS, index => {
    const wanted = CUTS.get(index) ?? SPOILED.get(index % 40) ?? 'pass';
    const spoil = kind.isSparedOf?.includes(wanted) ? 'pass' : wanted;
    counts[spoil]++;
    return spoil;
  });
  const { host, texts, answers } = await sendAll(t, kind, port);
  const taken = texts.filter((_, index) => answers[index]?.kind === 'accepted');
  await until('what was taken has arrived', () => {
    const arrived = new Set(peer.texts());
    return taken.every(text => arrived.has(text));
  });
  const arrived = peer.texts();
  assert.equal(new Set(arrived).size, arrived.length, 'no text arrives twice');
  const sent = new Set(texts);
  assert.deepEqual(
    arrived.filter(text => !sent.has(text)),
    [],
  );
  const inDoubt = texts.length - taken.length;
  const spoiled = counts.drop + counts.delay + counts.garbleCommand;
  assert.ok(inDoubt <= spoiled + WINDOW * (counts.cut + counts.garbleLength), 'only what was spoiled');
  assert.ok(spoiled > 0 && counts.garbleId > 0);
  const answeredLate = host.lateAnswers.length;
  t.diagnostic(
    JSON.stringify({ taken: taken.length, inDoubt, answeredLate, arrived: arrived.length, ...counts }),
  );
}

/** Sends all texts, as many at once as the window takes, each again while the carrier says that it was not taken. */
async function sendAll(t: TestContext, kind: PeerKind, port: number) {
  const clock = new ManualClock();
  const options = smppOptions(port, { window: WINDOW, responseTimeout: '3s', ...kind.keys });
  const carrier = new SmppCarrier('peer', options, clock, systemRandomness());
  const host = new RecordingHost();
  let progress = 0;
  const timePassesUntil = async (isDone: () => boolean) => {
    for (let still = 0, seen = progress; !isDone(); still++) {
      await delay(POLL_MS);
      if (progress !== seen) still = 0;
      seen = progress;
      if (still % POLLS_WITHOUT_PROGRESS === POLLS_WITHOUT_PROGRESS - 1) clock.advance(STEP_MS);
    }
  };
  t.after(async () => {
    let isClosed = false;
    void carrier.close().then(() => {
      isClosed = true;
    });
    await timePassesUntil(() => isClosed);
  });
  await carrier.start(host);
  const texts = Array.from({ length: MESSAGES }, (_, index) => textOf(index, kind));
  const answers: SubmitAnswer[] = [];
  const send = async (index: number, text: string): Promise<SubmitAnswer> => {
    const to = `+1415${String(5_550_000 + index)}`;
    for (;;) {
      while (carrier.status().state !== 'up') await delay(POLL_MS);
      const [answer] = await Promise.all(carrier.submit([submission(to, internationalStep(text))]));
      progress++;
      assert.ok(answer);
      if (answer.kind !== 'temporary') return answer;
      assert.ok(answer.isCarriersFault, JSON.stringify(answer));
    }
  };
  const waiting = texts.entries();
  const work = async () => {
    for (const [index, text] of waiting) answers[index] = await send(index, text);
  };
  let isDone = false;
  const working = Promise.all(Array.from({ length: WINDOW }, work)).finally(() => {
    isDone = true;
  });
  await timePassesUntil(() => isDone);
  await working;
  return { host, texts, answers };
}

function textOf(index: number, { isAscii }: PeerKind): string {
  const texts = isAscii
    ? [`${index} hello`, `${index} {[x]} 100%`.slice(0, 150), `${index}${' word'.repeat(20)}`]
    : [
        `${index} hello @ €[]`,
        `${index} 안녕하세요`,
        `${index}${' abc'.repeat(60)}`,
        `${index}${' 가나다'.repeat(30)}`,
      ];
  return texts[index % texts.length] ?? '';
}

/** Joins parts; each recipient gets one message. */
class Joined {
  readonly texts: string[] = [];
  readonly #parts = new Map<string, string[]>();

  /** `header`: of a part; reference, number of parts, and which of them it is. */
  add(to: string, header: Uint8Array | undefined, text: string): void {
    if (header === undefined) {
      this.texts.push(text);
      return;
    }
    const [, total = 0, index = 0] = header.subarray(-3);
    const parts = this.#parts.get(to) ?? [];
    this.#parts.set(to, parts);
    // A part that came twice would make the text longer, or one too many.
    parts[index - 1] = (parts[index - 1] ?? '') + text;
    if (Object.keys(parts).length === total) this.texts.push(parts.join(''));
  }
}

async function startNetSmpp(t: TestContext): Promise<Peer> {
  const peer = startPeer(t, 'perl', [NET_SMPP]);
  const port = await until('the SMSC listens', () => /^listening (\d+)$/.exec(peer.lines()[0] ?? '')?.[1]);
  return {
    port: Number(port),
    texts() {
      const joined = new Joined();
      for (const line of peer.lines()) {
        const [what, , to = '', dataCoding, esmClass, hex = ''] = line.split(' ');
        if (what !== 'submit') continue;
        const octets = Buffer.from(hex, 'hex');
        const headerEnd = esmClass === '64' ? 1 + (octets[0] ?? 0) : 0;
        const body = octets.subarray(headerEnd);
        const text = dataCoding === '8' ? body.swap16().toString('utf16le') : decodeGsm(body);
        joined.add(to, headerEnd > 0 ? octets.subarray(0, headerEnd) : undefined, text);
      }
      return joined.texts;
    },
  };
}

async function startNpmSmpp(t: TestContext): Promise<Peer> {
  const joined = new Joined();
  const sessions: SmppSession[] = [];
  let ids = 0;
  const server = smpp.createServer(session => {
    sessions.push(session);
    session.on('error', () => {});
    for (const command of ['bind_transceiver', 'enquire_link', 'unbind']) {
      session.on(command, pdu => void session.send(pdu.response()));
    }
    session.on('submit_sm', pdu => {
      const { message, udh } = pdu.short_message;
      joined.add(pdu.destination_addr, udh?.[0], String(message));
      const id = `smpp-${++ids}`;
      session.send(pdu.response({ message_id: id }));
      const { destination_addr, source_addr } = pdu;
      const receipt = { receipted_message_id: id, message_state: 2, short_message: '' };
      session.deliver_sm(
        { source_addr: destination_addr, destination_addr: source_addr, esm_class: 4, ...receipt },
        () => {},
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, texts: () => [...joined.texts] };
}

async function startLarvit(t: TestContext): Promise<Peer> {
  const [port = 0] = await freePorts(1);
  const peer = startPeer(t, process.execPath, [
    '--disable-warning=ExperimentalWarning',
    LARVIT,
    String(port),
  ]);
  return {
    port,
    texts: () => peer.lines().map(line => Buffer.from(line.split(' ')[3] ?? '', 'hex').toString()),
  };
}

async function startKannelDrive(t: TestContext): Promise<Peer> {
  // It ends when it finds no bearerbox.
  const bearerbox = createServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(bearerbox, 'listening');
  t.after(() => bearerbox.close());
  const config = join(scratchDirectory(), 'drive.conf');
  const boxPort = (bearerbox.address() as AddressInfo).port;
  writeFileSync(config, `group = core\nadmin-port = 1\nadmin-password = x\nsmsbox-port = ${boxPort}\n`);
  const [port = 0] = await freePorts(1);
  const settings = ['-v', '0', '-p', String(port), '-m', '0', '-c', config];
  const peer = startPeer(t, pathOf('drive_smpp') ?? '', settings);
  return {
    port,
    texts: () =>
      [...peer.errors().matchAll(/submit_sm: short_message = <(.*)>$/gm)].map(([, text = '']) =>
        decodeGsm(Buffer.from(text)),
      ),
  };
}
