/** What an SMSC can send: receipts, messages, answers, and octets that are none of these. */
import { encodePdu } from '../../../src/carriers/smpp/encode.ts';
import { HEADER_BYTES, type Pdu } from '../../../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../../../src/carriers/smpp/pdu-writer.ts';
import { TAGS } from '../../../src/carriers/smpp/tlv.ts';
import { bearer } from '../../harness/credentials.ts';
import type { SeededRandom } from '../../simulation/seeded-random.ts';
import { mutatedBytes, mutatedText } from '../mutation.ts';
import { oddText } from '../oddities.ts';
import type { Input, Target } from '../target.ts';

interface SmppInput {
  /** `reply`: the answer to a submit of the gateway, with its sequence number. */
  readonly kind: 'say' | 'reply';
  readonly base64: string;
}

/** Share of inputs that end the session; few, because a new session takes a while. */
const ENDING = 0.01;
const REPLIES = 0.15;
const REPLY_PATIENCE_MS = 300;
const STATES = [
  'DELIVRD',
  'UNDELIV',
  'EXPIRED',
  'ENROUTE',
  'ACCEPTD',
  'REJECTD',
  'DELETED',
  'UNKNOWN',
  'delivrd',
  '',
];

export const smppFrames: Target = {
  name: 'smpp',
  concurrency: 6,
  async prepare(room) {
    const { smsc } = room.peers;
    const headers = bearer(room.known.get('token') ?? '');
    let number = 0;
    return {
      next,
      async run(input) {
        const { kind, base64 } = input as SmppInput;
        const octets = Buffer.from(base64, 'base64');
        if (kind === 'reply') {
          const isTaken = smsc.replyNext(octets, REPLY_PATIENCE_MS);
          const to = `0107${String(number++ % 10_000_000).padStart(7, '0')}`;
          const message = { from: '0212345678', to, text: 'by the SMSC' };
          const { code } = await room.call('POST', '/v1/send/sms', message, headers);
          return { label: `submit ${code}, ${(await isTaken) ? 'answered' : 'not sent'}` };
        }
        const heard = await smsc.say(octets);
        if (heard === undefined) return { label: 'silence', finding: 'the session no longer answers' };
        return {
          label: typeof heard === 'string' ? heard : [...new Set(heard)].sort().join(', ') || 'nothing',
        };
      },
      async close() {},
    };
  },
};

function next(random: SeededRandom, corpus: readonly Input[]): SmppInput {
  if (random.chance(REPLIES)) {
    const messageId = random.chance(0.8) ? String(random.below(100)) : word(oddText(random));
    const status = random.pick([0, 0, 0, 8, 0x14, 0x58, 0x45, 0xffffffff, 0x400]);
    const reply = octetsOf({ command: 'submitSmResp', status, sequence: 0, messageId, tlvs: [] });
    return inputOf('reply', random.chance(0.5) ? reframed(mutatedBytes(random, reply)) : reply);
  }
  if (random.chance(ENDING)) {
    const odd = random.pick([
      octetsOf({ command: 'unbind', status: 0, sequence: 1 }),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.alloc(300),
      mutatedBytes(random, octetsOf(pduOf(random))),
    ]);
    return inputOf('say', odd);
  }
  const saved = corpus.filter(input => (input as SmppInput).kind === 'say') as SmppInput[];
  const base =
    saved.length > 0 && random.chance(0.2)
      ? Buffer.from(random.pick(saved).base64, 'base64')
      : octetsOf(pduOf(random));
  const count = random.chance(0.02) ? 300 : random.between(1, 3);
  const frames = Array.from({ length: count }, () =>
    random.chance(0.6) ? reframed(mutatedBytes(random, base)) : base,
  );
  return inputOf('say', Buffer.concat(frames));
}

