import assert from 'node:assert/strict';
import test from 'node:test';
import { detailsText } from '../../console/src/audit/audit-details.ts';
import { en } from '../../console/src/words/en.ts';
import { ko } from '../../console/src/words/ko.ts';
import { auditedActions } from '../harness/audited-actions.ts';

const DETAILS: readonly (readonly [details: unknown, text: string])[] = [
  [{}, ''],
  [undefined, ''],
  [{ paused: true }, 'paused: true'],
  [{ settings: { sendRate: 7 }, before: { settings: { sendRate: 5 } } }, 'sendRate: 5 → 7'],
  [{ settings: { webhookUrl: null }, before: { settings: { webhookUrl: 'x' } } }, 'webhookUrl: x → –'],
  [{ blocked: true, before: { blocked: false } }, 'blocked: false → true'],
  [{ entries: 2, kinds: ['sender'], keys: ['021', '022'] }, 'entries: 2, kinds: sender, keys: 021 022'],
  [{ account: null, counts: { messages: 3 } }, 'account: –, counts.messages: 3'],
];

test('the details of an audit entry are told as a person reads them', () => {
  for (const [details, text] of DETAILS) assert.equal(detailsText(details), text);
});

test('the console has a name for every action of the audit log, in both languages', () => {
  for (const action of auditedActions()) {
    assert.ok(Object.hasOwn(en.audit.actions, action), action);
    assert.ok(Object.hasOwn(ko.audit.actions, action), action);
  }
});
