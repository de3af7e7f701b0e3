/** A service that goes wrong: what that means for messages, reports and the carrier. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '../../harness/until.ts';
import { gated } from '../gated.ts';
import { RecordingHost } from '../recording-host.ts';
import { type Fault, success } from './omni-service.ts';
import { omniCarrier, omniScene, submission, submitOne } from './omni-under-test.ts';

/** A fault at one path, as often as told. */
function at(
  path: string,
  answer: (...call: Parameters<Fault>) => void,
  times = Number.POSITIVE_INFINITY,
): Fault {
  let left = times;
  return (request, response) => {
    if (request.path !== path || left <= 0) return false;
    left--;
    answer(request, response);
    return true;
  };
}

const SMS = '/v1/send/sms';

test('answers that are late, cut short or not of the contract leave the outcome unknown, and nothing is sent twice', async t => {
  const { service, carrier, clock } = await omniScene(t, { timeout: '30s' });
  const faults: Fault[] = [
    at(SMS, (_, response) =>
      response.writeHead(200, { 'content-length': '100' }).end('{"code":"A0'.padEnd(50)),
    ),
    at(SMS, (_, response) => response.destroy()),
    at(SMS, (_, response) => response.writeHead(500).end('<html>')),
    at(SMS, (_, response) => response.writeHead(504).end()),
    at(SMS, (_, response) => response.writeHead(200).end('{"code":"A000","res')),
    at(SMS, (_, response) => service.answer(response, 200, { code: 'A000', result: 'Success' })),
    at(SMS, (_, response) => service.answer(response, 400, { code: 'A301', result: 'used' })),
    at(SMS, (_, response) => service.answer(response, 200, { code: 'A000', msgKey: 'k'.repeat(1000) })),
  ];
  for (const fault of faults) {
    service.fault = fault;
    assert.equal((await submitOne(carrier)).kind, 'unknown');
  }
  assert.equal(service.at(SMS).length, faults.length);

  service.fault = at(SMS, () => {});
  const slow = submitOne(carrier);
  await until('it is asked', () => service.at(SMS).length > faults.length);
  clock.advance(30_000);
  assert.equal((await slow).kind, 'unknown');
});

test('codes of the service become outcomes', async t => {
  const { service, carrier } = await omniScene(t);
  const outcomeOf = async (status: number, code: string, headers = {}) => {
    service.fault = at(SMS, (_, response) =>
      service.answer(response, status, { code, result: 'why' }, headers),
    );
    return submitOne(carrier);
  };
  const fault = 'the service answered A999 why';
  const trouble = { kind: 'temporary', reportCode: '22000', isCarriersFault: true };
  assert.deepEqual(await outcomeOf(400, 'A327'), {
    kind: 'permanent',
    reportCode: '23023',
    detail: 'A327 why',
  });
  assert.deepEqual(await outcomeOf(400, 'A399'), {
    kind: 'permanent',
    reportCode: '23009',
    detail: 'A399 why',
  });
  const failed = { kind: 'temporary', reportCode: '22000', detail: 'A999 why', fault };
  assert.deepEqual(await outcomeOf(500, 'A999'), failed);
  assert.deepEqual(await outcomeOf(503, 'A920'), { ...trouble, detail: 'A920 why' });
  assert.deepEqual(await outcomeOf(429, 'A020'), { ...trouble, isThrottled: true });
  assert.deepEqual(await outcomeOf(429, 'A020', { 'retry-after': '3' }), {
    ...trouble,
    isThrottled: true,
    retryAfterMs: 3000,
  });
});

test('a token that is revoked is fetched anew once, by one login for all', async t => {
  const { service, carrier, eventually } = await omniScene(t);
  await eventually(
    'the first login',
    () => service.logins === 1 && service.at('/v1/report/polling').length > 0,
  );
  service.tokens.clear();
  const answers = await Promise.all(
    carrier.submit(Array.from({ length: 20 }, (_, index) => submission({ text: `text ${index}` }))),
  );
  assert.ok(answers.every(({ kind }) => kind === 'accepted'));
  assert.equal(service.logins, 2);

  service.fault = (request, response) => {
    if (request.path === '/v1/auth/token') return false;
    service.answer(response, 401, { code: 'A001', result: 'Expired token' });
    return true;
  };
  const before = service.at(SMS).length;
  const answer = await submitOne(carrier);
  assert.ok(answer.kind === 'temporary' && answer.isCarriersFault);
  assert.equal(service.at(SMS).length, before + 2, 'not again and again');
});

