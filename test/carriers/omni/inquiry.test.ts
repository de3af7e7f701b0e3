/** Reports that polling did not bring, or not whole. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { success } from './omni-service.ts';
import { omniScene, submission, submitOne } from './omni-under-test.ts';

test('a message that stays silent is asked for, once, shortly before its deadline', async t => {
  const { service, carrier, host, clock, eventually } = await omniScene(t);
  service.reportsAtOnce = undefined;
  const one = submission();
  assert.equal((await submitOne(carrier, one)).kind, 'accepted');
  await eventually('it polls', () => service.at('/v1/report/polling').length > 0);
  service.fault = ({ path }, response) => {
    if (!path.startsWith('/v1/report/inquiry/')) return false;
    const isKnown = path.endsWith('/M1');
    const report = isKnown ? [{ msgKey: 'M1', ref: one.attemptId, reportCode: '23001' }] : [];
    service.answer(response, 200, success({ data: { report } }));
    return true;
  };
  const deadlineAt = clock.now() + 60_000;
  host.silentMessages.push(
    { attemptId: one.attemptId, deadlineAt, ref: 'M1' },
    { attemptId: submission().attemptId, deadlineAt, ref: 'M7' },
    { attemptId: submission().attemptId, deadlineAt },
  );
  await eventually('it is asked', () => host.receipts.length > 0);
  assert.deepEqual(host.receipts, [{ ref: 'M1', attemptId: one.attemptId, reportCode: '23001' }]);
  const asked = () => service.provider.requests.filter(({ path }) => path.startsWith('/v1/report/inquiry/'));
  assert.equal(asked().length, 2);
  const polls = service.at('/v1/report/polling').length;
  for (let round = 0; round < 3; round++) clock.advance(20_000);
  await eventually('time has passed', () => service.at('/v1/report/polling').length > polls + 1);
  assert.equal(asked().length, 2);

  host.silentMessages.push(
    ...Array.from({ length: 12 }, (_, index) => ({
      attemptId: submission().attemptId,
      deadlineAt,
      ref: `N${index}`,
    })),
  );
  service.fault = ({ path }, response) => {
    if (!path.startsWith('/v1/report/inquiry/')) return false;
    service.answer(response, 429, { code: 'A020', result: 'too fast' });
    return true;
  };
  await eventually('they are asked for', () => asked().length > 2);
  await eventually('it is over', () => host.notices.filter(name => name === 'inquired').length === 2);
  assert.equal(asked().length, 7, 'no more after a refusal');
});

test('the kind of user of a brandmessage is asked for, because polling does not tell it', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  service.reportsAtOnce = undefined;
  const message = {
    channel: 'brandmessage',
    senderKey: 'p',
    sendType: 'basic',
    msgType: 'FT',
    templateCode: 'T',
  };
  const one = submission(message as object);
  await submitOne(carrier, one);
  const [taken] = service.taken;
  assert.ok(taken);
  service.fault = ({ path }, response) => {
    if (!path.startsWith('/v1/report/inquiry/')) return false;
    const report = [{ msgKey: taken.msgKey, ref: taken.ref, reportCode: '10000', userType: 'N' }];
    service.answer(response, 200, success({ data: { report } }));
    return true;
  };
  service.report(taken, '10000', { serviceType: 'BRANDMESSAGE', msgType: 'FT' });
  await eventually('the report is there', () => host.receipts.length === 1);
  assert.deepEqual(host.receipts, [
    { ref: taken.msgKey, attemptId: one.attemptId, reportCode: '10000', userType: 'N' },
  ]);
});
