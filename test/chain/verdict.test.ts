import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolledRecord } from '../long-runs/pollers.ts';
import type { Told } from '../long-runs/senders.ts';
import type { CoreMessage } from './core-ledger.ts';
import type { SentToEdge } from './senders.ts';
import { judge } from './verdict.ts';

const TO = '01012345678';

function record(serviceType: string, reportCode: string, carrier = 'SKT'): PolledRecord {
  return { msgKey: 'key', serviceType, reportCode, carrier };
}

function inCore(serviceType: string, reportCode: string | null, carrier: string | null = 'SKT'): CoreMessage {
  return { msgKey: `core ${serviceType}`, serviceType, reportCode, carrier, resCnt: null, waits: null };
}

/** One message with an SMS after its RCS. */
function judged(told: Told, records: readonly PolledRecord[], core: readonly CoreMessage[]) {
  const sent: SentToEdge = { told, flow: ['RCS', 'SMS'], ...(told === 'accepted' && { msgKey: 'key' }) };
  const { lost, doubled, refusedAndSent, misreported, unknown } = judge(
    new Map([[TO, sent]]),
    new Map([['batch', records]]),
    new Map(core.length > 0 ? [[TO, core]] : []),
  );
  const found = { lost, doubled, refusedAndSent, misreported, unknown };
  return Object.fromEntries(
    Object.entries(found)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => [name, list.length]),
  );
}

test('one record for each step that was tried, as the core has it, is well', () => {
  assert.deepEqual(judged('accepted', [record('RCS', '10000')], [inCore('RCS', '10000')]), {});
  const steps = [record('RCS', '33101'), record('SMS', '10000')];
  assert.deepEqual(judged('accepted', steps, [inCore('RCS', '33101'), inCore('SMS', '10000')]), {});
  assert.deepEqual(judged('doubtful', [], [inCore('RCS', '10000')]), {});
});

test('a message without its last record is lost', () => {
  assert.deepEqual(judged('accepted', [], []), { lost: 1 });
  assert.deepEqual(judged('accepted', [record('RCS', '33101')], [inCore('RCS', '33101')]), { lost: 1 });
});

test('a message that the core has twice, or that was reported twice, is doubled', () => {
  const once = record('RCS', '10000');
  assert.equal(judged('accepted', [once], [inCore('RCS', '10000'), inCore('RCS', '10000')]).doubled, 1);
  assert.equal(judged('accepted', [once, once], [inCore('RCS', '10000')]).doubled, 1);
});

test('a record must say what the core says, and only of what the core had', () => {
  assert.deepEqual(judged('accepted', [record('RCS', '10000')], [inCore('RCS', null)]), { misreported: 1 });
  assert.deepEqual(judged('accepted', [record('RCS', '10000')], [inCore('RCS', '10000', 'KTF')]), {
    misreported: 1,
  });
  assert.deepEqual(judged('accepted', [record('RCS', '10000')], []), { misreported: 1 });
  const both = [inCore('RCS', '10000'), inCore('SMS', '10000')];
  assert.deepEqual(judged('accepted', [record('RCS', '10000')], both), { misreported: 1 });
});

test('what expired and never reached the core is unknown', () => {
  const steps = [record('RCS', '32000'), record('SMS', '10000')];
  assert.deepEqual(judged('accepted', steps, [inCore('SMS', '10000')]), { unknown: 1 });
  assert.deepEqual(judged('accepted', steps, [inCore('RCS', '10000'), inCore('SMS', '10000')]), {
    misreported: 1,
  });
});

test('what was refused for certain must not be in the core', () => {
  assert.deepEqual(judged('refused', [], [inCore('RCS', '10000')]), { refusedAndSent: 1 });
});