test('a refused account makes the carrier rest at once with an error in the log, until it works again', async t => {
  const scene = await omniScene(t, { breaker: { pause: '5s' } });
  const { service, carrier, host, clock, eventually } = scene;
  const gate = gated(scene);
  await eventually('it polls', () => service.at('/v1/report/polling').length > 0);
  service.fault = at(SMS, (_, response) =>
    service.answer(response, 403, { code: 'A110', result: 'Blocked account' }),
  );
  const answer = await submitOne(carrier);
  assert.ok(answer.kind === 'temporary' && answer.isCarriersFault);
  gate.hear(answer);
  const { state, detail } = gate.status();
  assert.deepEqual([state, detail], ['down', 'the service refuses our account: A110 Blocked account']);
  assert.ok(host.notices.includes('accountRefused'));
  service.fault = () => false;
  clock.advance(5000);
  assert.equal(gate.room(), 1);
  gate.hear(await submitOne(carrier));
  assert.deepEqual([gate.status().state, gate.told], ['up', ['resting', 'recovered']]);
});

test('an exhausted quota at the service is a fault of our account, not of each message', async t => {
  const scene = await omniScene(t);
  const gate = gated(scene);
  scene.service.fault = at(SMS, (_, response) =>
    scene.service.answer(response, 400, { code: 'A320', result: 'Message quota is used up' }),
  );
  const answer = await submitOne(scene.carrier);
  assert.ok(answer.kind === 'temporary' && answer.isCarriersFault);
  assert.match(gate.status().detail, /A320 Message quota is used up/);
});

test('a wrong password lets it rest before the first message', async t => {
  const { service, carrier, clock } = await omniCarrier(t, { password: 'wrong' });
  const host = new RecordingHost();
  const gate = gated({ carrier, clock, host });
  await carrier.start(host);
  t.after(() => carrier.close());
  await until('it rests', () => {
    clock.advance(500);
    return gate.told.length > 0;
  });
  assert.match(gate.status().detail, /A100 Invalid authentication information/);
  const answer = await submitOne(carrier);
  assert.ok(answer.kind === 'temporary' && answer.isCarriersFault);
  assert.equal(service.taken.length, 0);
  assert.deepEqual((await carrier.test()).isOk, false);
});

test('reports: a batch repeated, a DELETE refused, duplicates and strangers change nothing', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  const one = submission();
  assert.equal((await submitOne(carrier, one)).kind, 'accepted');
  const [taken] = service.taken;
  assert.ok(taken);
  service.report(taken, '10000');
  service.report({ msgKey: 'X1', ref: 'an order of somebody else' }, '10000');
  service.report({ msgKey: '', ref: taken.ref }, '10000');
  let refused = 0;
  service.fault = ({ method }, response) => {
    if (method !== 'DELETE' || refused >= 3) return false;
    const [status, code] =
      [
        [500, 'A999'],
        [429, 'A020'],
        [400, 'A805'],
      ][refused++] ?? [];
    service.answer(response, Number(status), { code, result: 'no' });
    return true;
  };
  await eventually('the batch is deleted', () => service.deleted.length === 1);
  const receipt = { ref: taken.msgKey, attemptId: one.attemptId, reportCode: '10000' };
  assert.deepEqual(
    host.receipts,
    host.receipts.map(() => receipt),
  );
  assert.equal(refused, 3);
  assert.ok(host.receipts.length >= 4, 'the batch came again each time');
  const notices = new Set(host.notices);
  for (const name of [
    'pollFailed',
    'batchDeletedBefore',
    'batchRepeated',
    'foreignReports',
    'unreadableReports',
  ]) {
    assert.ok(notices.has(name), name);
  }
  assert.equal(carrier.status().state, 'up');
});

test('a batch without an id is settled, and fetched again with pauses, as it cannot be deleted', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  await submitOne(carrier);
  const [taken] = service.taken;
  assert.ok(taken);
  const records = Array.from({ length: 500 }, () => ({ ...taken, reportCode: '10000' }));
  service.fault = ({ path }, response) => {
    if (path !== '/v1/report/polling') return false;
    service.answer(response, 200, success({ data: { report: records } }));
    return true;
  };
  await eventually('it is told', () => host.notices.includes('pollFailed'));
  assert.equal(host.receipts.length, 500);
  assert.deepEqual(service.deleted, []);
});

test('reports that could not be settled are not deleted', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  host.refusals = 2;
  await submitOne(carrier);
  await eventually('it was tried twice', () => host.calls.length >= 2);
  assert.deepEqual(service.deleted, []);
  await eventually('it is settled, then deleted', () => service.deleted.length === 1);
  assert.equal(host.receipts.length, 1);
});

