import assert from 'node:assert/strict';
import test from 'node:test';
import { isAdvertisement } from '../delivery/advertisement.ts';
import type { SingleSend, Step } from '../delivery/flow.ts';
import type { MsgKey } from '../ids.ts';
import { describeStep } from '../reports/report-record.ts';
import { equivalentRequest } from '../request/equivalent-request.ts';
import { FLOW_CHANNELS, parseMessageFlow } from '../request/message-flow.ts';
import { Problem } from '../request/problem.ts';
import { CHANNELS, type Channel } from './channel.ts';
import { CHANNEL_TABLE, channelOf } from './channel-table.ts';

type Body = Readonly<Record<string, unknown>>;

const DOMESTIC = { to: '01012345678', ref: 'order-1' };
const BUTTON = { type: 'WL', name: 'open', urlMobile: 'https://shop.example.com' };
const HOUR = 3_600_000;
const DEADLINES = { textMs: 25 * HOUR, mmsMs: 80 * HOUR, messengerMs: HOUR / 6 };

/** A message of each channel that says more than it must, and how reports and deadlines take it. */
const SAMPLES: Readonly<
  Record<Channel, { body: Body; msgType: string; resCnt?: string; deadlineMs: number }>
> = {
  sms: {
    body: { ...DOMESTIC, from: '021', text: 'hi', originCID: '123' },
    msgType: 'SM',
    deadlineMs: DEADLINES.textMs,
  },
  mms: {
    body: { ...DOMESTIC, from: '021', text: 'hi', title: 'news', fileKey: ['a', 'b'] },
    msgType: 'MM',
    deadlineMs: DEADLINES.mmsMs,
  },
  international: {
    body: { to: '+14155550123', from: '021', text: 'x'.repeat(161), ref: 'order-1' },
    msgType: 'IM',
    resCnt: '2',
    deadlineMs: DEADLINES.textMs,
  },
  rcs: {
    body: {
      ...DOMESTIC,
      from: '021',
      formatId: 'SL000000',
      brandKey: 'BR.1',
      expiryOption: '4',
      ttl: '60',
      content: {
        standalone: {
          title: 'news',
          text: 'hi',
          button: [{ type: 'URL', name: 'open', url: 'https://shop.example.com' }],
        },
      },
    },
    msgType: 'RL',
    deadlineMs: HOUR,
  },
  alimtalk: {
    body: { ...DOMESTIC, senderKey: 'p1', msgType: 'AI', templateCode: 'T1', text: 'hi', button: [BUTTON] },
    msgType: 'AI',
    deadlineMs: DEADLINES.messengerMs,
  },
  friendtalk: {
    body: {
      ...DOMESTIC,
      senderKey: 'p1',
      msgType: 'FI',
      text: 'hi',
      imgUrl: 'https://files.example.com/a.jpg',
      button: [BUTTON],
    },
    msgType: 'FI',
    deadlineMs: DEADLINES.messengerMs,
  },
  brandmessage: {
    body: {
      ...DOMESTIC,
      senderKey: 'p1',
      sendType: 'basic',
      msgType: 'FT',
      templateCode: 'T1',
      messageVariable: { name: '', count: 2 },
    },
    msgType: 'FT',
    deadlineMs: DEADLINES.messengerMs,
  },
};

function read(channel: Channel, changes: Body = {}): SingleSend & { readonly step: Step } {
  const send = CHANNEL_TABLE[channel].request.readSingle({ ...SAMPLES[channel].body, ...changes });
  assert.ok(!(send instanceof Problem), JSON.stringify(send));
  const [step] = send.flow;
  assert.ok(step);
  return { ...send, step };
}

function requestFor(channel: Channel, step: Step) {
  const { to, ref } = read(channel);
  const msgKey = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000' as MsgKey;
  return equivalentRequest({ msgKey, to, ref, words: undefined, paymentCode: undefined, flow: [step] });
}

for (const channel of CHANNELS) {
  test(`${channel}: the equivalent request reads as the message it was made from`, () => {
    const { step, to, ref } = read(channel);
    const { path, body } = requestFor(channel, step);
    assert.equal(path, `/v1/send/${channel}`);
    assert.deepEqual(CHANNEL_TABLE[channel].request.readSingle(body), { to, ref, flow: [step] });
  });

  test(`${channel}: has the report words and the deadline of its kind`, () => {
    const { step } = read(channel);
    const { msgType, resCnt, deadlineMs } = SAMPLES[channel];
    assert.deepEqual(describeStep(step), { serviceType: channel.toUpperCase(), msgType, resCnt });
    assert.equal(channelOf(step).deadlineMs(step, DEADLINES), deadlineMs);
  });
}

for (const channel of FLOW_CHANNELS) {
  test(`${channel}: an entry of a flow reads as the single send does`, () => {
    const { step } = read(channel);
    const entries = [{ [channel]: channelOf(step).request.write(step) }];
    assert.deepEqual(parseMessageFlow(entries, 'final', 'messageFlow'), [step]);
  });
}

test('international messages have no place in a flow, whose recipients are domestic', () => {
  assert.deepEqual(
    CHANNELS.filter(channel => !FLOW_CHANNELS.includes(channel)),
    ['international'],
  );
});

test('what a single send cannot say is an equivalent combined send', () => {
  for (const channel of ['sms', 'mms'] as const) {
    const { step } = read(channel);
    assert.equal(requestFor(channel, { ...step, ttl: '60' } as Step).path, '/v1/send/omni');
  }
  const { brandKey, ...unbranded } = read('rcs').step as Step & { channel: 'rcs' };
  assert.equal(requestFor('rcs', unbranded).path, '/v1/send/omni');
});

test('the kind of an issued template, which the registry knows, is not part of a request', () => {
  const { step } = read('rcs', { formatId: 'TPL.1', content: { template: { name: 'Kim' } } });
  const completed = { ...step, templateKind: 'cell' } as Step;
  assert.equal(describeStep(completed).msgType, 'RC');
  const again = CHANNEL_TABLE.rcs.request.readSingle(requestFor('rcs', completed).body);
  assert.deepEqual('flow' in again && again.flow, [step]);
});

/** By its flag where it has one, and by its mark at the head of a text whatever the flag says. */
const ADVERTISEMENTS: Readonly<Record<Channel, { yes: readonly Body[]; no: Body }>> = {
  sms: { yes: [{ text: ' (광고) sale' }], no: { text: 'sale (광고)' } },
  mms: { yes: [{ text: '(광고) sale' }, { title: '(광고) sale' }], no: { text: 'sale' } },
  international: { yes: [{ text: '(광고) sale' }], no: { text: 'sale' } },
  rcs: {
    yes: [{ header: '1', footer: '080-1' }, { content: { standalone: { text: '(광고) sale' } } }],
    no: { header: '0' },
  },
  alimtalk: { yes: [{ text: '(광고) sale' }], no: {} },
  friendtalk: { yes: [{}, { adFlag: 'N', text: '(광고) sale' }], no: { adFlag: 'N' } },
  brandmessage: { yes: [{ adFlag: 'Y' }, { adFlag: 'N', text: '(광고) sale' }], no: { adFlag: 'N' } },
};

for (const channel of CHANNELS) {
  test(`${channel}: recognises advertisements`, () => {
    const isOne = (changes: Body) => {
      const { step } = read(channel, changes);
      return isAdvertisement(step);
    };
    const { yes, no } = ADVERTISEMENTS[channel];
    for (const changes of yes) assert.equal(isOne(changes), true, JSON.stringify(changes));
    assert.equal(isOne(no), false);
  });
}