function pduOf(random: SeededRandom): Pdu {
  const sequence = random.pick([1, 2, 0, 0x7fffffff, 0xffffffff, random.below(1000)]);
  const status = random.chance(0.9) ? 0 : random.below(0x500);
  const message = {
    status,
    sequence,
    serviceType: random.chance(0.9) ? '' : word(oddText(random)),
    source: {
      ton: random.below(7),
      npi: 1,
      digits: random.chance(0.8) ? '01071234567' : word(oddText(random)),
    },
    destination: { ton: 1, npi: 1, digits: random.chance(0.8) ? '0212345678' : word(oddText(random)) },
    esmClass: random.pick([4, 4, 4, 0, 0x40, 0x44, 8, 0x10, 255]),
    registeredDelivery: random.below(256),
    dataCoding: random.pick([0, 0, 1, 3, 8, 8, 4, 245, 255]),
    tlvs: tlvs(random),
  } as const;
  const shortMessage = Buffer.from(
    receiptText(random).slice(0, 255),
    random.chance(0.8) ? 'latin1' : 'utf16le',
  ).subarray(0, 254);
  switch (random.below(12)) {
    case 0:
      return { command: 'dataSm', ...message };
    case 1:
      return {
        command: 'submitSmResp',
        status,
        sequence,
        messageId: word(oddText(random)).slice(0, 60),
        tlvs: [],
      };
    case 2:
      return {
        command: random.pick(['enquireLink', 'enquireLinkResp', 'genericNack'] as const),
        status,
        sequence,
      };
    case 3:
      return { command: 'outbind', status, sequence, systemId: word(oddText(random)), password: '' };
    case 4:
      return {
        command: random.pick(['bindTransceiverResp', 'bindReceiverResp'] as const),
        status: 0,
        sequence,
        systemId: 'x',
        tlvs: [],
      };
    case 5:
      return {
        command: random.pick(['deliverSmResp', 'dataSmResp'] as const),
        status,
        sequence,
        messageId: '',
        tlvs: [],
      };
    default:
      return {
        command: random.chance(0.95) ? 'deliverSm' : 'submitSm',
        ...message,
        protocolId: 0,
        priority: random.below(256),
        scheduleTime: random.chance(0.9) ? '' : word(oddText(random)).slice(0, 30),
        validity: '',
        replaceIfPresent: 0,
        defaultMessageId: 0,
        shortMessage,
      };
  }
}

function receiptText(random: SeededRandom): string {
  const id = random.chance(0.7) ? String(random.below(100)) : oddText(random).slice(0, 60);
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611151200 done date:${random.pick(['2611151200', '9999999999', '', '26111512001'])} stat:${random.pick(STATES)} err:${random.pick(['000', '255', 'x', ''])} text:hello`;
  return random.chance(0.4) ? mutatedText(random, text) : text;
}

function tlvs(random: SeededRandom) {
  if (random.chance(0.5)) return [];
  const tags = Object.values(TAGS);
  return Array.from({ length: random.pick([1, 2, 5, 200]) }, () => ({
    tag: random.chance(0.8) ? random.pick(tags) : random.below(0x10000),
    value: Buffer.from(random.chance(0.5) ? String(random.below(100)) : oddText(random).slice(0, 200)),
  }));
}

/** Corrects the length word, so that the session goes on and the body is decoded. */
function reframed(octets: Buffer): Buffer {
  const padded =
    octets.length < HEADER_BYTES ? Buffer.concat([octets, Buffer.alloc(HEADER_BYTES)]) : Buffer.from(octets);
  const cut = padded.subarray(0, 65_000);
  cut.writeUInt32BE(cut.length, 0);
  return cut;
}

function octetsOf(pdu: Pdu): Buffer {
  const writer = new PduWriter();
  encodePdu(writer, pdu);
  return writer.take();
}

function inputOf(kind: SmppInput['kind'], octets: Buffer): SmppInput {
  return { kind, base64: octets.toString('base64') };
}

/** Latin-1, as C-octet strings are written. */
function word(text: string): string {
  return text
    .slice(0, 300)
    .replaceAll('\0', '')
    .replaceAll(/[^ -ÿ]/g, '?');
}
