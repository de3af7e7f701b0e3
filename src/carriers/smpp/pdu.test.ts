import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { decodePdu } from './decode.ts';
import { encodePdu } from './encode.ts';
import { FrameReader } from './frame-reader.ts';
import { COMMAND_IDS, type Command, MAX_PDU_BYTES, type Pdu } from './pdu.ts';
import { PduWriter } from './pdu-writer.ts';
import { STATUS } from './statuses.ts';

/** Plain objects, as the decoder makes them. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const byte = fc.integer({ min: 0, max: 255 });
const word = fc.integer({ min: 0, max: 0xffffffff });
const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map(value => Buffer.from(value));
const text = (maxLength: number) =>
  fc.string({ unit: fc.integer({ min: 1, max: 255 }).map(code => String.fromCharCode(code)), maxLength });
const address = record({ ton: byte, npi: byte, digits: text(64) });
const tlvs = fc.array(record({ tag: fc.integer({ min: 0, max: 0xffff }), value: octets(300) }), {
  maxLength: 4,
});
const header = { status: word, sequence: word };
const bare = record({
  command: fc.constantFrom('enquireLink', 'enquireLinkResp', 'unbind', 'unbindResp', 'genericNack'),
  ...header,
});
const message = record({
  command: fc.constantFrom('submitSm', 'deliverSm'),
  ...header,
  serviceType: text(5),
  source: address,
  destination: address,
  esmClass: byte,
  protocolId: byte,
  priority: byte,
  scheduleTime: text(16),
  validity: text(16),
  registeredDelivery: byte,
  replaceIfPresent: byte,
  dataCoding: byte,
  defaultMessageId: byte,
  shortMessage: octets(255),
  tlvs,
});
const data = record({
  command: fc.constant('dataSm'),
  ...header,
  serviceType: text(5),
  source: address,
  destination: address,
  esmClass: byte,
  registeredDelivery: byte,
  dataCoding: byte,
  tlvs,
});
const messageResp = record({
  command: fc.constantFrom('submitSmResp', 'deliverSmResp', 'dataSmResp'),
  ...header,
  messageId: text(64),
  tlvs,
});
const bind = record({
  command: fc.constantFrom('bindTransmitter', 'bindReceiver', 'bindTransceiver'),
  ...header,
  systemId: text(15),
  password: text(8),
  systemType: text(12),
  interfaceVersion: byte,
  addressTon: byte,
  addressNpi: byte,
  addressRange: text(40),
});
const bindResp = record({
  command: fc.constantFrom('bindTransmitterResp', 'bindReceiverResp', 'bindTransceiverResp'),
  ...header,
  systemId: text(15),
  tlvs,
});
const outbind = record({ command: fc.constant('outbind'), ...header, systemId: text(15), password: text(8) });
const anyPdu = fc.oneof(bare, message, data, messageResp, bind, bindResp, outbind) as fc.Arbitrary<Pdu>;

const SUBMIT = {
  command: 'submitSm',
  status: 0,
  sequence: 1,
  serviceType: '',
  source: { ton: 1, npi: 1, digits: '821012345678' },
  destination: { ton: 1, npi: 1, digits: '14155550123' },
  esmClass: 0,
  protocolId: 0,
  priority: 0,
  scheduleTime: '',
  validity: '',
  registeredDelivery: 1,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  shortMessage: Buffer.alloc(0),
  tlvs: [],
} as const satisfies Pdu;

function encoded(...pdus: Pdu[]): Buffer {
  const writer = new PduWriter();
  for (const pdu of pdus) encodePdu(writer, pdu);
  return writer.take();
}

function frames(reader: FrameReader, chunks: readonly Buffer[]): Buffer[] | 'garbage' {
  const found: Buffer[] = [];
  for (const chunk of chunks) {
    if (!reader.push(chunk, frame => found.push(Buffer.from(frame)))) return 'garbage';
  }
  return found;
}

function chunked(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...cuts.map(cut => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.map((place, index) => bytes.subarray(places[index - 1] ?? 0, place));
}

test('every PDU is read as it was written', () => {
  fc.assert(
    fc.property(anyPdu, pdu => {
      assert.deepEqual(decodePdu(encoded(pdu)), pdu);
    }),
    { numRuns: 400 },
  );
});

test('the stream may be cut anywhere', () => {
  fc.assert(
    fc.property(fc.array(anyPdu, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 30 }), (pdus, cuts) => {
      const found = frames(new FrameReader(), chunked(encoded(...pdus), cuts));
      assert.ok(found !== 'garbage');
      assert.deepEqual(found.map(decodePdu), pdus);
    }),
  );
});

test('arbitrary octets are read as PDUs, as faults or as garbage, and never throw', () => {
  fc.assert(
    fc.property(octets(200), fc.array(fc.nat(), { maxLength: 5 }), (bytes, cuts) => {
      const found = frames(new FrameReader(), chunked(bytes, cuts));
      if (found !== 'garbage') found.forEach(decodePdu);
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(COMMAND_IDS)), octets(100), (commandId, body) => {
      const frame = Buffer.alloc(16 + body.length);
      frame.writeUInt32BE(frame.length, 0);
      frame.writeUInt32BE(commandId, 4);
      frame.set(body, 16);
      assert.ok(decodePdu(frame).command);
    }),
    { numRuns: 400 },
  );
});

test('a PDU cut off anywhere in its required fields is a fault, not a shorter message', () => {
  const whole = encoded({ ...SUBMIT, shortMessage: Buffer.from('hello') });
  for (let length = 16; length < whole.length; length++) {
    const frame = Buffer.from(whole.subarray(0, length));
    frame.writeUInt32BE(length, 0);
    assert.equal(decodePdu(frame).command, 'fault', `cut at ${length}`);
  }
});

const FAULTS: [string, Buffer, number][] = [
  ['an unknown command', header16(0x00000077), STATUS.invalidCommandId],
  ['a message longer than the PDU', overlong(), STATUS.invalidMessageLength],
  ['a TLV longer than the PDU', withTail('\x00\x1e\x00\x09abc'), STATUS.invalidOptionalPart],
  ['half a TLV', withTail('\x00\x1e'), STATUS.invalidOptionalPart],
];
for (const [title, frame, status] of FAULTS) {
  test(`${title} is the fault ${status}`, () => {
    const decoded = decodePdu(frame);
    assert.deepEqual([decoded.command, decoded.status], ['fault', status]);
  });
}

for (const [title, body, messageId] of [
  ['without a body', '', ''],
  ['whose id has no NUL', 'abc', 'abc'],
  ['whose id is padded with NULs', 'abc\0\0\0', 'abc'],
  ['with a stray octet', 'abc\0\x01', 'abc'],
  ['with half a TLV', 'abc\0\x00\x1e', 'abc'],
  ['with a TLV longer than the PDU', 'abc\0\x00\x1e\x00\x09abc', 'abc'],
  ['with an endless id', 'a'.repeat(300), ''],
] as const) {
  test(`of an answer ${title} the status decides`, () => {
    const { command, status, sequence, ...pdu } = decodePdu(framed('submitSmResp', body));
    assert.deepEqual([command, status, sequence], ['submitSmResp', 0, 7]);
    assert.equal('messageId' in pdu && pdu.messageId, messageId);
    assert.equal(decodePdu(framed('bindTransceiverResp', body)).command, 'bindTransceiverResp');
  });
}

for (const length of [0, 15, MAX_PDU_BYTES + 1, 0x47455420]) {
  test(`a length of ${length} is garbage for ever`, () => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(length);
    const reader = new FrameReader();
    assert.equal(frames(reader, [bytes]), 'garbage');
    assert.equal(frames(reader, [encoded({ command: 'enquireLink', status: 0, sequence: 1 })]), 'garbage');
  });
}

test('a payload of 64 KB passes', () => {
  const pdu: Pdu = { ...SUBMIT, tlvs: [{ tag: 0x0424, value: Buffer.alloc(65_535, 1) }] };
  const found = frames(new FrameReader(), [encoded(pdu)]);
  assert.ok(found !== 'garbage');
  assert.deepEqual(found.map(decodePdu), [pdu]);
});

function framed(command: Command, body: string): Buffer {
  const frame = Buffer.concat([header16(COMMAND_IDS[command]), Buffer.from(body, 'latin1')]);
  frame.writeUInt32BE(frame.length, 0);
  return frame;
}

function header16(commandId: number): Buffer {
  const frame = Buffer.alloc(16);
  frame.writeUInt32BE(16, 0);
  frame.writeUInt32BE(commandId, 4);
  frame.writeUInt32BE(7, 12);
  return frame;
}

/** A submit_sm with more octets behind it. */
function withTail(octets: string): Buffer {
  const frame = Buffer.concat([encoded({ ...SUBMIT, tlvs: [] }), Buffer.from(octets, 'latin1')]);
  frame.writeUInt32BE(frame.length, 0);
  return frame;
}

function overlong(): Buffer {
  const frame = encoded({ ...SUBMIT, shortMessage: Buffer.from('hello') });
  frame[frame.length - 6] = 6;
  return frame;
}
