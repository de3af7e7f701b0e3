/** Reports that polling did not bring, or not whole. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { success } from './omni-service.ts';
import { omniScene, submission, submitOne } from './omni-under-test.ts';

test('a message that stays silent is asked for shortly before its deadline, until it is answered for once', async t => {
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
  const deadlineAt = clock.now() + 600_000;
  host.silentMessages.push(
    { attemptId: one.attemptId, deadlineAt, isInDoubt: false, ref: 'M1' },
    { attemptId: submission().attemptId, deadlineAt, isInDoubt: false, ref: 'M7' },
    { attemptId: submission().attemptId, deadlineAt, isInDoubt: false },
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
      isInDoubt: false,
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

  service.fault = ({ path }, response) => {
    const [, key] = /^\/v1\/report\/inquiry\/(N\d+)$/.exec(path) ?? [];
    if (key === undefined) return false;
    const report =
      key === 'N11' ? [{ msgKey: key, ref: host.silentMessages.at(-1)?.attemptId, reportCode: '10000' }] : [];
    if (key === 'N3') service.answer(response, 400, { code: 'A300', result: 'no such key' });
    else service.answer(response, 200, success({ data: { report } }));
    return true;
  };
  const before = asked().length;
  await eventually('the last of them is answered', () => host.receipts.length > 1);
  const again = asked().slice(before);
  assert.deepEqual(
    again.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)).toSorted(),
    Array.from({ length: 12 }, (_, index) => `N${index}`).toSorted(),
    'all that were not answered, one that is refused for what it is among them',
  );
  for (let round = 0; round < 3; round++) clock.advance(20_000);
  const later = service.at('/v1/report/polling').length;
  await eventually('time has passed', () => service.at('/v1/report/polling').length > later + 1);
  assert.equal(asked().length, before + 12, 'and then no more');
});

test('a message with a nearer deadline that comes later is asked for as well', async t => {
  const { service, host, clock, eventually } = await omniScene(t);
  const asked: string[] = [];
  service.fault = ({ path }, response) => {
    if (!path.startsWith('/v1/report/inquiry/')) return false;
    asked.push(path.slice(path.lastIndexOf('/') + 1));
    service.answer(response, 200, success({ data: { report: [] } }));
    return true;
  };
  const silent = (ref: string, leftMs: number) =>
    host.silentMessages.push({
      attemptId: submission().attemptId,
      deadlineAt: clock.now() + leftMs,
      isInDoubt: false,
      ref,
    });
  silent('alimtalk', 600_000);
  await eventually('the first is asked for', () => asked.length === 1);
  silent('rcs', 500_000);
  await eventually('the second is asked for', () => asked.length === 2);
  assert.deepEqual(asked, ['alimtalk', 'rcs']);
});

test('messages at which the service fails hold up no other', async t => {
  const { service, host, clock, eventually } = await omniScene(t);
  service.fault = ({ path }, response) => {
    const [, key] = /^\/v1\/report\/inquiry\/(\w+)$/.exec(path) ?? [];
    if (key === undefined) return false;
    if (key === 'well')
      service.answer(response, 200, success({ data: { report: [{ msgKey: key, reportCode: '10000' }] } }));
    else service.answer(response, 500, { code: 'A999', result: 'oops' });
    return true;
  };
  const deadlineAt = clock.now() + 600_000;
  for (const ref of [...Array.from({ length: 60 }, (_, index) => `broken${index}`), 'well'])
    host.silentMessages.push({ attemptId: submission().attemptId, deadlineAt, isInDoubt: false, ref });
  await eventually('the last is answered for', () => host.receipts.length > 0);
});

test('a send without an answer is looked for by its reference, where the service lists messages by it', async t => {
  const { service, host, clock, eventually } = await omniScene(t);
  await eventually('it polls', () => service.at('/v1/report/polling').length > 0);
  const [found, lost, unasked] = [submission(), submission(), submission()];
  const refs: (string | null)[] = [];
  service.fault = ({ path, query }, response) => {
    if (path !== '/v1/message/history') return false;
    const ref = query.get('ref');
    refs.push(ref);
    const isListed = refs.length <= 5;
    const messages = ref === `d-${found.attemptId}` ? [{ msgKey: 'M5', ref }] : [{ msgKey: 'M6', ref: 'x' }];
    if (isListed) service.answer(response, 200, success({ data: { messages } }));
    else service.answer(response, 404, { code: 'A300', result: 'no such path' });
    return true;
  };
  const silent = ({ attemptId }: typeof found) => ({
    attemptId,
    deadlineAt: clock.now() + 600_000,
    isInDoubt: true,
  });
  const lists = service.fault;
  let refused = 0;
  service.fault = ({ path }, response) => {
    if (path !== '/v1/message/history') return false;
    refused++;
    service.answer(response, 503, {});
    return true;
  };
  host.silentMessages.push(silent(found), silent(lost));
  await eventually('it is looked for in vain', () => refused === 1);
  service.fault = lists;
  await eventually('it is found', () => host.lateAnswers.length > 0);
  assert.deepEqual(host.lateAnswers, [
    { attemptId: found.attemptId, answer: { kind: 'accepted', refs: ['M5'] } },
  ]);
  await eventually('the other is not', () => refs.length === 5);
  assert.deepEqual(refs, [
    found.attemptId,
    `d-${found.attemptId}`,
    lost.attemptId,
    `d-${lost.attemptId}`,
    `1-${lost.attemptId}`,
  ]);
  host.silentMessages.push(silent(unasked));
  await eventually('it is refused three times', () => refs.length === 8);
  const duringRest = submission();
  host.silentMessages.push(silent(duringRest));
  await eventually('others are looked for later', () => {
    host.silentMessages.push(silent(submission()));
    return refs.length > 8;
  });
  assert.ok(!refs.includes(duringRest.attemptId), 'no search for a while');
});

test('a search that is refused once says nothing of the others', async t => {
  const { service, host, clock, eventually } = await omniScene(t);
  const [refused, found] = [submission(), submission()];
  service.fault = ({ path, query }, response) => {
    if (path !== '/v1/message/history') return false;
    const ref = query.get('ref') ?? '';
    if (ref.endsWith(refused.attemptId)) service.answer(response, 400, { code: 'A300', result: 'no' });
    else service.answer(response, 200, success({ data: { messages: [{ msgKey: 'M5', ref }] } }));
    return true;
  };
  const deadlineAt = clock.now() + 600_000;
  for (const { attemptId } of [refused, found])
    host.silentMessages.push({ attemptId, deadlineAt, isInDoubt: true });
  await eventually('the other is found', () => host.lateAnswers.length > 0);
  assert.equal(host.lateAnswers[0]?.attemptId, found.attemptId);
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

test('a search that the service cannot make now is made again', async t => {
  const { service, host, clock, eventually } = await omniScene(t);
  const one = submission();
  let isBusy = true;
  let searches = 0;
  service.fault = ({ path, query }, response) => {
    if (path !== '/v1/message/history') return false;
    searches++;
    const messages = [{ msgKey: 'M5', ref: query.get('ref') }];
    if (isBusy) service.answer(response, 503, { code: 'A920', result: 'busy' });
    else service.answer(response, 200, success({ data: { messages } }));
    return true;
  };
  host.silentMessages.push({
    attemptId: one.attemptId,
    deadlineAt: clock.now() + 86_400_000,
    isInDoubt: true,
  });
  await eventually('it is searched for', () => searches > 0);
  const polls = service.at('/v1/report/polling').length;
  await eventually('that round is over', () => service.at('/v1/report/polling').length > polls + 1);
  isBusy = false;
  await eventually('it is found', () => host.lateAnswers.length > 0);
});

test('a message at which the service fails holds up no other', async t => {
  const { service, host, clock, eventually } = await omniScene(t);
  const answered = new Set<string>();
  service.fault = ({ path }, response) => {
    const [, key] = /^\/v1\/report\/inquiry\/(.+)$/.exec(path) ?? [];
    if (key === undefined) return false;
    if (key.startsWith('bad')) service.answer(response, 500, { code: 'A999', result: 'unreadable' });
    else {
      answered.add(key);
      service.answer(response, 200, success({ data: { report: [] } }));
    }
    return true;
  };
  const keys = [...Array.from({ length: 5 }, (_, index) => `bad${index}`), 'good'];
  for (const [index, ref] of keys.entries()) {
    const deadlineAt = clock.now() + 600_000 + index;
    host.silentMessages.push({ attemptId: submission().attemptId, deadlineAt, isInDoubt: false, ref });
  }
  await eventually('the others are asked for', () => host.notices.includes('inquired'));
  assert.deepEqual([...answered], ['good']);
});
