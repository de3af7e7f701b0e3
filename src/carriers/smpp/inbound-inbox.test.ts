import assert from 'node:assert/strict';
import test from 'node:test';
import { RecordingHost } from '../../../test/carriers/recording-host.ts';
import { until } from '../../../test/harness/until.ts';
import { excessiveGrowth } from '../../../test/hostile/growth.ts';
import { ManualClock } from '../../platform/clock.ts';
import type { CarrierInbound } from '../carrier.ts';
import { InboundInbox } from './inbound-inbox.ts';

const saying = (text: string): CarrierInbound => ({
  from: '+821012345678',
  to: '15881234',
  content: { kind: 'text', text },
});

/** A session whose other side does not answer enquire_link. */
const mute = () => ({ enquire: async () => false });

function numbersOf({ inbound }: RecordingHost): (number | undefined)[] {
  return inbound.map(({ content }) => (content.kind === 'text' ? content.occurrence : undefined));
}

test('a flood of one text takes time that grows with it, and not faster', async () => {
  const host = new RecordingHost();
  let taken = 0;
  const growth = excessiveGrowth(
    length => '1'.repeat(length),
    2048,
    text => {
      const inbox = new InboundInbox(host, new ManualClock(0));
      const session = mute();
      for (const word of text) inbox.take(saying(word), () => taken++, session);
    },
  );
  assert.equal(growth, undefined);
  await until('all are answered', () => taken === host.inbound.length);
});

test('what is not confirmed is kept in bounded number, and the same words still are another message', async () => {
  const host = new RecordingHost();
  const inbox = new InboundInbox(host, new ManualClock(0));
  const session = mute();
  const say = async (texts: readonly string[]) => {
    const before = host.inbound.length;
    for (const text of texts) inbox.take(saying(text), () => {}, session);
    await until('they are handed on', () => host.inbound.length === before + texts.length);
  };
  await say(Array.from({ length: 500 }, () => 'yes'));
  assert.deepEqual(numbersOf(host), [...Array(500).keys()]);
  await say(Array.from({ length: 10_000 }, (_, index) => String(index)));
  await say(['yes']);
  assert.equal(numbersOf(host).at(-1), 500);
});

test('words whose confirmation failed are not taken for a repeat', async () => {
  const host = new RecordingHost();
  const clock = new ManualClock(0);
  const inbox = new InboundInbox(host, clock);
  const session = { enquire: async () => true };
  let confirmations = 0;
  host.confirmInbound = async () => {
    confirmations++;
    throw new Error('the store is away');
  };
  inbox.take(saying('yes'), () => {}, session);
  await until('it is confirmed', () => {
    clock.advance(1000);
    return confirmations === 1;
  });
  inbox.take(saying('yes'), () => {}, session);
  await until('it is handed on', () => host.inbound.length === 2);
  assert.deepEqual(numbersOf(host), [0, 1]);
});