test('without permission to fetch reports the status says so', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  service.fault = ({ path }, response) => {
    if (path !== '/v1/report/polling') return false;
    service.answer(response, 403, { code: 'A802', result: 'No permission to Pull API' });
    return true;
  };
  await eventually('it was tried', () => host.notices.includes('pollFailed'));
  assert.equal(carrier.status().hint, 'reports cannot be fetched: A802 No permission to Pull API');
  assert.deepEqual(await carrier.test(), {
    isOk: false,
    detail: `${service.url}: logged in, but reports cannot be fetched: A802 No permission to Pull API`,
  });
  service.fault = () => false;
  await eventually('it works', () => carrier.status().hint === undefined);
});

for (const [name, aheadSeconds] of [
  ['ahead', 3600],
  ['behind', -3600],
] as const) {
  test(`their clock an hour ${name}: the token lasts as long as they say, and the test tells`, async t => {
    const { service, carrier, clock, eventually } = await omniScene(t, { idleInterval: '1h' });
    service.aheadSeconds = aheadSeconds;
    await eventually('the first login', () => service.logins === 1);
    assert.equal((await submitOne(carrier)).kind, 'accepted');
    clock.advance(86_400_000 - 120_000);
    assert.equal((await submitOne(carrier)).kind, 'accepted');
    assert.equal(service.logins, 1, 'not before its end');
    clock.advance(60_000);
    assert.equal((await submitOne(carrier)).kind, 'accepted');
    assert.equal(service.logins, 2, 'before its end');
    const result = await carrier.test();
    assert.equal(result.isOk, false);
    assert.match(
      result.detail,
      new RegExp(`its clock is 3600 s ${name === 'ahead' ? 'ahead of' : 'behind'} ours`),
    );
  });
}

test('the test passes, and sends and deletes nothing', async t => {
  const { service, carrier, eventually } = await omniScene(t);
  await eventually('it polls', () => service.at('/v1/report/polling').length > 0);
  service.report({ msgKey: 'M1', ref: 'x' }, '10000');
  assert.deepEqual(await carrier.test(), {
    isOk: true,
    detail: `${service.url}: logged in, reports can be fetched, clocks agree`,
  });
  assert.deepEqual([service.taken.length, service.deleted.length], [0, 0]);
});

test('a send with an outcome that the service does not know is repeated with the same key', async t => {
  const { service, carrier, eventually } = await omniScene(t);
  const doubt = at(
    SMS,
    (_, response) =>
      service.answer(response, 503, { code: 'A920', result: 'unknown' }, { 'x-outcome': 'unknown' }),
    2,
  );
  service.fault = doubt;
  let answer: unknown;
  submitOne(carrier).then(given => {
    answer = given;
  });
  await eventually('it is taken', () => answer);
  assert.deepEqual(answer, { kind: 'accepted', refs: ['M1'] });
  const keys = service.at(SMS).map(({ headers, body }) => `${headers['idempotency-key']} ${body}`);
  assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);

  service.fault = (request, response) => {
    const isFirst = service.at(SMS).length === 4;
    return request.path === SMS && (isFirst ? doubtful(response) : refused(response));
  };
  const doubtful = (response: Parameters<Fault>[1]) => {
    service.answer(response, 503, { code: 'A920', result: 'unknown' }, { 'x-outcome': 'unknown' });
    return true;
  };
  const refused = (response: Parameters<Fault>[1]) => {
    service.answer(response, 429, { code: 'A020', result: 'later' });
    return true;
  };
  answer = undefined;
  submitOne(carrier).then(given => {
    answer = given;
  });
  await eventually('it is given up', () => answer);
  assert.deepEqual(
    answer,
    { kind: 'unknown', fault: 'it is not known what the service did' },
    'a refusal of the repetition says nothing of the first try',
  );
});

test('a repeatable service is sent the same call again when an answer is lost', async t => {
  const { service, carrier, eventually } = await omniScene(t, { repeatable: true });
  service.fault = at(SMS, (_, response) => response.destroy(), 1);
  let answer: unknown;
  submitOne(carrier).then(given => {
    answer = given;
  });
  await eventually('it is taken', () => answer);
  assert.deepEqual(answer, { kind: 'accepted', refs: ['M1'] });
  assert.equal(new Set(service.at(SMS).map(({ headers }) => headers['idempotency-key'])).size, 1);
  assert.equal(carrier.capabilities.repeatableForMs, 86_400_000);
});
