import assert from 'node:assert/strict';
import test from 'node:test';
import type { LiveStep } from '../../domain/delivery/settlement.ts';
import type { MsgKey } from '../../domain/ids.ts';
import { recordsIn } from '../records/records.ts';
import { Database } from './database.ts';
import { liveStepsInHand } from './live-steps.ts';

const stepOf = (msgKey: string) => ({ msgKey: msgKey as MsgKey }) as LiveStep;

test('steps that were accepted are kept unless their texts are long', t => {
  const db = new Database(':memory:', () => {});
  t.after(() => db.close());
  const steps = liveStepsInHand(db, recordsIn(undefined));
  steps.accepted(stepOf('short'), 200);
  steps.accepted(stepOf('long'), 64_000);
  assert.equal(steps.inHand('short' as MsgKey)?.msgKey, 'short');
  assert.equal(steps.inHand('long' as MsgKey), undefined);
});

test('of a long queue the first are kept, and whatever is claimed', t => {
  const db = new Database(':memory:', () => {});
  t.after(() => db.close());
  const steps = liveStepsInHand(db, recordsIn(undefined));
  for (let index = 0; index < 20_000; index++) steps.accepted(stepOf(`key ${index}`), 100);
  assert.ok(steps.inHand('key 0' as MsgKey));
  assert.equal(steps.inHand('key 19999' as MsgKey), undefined);
  steps.keep(stepOf('key 19999'));
  assert.ok(steps.inHand('key 19999' as MsgKey));
});
