/** Several recipients in one call, once the service has shown that it names each of them in its reports. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import test from 'node:test';
import type { SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { gated } from '../gated.ts';
import { type Json, success } from './omni-service.ts';
import { omniScene, submission } from './omni-under-test.ts';

const OMNI = '/v1/send/omni';

function many(count: number) {
  return Array.from({ length: count }, (_, index) => submission({ to: `0101111000${index % 10}` }));
}

test('a trial, then ten at once; each destination is judged by its own code', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  const accepted = (answers: readonly SubmitAnswer[]) => answers.every(({ kind }) => kind === 'accepted');
  assert.ok(accepted(await Promise.all(carrier.submit(many(3)))));
  assert.deepEqual([service.at(OMNI).length, service.at('/v1/send/sms').length], [1, 2]);
  await eventually('the report of the trial', () => host.receipts.length === 3);

  const batch = many(10);
  assert.ok(accepted(await Promise.all(carrier.submit(batch))));
  assert.equal(service.at(OMNI).length, 2);
  await eventually('their reports', () => host.receipts.length === 13);
  const named = host.receipts.slice(3).map(receipt => 'attemptId' in receipt && receipt.attemptId);
  assert.deepEqual(
    named,
    batch.map(({ attemptId }) => attemptId),
  );

  service.fault = ({ path, body }, response) => {
    if (path !== OMNI) return false;
    const [first, second, third, fourth] = JSON.parse(body).destinations as Json[];
    const destinations = [
      { to: second?.to, msgKey: null, code: 'A306', result: 'no such number' },
      { to: first?.to, msgKey: 'K1', code: 'A000', result: 'Success' },
      { to: third?.to, code: 'A020', result: 'too fast' },
      { to: fourth?.to, code: 'A999', result: 'oops' },
    ];
    service.answer(response, 200, success({ data: { destinations } }));
    return true;
  };
  const answers = await Promise.all(carrier.submit(many(5)));
  const isToldBefore = true;
  assert.deepEqual(answers, [
    { kind: 'accepted', refs: ['K1'] },
    { kind: 'permanent', reportCode: '23003', detail: 'A306 no such number', isToldBefore },
    { kind: 'temporary', reportCode: '22000', isCarriersFault: true, isThrottled: true, isToldBefore },
    { kind: 'temporary', reportCode: '22000', detail: 'A999 oops', isToldBefore },
    { kind: 'unknown', fault: 'the answer of the service has no result for a recipient', isToldBefore },
  ]);

  service.fault = ({ path }, response) => {
    if (path !== OMNI) return false;
    response.destroy();
    return true;
  };
  const lost = await Promise.all(carrier.submit(many(4)));
  assert.deepEqual(
    lost.map(({ kind }) => kind),
    Array(4).fill('unknown'),
  );
});

test('a node that does not fetch reports asks for that of its trial', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  host.isPolling = false;
  assert.equal(service.keepsDestinationRefs, true);
  await Promise.all(carrier.submit(many(3)));
  const isAsked = () => service.provider.requests.some(({ path }) => path.startsWith('/v1/report/inquiry/'));
  await eventually('it is asked', isAsked);
  await eventually('ten go in one call', async () => {
    await Promise.all(carrier.submit(many(10)));
    return service.bodies(OMNI).some(({ destinations }) => (destinations as Json[]).length === 10);
  });
  assert.equal(host.receipts.length, 0);
});

test('a service that names the whole request only gets every message alone from then on', async t => {
  const { service, carrier, host, eventually } = await omniScene(t);
  service.keepsDestinationRefs = false;
  const batch = many(3);
  await Promise.all(carrier.submit(batch));
  await eventually('the reports', () => host.receipts.length === 3);
  const named = host.receipts.map(receipt => 'attemptId' in receipt && receipt.attemptId);
  assert.deepEqual(new Set(named), new Set(batch.map(({ attemptId }) => attemptId)));
  await Promise.all(carrier.submit(many(3)));
  assert.deepEqual([service.at(OMNI).length, service.at('/v1/send/sms').length], [1, 5]);
});

test('a service that does not take such sends gets single ones, and nothing is lost', async t => {
  const { service, carrier } = await omniScene(t);
  service.fault = ({ path, body }, response) => {
    if (path !== OMNI || !body.includes('"ref":"d-')) return false;
    service.answer(response, 400, { code: 'A011', result: 'unknown member "ref"' });
    return true;
  };
  const answers = await Promise.all(carrier.submit(many(3)));
  assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['accepted']));
  const withTtl = await Promise.all(carrier.submit([submission({ ttl: '60' } as object)]));
  assert.deepEqual(
    withTtl.map(({ kind }) => kind),
    ['accepted'],
  );
  assert.deepEqual(service.bodies(OMNI).at(-1)?.destinations, [{ to: '01012345678' }]);
});

test('a call of ten counts once: as taken where any of them is, otherwise as one fault', async t => {
  const { service, carrier, clock, host, eventually } = await omniScene(t);
  const { hear, room, told } = gated({ carrier, clock, host });
  await Promise.all(carrier.submit(many(3)));
  await eventually('the report of the trial', () => host.receipts.length === 3);
  let answer: (destinations: Json[], response: ServerResponse) => void = (_, response) => response.destroy();
  service.fault = ({ path, body }, response) => {
    if (path !== OMNI) return false;
    answer(JSON.parse(body).destinations, response);
    return true;
  };
  const submitTen = async () => hear(...(await Promise.all(carrier.submit(many(10)))));
  for (let calls = 1; calls <= 4; calls++) await submitTen();
  assert.equal(room(), Number.POSITIVE_INFINITY);
  const codes = ['A810', 'A306', ...Array(8).fill('A000')];
  answer = (destinations, response) => {
    const results = destinations.map(({ to }, index) => ({
      to,
      msgKey: 'K',
      code: codes[index],
      result: '',
    }));
    service.answer(response, 200, success({ data: { destinations: results } }));
  };
  for (let calls = 1; calls <= 4; calls++) await submitTen();
  answer = (_, response) => response.destroy();
  await submitTen();
  assert.deepEqual([room(), told], [0, ['resting']]);
});
