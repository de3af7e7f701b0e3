import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../domain/request/problem.ts';
import type { SendKind } from '../../domain/request/send-kinds.ts';
import { type ReadSend, readSend } from '../contract/read-send.ts';
import { packAnswer, packSend, unpackAnswer, unpackCaller, unpackSend } from './packed-calls.ts';

const CALLER = { authorization: 'Bearer x', address: '10.0.0.1' };

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

function read(kind: SendKind, body: object, idempotencyKey?: string, traceparent?: string): ReadSend {
  const found = readSend({
    kind,
    contentType: 'application/json',
    idempotencyKey,
    traceparent,
    body: Buffer.from(JSON.stringify(body)),
  });
  assert.ok(!(found instanceof Problem), JSON.stringify(found));
  return found;
}

/** Members that are undefined are as good as absent. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const SENDS: readonly ReadSend[] = [
  read('sms', { from: '0212345678', to: '01012345678', text: '안녕', ref: 'order "1"' }, 'key-1'),
  read('sms', { from: '0212345678', to: '01012345678', text: 'without a ref' }),
  read('mms', { from: '0212345678', to: '01012345678', text: 'long', title: 'title' }),
  read('omni', {
    destinations: [{ to: '01012345678', replaceWords: { name: 'a' } }, { to: 'nobody' }],
    messageFlow: [{ sms: { from: '0212345678', text: 'hi #{name}' } }],
    paymentCode: 'p',
  }),
  read('omni', { destinations: [{ to: '01012345678' }], messageForm: 'form-1' }, undefined, TRACE),
  read('sms', { from: '0212345678', to: '01012345678', text: 'traced', groupKey: 'g' }, 'key-3', TRACE),
  read(
    'sms',
    { from: '0212345678', to: '01012345678', text: 'later', resvSendTime: '2026-03-02 09:30:00' },
    'key-4',
    TRACE,
  ),
  read('sms', { from: '0212345678', to: '01012345678', text: '' }, 'key-2'),
  read('rcs', {
    from: '0212345678',
    to: '01012345678',
    formatId: 'SS000000',
    brandKey: 'b',
    content: { standalone: { text: 'in the simple style' } },
  }),
];

test('a send arrives as it was read, and so does its caller', () => {
  for (const send of SENDS) {
    const packed = packSend(CALLER, send);
    assert.ok(packed.every(value => value === null || typeof value === 'string'));
    assert.deepEqual(plain(unpackSend(packed)), plain(send));
    assert.deepEqual(unpackCaller(packed), CALLER);
  }
});

test('a recipient that was refused is still refused by a problem', () => {
  const omni = SENDS.find(send => send.kind === 'omni');
  assert.ok(omni);
  const arrived = unpackSend(packSend(CALLER, omni));
  assert.ok(arrived.kind === 'omni');
  const [, refused] = arrived.send.destinations;
  assert.ok(refused && 'problem' in refused && refused.problem instanceof Problem);
  assert.equal(refused.problem.code, 'A306');
});

test('answers arrive as they were given', () => {
  assert.equal(unpackAnswer(packAnswer('{"code":"A000"}')), '{"code":"A000"}');
  const failures = [
    { problem: new Problem('A300', 'text', { status: 415 }) },
    { problem: new Problem('A020', undefined, { retryAfterSeconds: 3 }) },
    { problem: new Problem('A999'), headers: { 'x-request-id': 'call-1' } },
    { problem: new Problem('A920', 'nobody knows', { retryAfterSeconds: 1, isInDoubt: true }) },
  ];
  for (const failure of failures) assert.deepEqual(unpackAnswer(packAnswer(failure)), failure);
});
