/**
 * A carrier that is half well: it is there and takes nothing, or loses much. After five faults its traffic goes by the next
 * carrier of the route, one message at a time finds out when it is well again, and operators are told.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import test, { type TestContext } from 'node:test';
import type { SubmitAnswer } from '../../src/carriers/carrier.ts';
import { refusedByUs } from '../../src/carriers/refused-by-us.ts';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import { json, startProvider } from '../carriers/http/provider-server.ts';
import { type AccountOptions, type TestGateway, testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier, turnAway } from '../harness/scripted-carrier.ts';
import { DELIVERED_REPLY, type Reply, Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

async function gatewayOf(t: TestContext, sky: string, sea: string, options: AccountOptions = {}) {
  const path = configFile(
    `carriers:\n  sky: ${sky}\n  sea: ${sea}\nroutes:\n  - { channel: international, via: [sky, sea] }\n`,
  );
  const { gateway, client } = await testAccount(t, { env: { BONGSU_CONFIG: path }, ...options });
  let sent = 0;
  const send = async (messages: number, text = 'message') => {
    for (let number = 0; number < messages; number++)
      await client.international({ to: `+1415555${1000 + sent++}`, text: `${text} ${sent}` });
  };
  return { gateway, send, path };
}

/** Turns the clock until something is so. */
function inTime<T>(gateway: TestGateway, what: string, isSo: () => T | Promise<T>) {
  return until(what, async () => {
    gateway.clock.advance(100);
    return isSo();
  });
}

/** Sends one message by the first carrier, and gives its submit and the id of its answer. */
async function sendOne(gateway: TestGateway, smsc: Smsc, send: (messages: number) => Promise<void>) {
  await send(1);
  return inTime(gateway, 'it was submitted', () => smsc.submits[0]);
}

const delivered = async (gateway: TestGateway) =>
  /bongsu_receipts_total\{carrier="sky",settled="ended"\} 1$/m.test(
    (await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' })).body,
  );

/** Whether the first carrier has rested at least once: it may be waiting for a probe again. */
async function hasRested(gateway: TestGateway): Promise<boolean> {
  const { body } = await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' });
  return /^bongsu_carrier_notices_total\{carrier="sky",notice="resting"\} [1-9]/m.test(body);
}

async function stateOf(gateway: TestGateway, name: string): Promise<readonly [string, string]> {
  const { carriers } = (await gateway.operator('GET', '/carriers')).body.data;
  const { state, detail } = carriers.find((line: { name: string }) => line.name === name);
  return [state, detail];
}

const FAULTS: readonly (readonly [what: string, answer: SubmitAnswer, lost: number, detail: RegExp])[] = [
  ['answers no submit', { kind: 'unknown', isUnanswered: true }, 5, /submits are not answered$/],
  ['refuses us', turnAway(), 0, /it refuses messages: 22007$/],
  [
    'asks for an hour',
    { ...turnAway(), retryAfterMs: 3_600_000 } as SubmitAnswer,
    0,
    /asked for a long pause/,
  ],
];

for (const [what, answer, lost, detail] of FAULTS) {
  test(`the traffic of a carrier that ${what} goes to the next of its route, and operators see why`, async t => {
    // Five at a time, so that no more are under way when the fifth fault comes.
    const sky = new ScriptedCarrier('sky', { window: 5 });
    const sea = new ScriptedCarrier('sea');
    sky.reply = () => answer;
    sea.reply = accept;
    const { gateway, send } = await gatewayOf(t, '{ kind: simulator }', '{ kind: simulator }', {
      createCarrier: ({ name }) =>
        [sky, sea].find(carrier => carrier.name === name) ?? new ScriptedCarrier(name),
    });
    await send(20);
    await inTime(gateway, 'the rest goes by the other', () => sea.submitted.length >= 20 - lost - 1);
    await inTime(gateway, 'it is told', async () => {
      const [state, says] = await stateOf(gateway, 'sky');
      return state !== 'up' && detail.test(says);
    });
    assert.ok(await hasRested(gateway));
  });
}

test('a resting carrier gets one probe at a time, and the first accepted one ends the rest', async t => {
  const sky = new ScriptedCarrier('sky');
  sky.reply = turnAway;
  const { gateway, send } = await gatewayOf(t, '{ kind: simulator }', '{ kind: simulator }', {
    createCarrier: ({ name }) => (name === 'sky' ? sky : new ScriptedCarrier(name)),
  });
  await gateway.operator('POST', '/carriers/sea/pause');
  await send(30);
  await inTime(gateway, 'it rests', () => hasRested(gateway));
  const before = sky.submitted.length;
  sky.reply = undefined;
  await inTime(gateway, 'a probe goes out', () => sky.submitted.length > before);
  for (let step = 0; step < 30; step++) gateway.clock.advance(100);
  assert.equal(sky.submitted.length, before + 1);
  sky.reply = accept;
  sky.submitted.at(-1)?.answer({ kind: 'accepted', refs: ['probe'] });
  await inTime(gateway, 'all are sent', () => sky.submitted.length >= before + 30);
  await inTime(gateway, 'it is told', async () => (await stateOf(gateway, 'sky'))[0] === 'up');
});

test('after its pause, a carrier waits for a test message and does not count as down', async t => {
  const sky = new ScriptedCarrier('sky', { window: 5 });
  const sea = new ScriptedCarrier('sea');
  sky.reply = () => ({ kind: 'unknown', isUnanswered: true });
  sea.reply = accept;
  const { gateway, send } = await gatewayOf(t, '{ kind: simulator }', '{ kind: simulator }', {
    createCarrier: ({ name }) =>
      [sky, sea].find(carrier => carrier.name === name) ?? new ScriptedCarrier(name),
  });
  await send(5);
  await inTime(gateway, 'it rests', () => hasRested(gateway));
  await gateway.operator('POST', '/carriers/sky/reconnect');
  const [state, detail] = await until('it waits', async () => {
    gateway.clock.advance(100);
    const found = await stateOf(gateway, 'sky');
    return found[0] === 'waiting' && found;
  });
  assert.deepEqual(
    [state, detail],
    ['waiting', 'the next message is a test, after: submits are not answered'],
  );
  const isUp = async () =>
    /^bongsu_carrier_up\{carrier="sky"\} 1$/m.test(
      (await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' })).body,
    );
  await inTime(gateway, 'it does not count as down', isUp);
  const { findings } = (await gateway.operator('GET', '/doctor')).body.data;
  assert.match(
    findings.find(({ detail: says }: { detail: string }) => says.includes('sky')).detail,
    /^The carrier sky is waiting: the next message is a test, after/,
  );
});

test('a half-sent long message does not block the probe of a resting carrier', async t => {
  const sky = new ScriptedCarrier('sky');
  sky.parts = 2;
  const { gateway, send } = await gatewayOf(t, '{ kind: simulator }', '{ kind: simulator }', {
    createCarrier: ({ name }) => (name === 'sky' ? sky : new ScriptedCarrier(name)),
  });
  await gateway.operator('POST', '/carriers/sea/pause');
  await send(1);
  const long = await inTime(gateway, 'it is submitted', () => sky.submitted[0]);
  sky.takePartly(long, { taken: 1, throttled: 0 });
  sky.reply = turnAway;
  await send(10);
  await inTime(gateway, 'it rests', () => hasRested(gateway));
  sky.reply = accept;
  const before = sky.submitted.length;
  await inTime(gateway, 'all are sent', () => sky.submitted.length >= before + 10);
});

const SMSCS: readonly (readonly [what: string, reply: Reply])[] = [
  ['answers no submit', { kind: 'silent' }],
  ['refuses every submit as our account', { kind: 'refuse', status: STATUS.invalidPassword }],
  ['refuses every submit as not bound', { kind: 'refuse', status: 0x04 }],
  ['refuses every submit as a service that is not ours', { kind: 'refuse', status: 0x100 }],
];

for (const [what, reply] of SMSCS) {
  test(`an SMSC that answers enquire_link and ${what} is bound again and tried with single messages`, async t => {
    let isWell = false;
    const sky = await Smsc.listen({ submit: () => (isWell ? DELIVERED_REPLY : reply) });
    const sea = await Smsc.listen();
    t.after(() => Promise.all([sky.close(), sea.close()]));
    const smpp = (port: number) =>
      `{ kind: smpp, host: 127.0.0.1, port: ${port}, systemId: bongsu, password: x, window: 5, responseTimeout: 2s }`;
    const { gateway, send } = await gatewayOf(t, smpp(sky.port), smpp(sea.port));
    await until('both are bound', () => sky.receiver && sea.receiver);
    await send(40);
    await inTime(gateway, 'the other has nearly all', () => sea.submits.length >= 34);
    assert.ok(sky.submits.length <= 25, `${sky.submits.length} tried`);
    if (reply.kind === 'silent') await inTime(gateway, 'it is bound again', () => sky.binds.length > 1);
    isWell = true;
    await inTime(gateway, 'it serves again', async () => {
      await send(1);
      return (await stateOf(gateway, 'sky'))[0] === 'up';
    });
  });
}

const boundTo = (smsc: Smsc, more = '') =>
  `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: x${more} }`;

/** Enough for one carrier of the two to have lost most of them, if nobody noticed. */
const MANY = 60;

const HALF_WELL: readonly (readonly [what: string, reply: (index: number) => Reply, most: number])[] = [
  // Ten are without an answer when the first fault is known, then each probe may cost one more.
  ['answers one submit of five', index => (index % 5 === 4 ? DELIVERED_REPLY : { kind: 'silent' }), 25],
  // Nothing is lost by its answers: each message may have been tried three times in the first minute.
  ['refuses every submit for now', () => ({ kind: 'refuse', status: STATUS.systemError }), 4 * MANY],
];

for (const [what, reply, most] of HALF_WELL) {
  test(`an SMSC that ${what} loses its traffic to the next of the route`, async t => {
    const sky = await Smsc.listen({ submit: (_, index) => reply(index) });
    const sea = await Smsc.listen();
    t.after(() => Promise.all([sky.close(), sea.close()]));
    const { gateway, send } = await gatewayOf(
      t,
      boundTo(sky, ', window: 10, responseTimeout: 10s'),
      boundTo(sea),
    );
    await until('both are bound', () => sky.receiver && sea.receiver);
    await send(MANY);
    await until('the other has the rest', () => {
      gateway.clock.advance(500);
      return sea.submits.length >= MANY - 25;
    });
    assert.ok(sky.submits.length <= most, `${sky.submits.length} submits`);
  });
}

test('an SMSC that drops the link at every third submit rests after five times, and what comes then goes by the next of the route', async t => {
  const sky = await Smsc.listen({
    submit: (_, index) => (index % 3 === 2 ? { kind: 'drop' } : DELIVERED_REPLY),
  });
  const sea = await Smsc.listen();
  t.after(() => Promise.all([sky.close(), sea.close()]));
  const { gateway, send } = await gatewayOf(t, boundTo(sky, ', enquireLink: 1h'), boundTo(sea));
  await until('both are bound', () => sky.receiver && sea.receiver);
  for (let loss = 1; loss <= 5; loss++) {
    for (let submit = 0; submit < 3; submit++) {
      const before = sky.submits.length;
      await send(1);
      await inTime(gateway, 'it is submitted', () => sky.submits.length > before);
    }
    await inTime(gateway, 'it is bound again', () => sky.binds.length > loss);
    await inTime(gateway, 'it is known', async () => (await stateOf(gateway, 'sky'))[0] !== 'connecting');
  }
  await inTime(gateway, 'it rests', async () => /not answered/.test((await stateOf(gateway, 'sky'))[1]));
  const before = sky.submits.length;
  await send(20);
  await inTime(gateway, 'the other has nearly all', () => sea.submits.length >= 15);
  assert.ok(sky.submits.length <= before + 5, `${sky.submits.length - before} submits`);
});

const ONLY_FIRST_PARTS: readonly (readonly [what: string, reply: Reply, detail: RegExp])[] = [
  [
    'refuses our account for the others',
    { kind: 'refuse', status: STATUS.invalidPassword },
    /ESME_RINVPASWD/,
  ],
  ['answers no other', { kind: 'silent' }, /a part of a message was not answered/],
];

for (const [what, reply, says] of ONLY_FIRST_PARTS) {
  test(`an SMSC that takes the first part of long messages and ${what} loses its traffic to the next of the route`, async t => {
    const isFirstPart = (shortMessage: Uint8Array) => shortMessage[5] === 1;
    const sky = await Smsc.listen({
      submit: ({ shortMessage }) => (isFirstPart(shortMessage) ? DELIVERED_REPLY : reply),
    });
    const sea = await Smsc.listen();
    t.after(() => Promise.all([sky.close(), sea.close()]));
    const { gateway, send } = await gatewayOf(
      t,
      boundTo(sky, ', window: 10, responseTimeout: 2s'),
      boundTo(sea),
    );
    await until('both are bound', () => sky.receiver && sea.receiver);
    await send(20, 'long '.repeat(40));
    await inTime(gateway, 'it is told', async () => says.test((await stateOf(gateway, 'sky'))[1]));
    await until('the other has the rest', () => {
      gateway.clock.advance(500);
      return sea.submits.length >= 2 * 8;
    });
  });
}

const USELESS: readonly (readonly [what: string, status: number, body: object, detail: RegExp])[] = [
  ['says accepted without the id', 200, { messageId: 'p1' }, /the answer has no id at \/id/],
  ['has moved', 404, { code: 'not-found' }, /status 404/],
  ['wants to be paid', 402, { code: 'no-credit' }, /status 402/],
];

for (const [what, status, body, says] of USELESS) {
  test(`a provider that ${what} loses its traffic to the next of the route`, async t => {
    const provider = await startProvider(t, (_, response) => json(response, status, body));
    const sea = await Smsc.listen();
    t.after(() => sea.close());
    const sky = `{ kind: http, allowPrivate: true, window: 5, submit: { url: "${provider.url}/m", json: { to: "{{to}}" } },
      channels: { international: {} }, outcomes: [
        { status: 2xx, result: accepted, id: /id }, { status: 4xx, result: permanent, code: /code, reportCode: "23014" }],
      receipt: { id: /id, status: /state, statuses: { done: delivered } },
      callback: { token: { header: x-token, value: token-of-the-provider } } }`;
    const { gateway, send } = await gatewayOf(t, sky, boundTo(sea));
    await until('it is bound', () => sea.receiver);
    await send(MANY);
    await inTime(gateway, 'it is told', async () => {
      const [state, detail] = await stateOf(gateway, 'sky');
      return state === 'down' && says.test(detail);
    });
    await until('the other has the rest', () => {
      gateway.clock.advance(500);
      return sea.submits.length >= MANY - 15;
    });
  });
}

const ACCEPTED: Reply = { kind: 'accept', id: 'r1' };

test('of two carriers on one account each takes the receipts of the other, and settings that forget it are named', async t => {
  const smsc = await Smsc.listen({ submit: () => ACCEPTED });
  t.after(() => smsc.close());
  const { gateway, send } = await gatewayOf(t, boundTo(smsc), boundTo(smsc, ', receiptsOf: [sky]'));
  await until('both are bound', () => smsc.binds.length === 2);
  const submit = await sendOne(gateway, smsc, send);
  smsc.sessions.find(session => session !== smsc.submitter)?.sendReceipt(submit, 'r1', { state: 'DELIVRD' });
  await inTime(gateway, 'its receipt is settled', () => delivered(gateway));
  const hints = await inTime(gateway, 'the hint is told', async () => {
    const { carriers } = (await gateway.operator('GET', '/carriers')).body.data;
    const isPublished = carriers.every(
      ({ since, name }: Record<string, string>) => since || name === 'simulator',
    );
    const known = new Map<string, string | null>(
      carriers.map(({ name, hint }: { name: string; hint: string | null }) => [name, hint]),
    );
    return isPublished && known;
  });
  assert.match(String(hints.get('sky')), /receipts of sea may come by this bind/);
  assert.equal(hints.get('sea'), null);
});

test('of two omni carriers on one account, settings that forget the other are named', async t => {
  const service =
    '{ kind: omni, url: "http://127.0.0.1:9/v1", account: shop, password: x, allowPrivate: true';
  const { gateway } = await gatewayOf(t, `${service} }`, `${service}, receiptsOf: [sky] }`);
  const hints = await inTime(gateway, 'the hint is told', async () => {
    const { carriers } = (await gateway.operator('GET', '/carriers')).body.data;
    const isPublished = carriers.every(
      ({ since, name }: Record<string, string>) => since || name === 'simulator',
    );
    return isPublished && carriers.map(({ name, hint }: Record<string, string>) => [name, hint]);
  });
  const known = new Map<string, string>(hints);
  assert.match(String(known.get('sky')), /receipts of sea may come by this account/);
  assert.doesNotMatch(String(known.get('sea')), /may come by/);
});

test('a receipt for a carrier that was renamed since finds its message', async t => {
  const smsc = await Smsc.listen({ submit: () => ACCEPTED });
  t.after(() => smsc.close());
  const { gateway, send, path } = await gatewayOf(t, boundTo(smsc), '{ kind: simulator }');
  await until('it is bound', () => smsc.receiver);
  const submit = await sendOne(gateway, smsc, send);
  writeFileSync(
    path,
    `carriers:\n  star: ${boundTo(smsc, ', receiptsOf: [sky]')}\nroutes:\n  - { channel: international, via: [star] }\n`,
  );
  let isReloaded = false;
  const reloading = gateway.gateway.reload(loadConfig({ BONGSU_CONFIG: path }, CHANNELS)).then(() => {
    isReloaded = true;
  });
  await inTime(gateway, 'it is reloaded', () => isReloaded);
  await reloading;
  await inTime(gateway, 'it is bound again', () => smsc.binds.length === 2);
  smsc.sessions.at(-1)?.sendReceipt(submit, 'r1', { state: 'DELIVRD' });
  await inTime(gateway, 'its receipt is settled', () => delivered(gateway));
});

test('what alerts are about is counted from 0, and receipts only where every message gets one', async t => {
  const smsc = await Smsc.listen();
  t.after(() => smsc.close());
  const { gateway } = await gatewayOf(t, boundTo(smsc), boundTo(smsc, ', registeredDelivery: 2'));
  const { body } = await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' });
  const zeros = (metric: string) =>
    [...body.matchAll(/^(bongsu_\w+)\{carrier="(\w+)",\w+="(\w+)"\} 0$/gm)].flatMap(
      ([, name, carrier, label]) => (name === metric ? [`${carrier} ${label}`] : []),
    );
  const carriers = ['sea', 'simulator', 'sky'];
  assert.deepEqual(
    zeros('bongsu_submits_total').sort(),
    carriers.flatMap(carrier => [`${carrier} accepted`, `${carrier} unknown`]),
  );
  assert.deepEqual(zeros('bongsu_receipts_total').sort(), ['simulator ended', 'sky ended']);
});

/** What an operator does once the cause is removed; the clock does not move for it. */
const ENDS: readonly (readonly [
  what: string,
  tryNow: (gateway: TestGateway, path: string) => Promise<unknown>,
])[] = [
  ['is told to reconnect', gateway => gateway.operator('POST', '/carriers/sky/reconnect')],
  ['is tested', gateway => gateway.operator('POST', '/carriers/sky/test')],
  ['is reloaded', (gateway, path) => gateway.gateway.reload(loadConfig({ BONGSU_CONFIG: path }, CHANNELS))],
];

for (const [what, tryNow] of ENDS) {
  test(`an SMSC that refused us is bound again as soon as it ${what}`, async t => {
    let status: number = STATUS.invalidPassword;
    const smsc = await Smsc.listen({ bind: () => status });
    t.after(() => smsc.close());
    const { gateway, path } = await gatewayOf(
      t,
      `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: a }`,
      '{ kind: simulator }',
    );
    await inTime(gateway, 'it is refused', async () => (await stateOf(gateway, 'sky'))[0] === 'down');
    const tried = smsc.binds.length;
    status = STATUS.ok;
    await tryNow(gateway, path);
    await until('it is bound', () => smsc.receiver !== undefined);
    assert.equal(smsc.binds.length, tried + 1);
  });
}

test('a password in a file of its own is another one after a reload, without a restart', async t => {
  const smsc = await Smsc.listen();
  t.after(() => smsc.close());
  const secret = configFile('first\n');
  const sky = boundTo(smsc).replace('password: x', `password: "\${file:${secret}}"`);
  const { gateway, path } = await gatewayOf(t, sky, '{ kind: simulator }');
  const bind = await until('it is bound', () => smsc.binds[0]);
  assert.equal(bind.password, 'first');
  writeFileSync(secret, 'second\n');
  let isReloaded = false;
  const reloading = gateway.gateway.reload(loadConfig({ BONGSU_CONFIG: path }, CHANNELS)).then(() => {
    isReloaded = true;
  });
  await inTime(gateway, 'it is reloaded', () => isReloaded);
  await reloading;
  const again = await inTime(gateway, 'it is bound again', () => smsc.binds[1]);
  assert.equal(again.password, 'second');
});

test('a repetition that we refuse ourselves leaves the message in doubt', async t => {
  const sky = new ScriptedCarrier('sky', { repeatableForMs: 60_000 });
  const { gateway, client } = await testAccount(t, {
    env: {
      BONGSU_CONFIG: configFile(
        'carriers:\n  sky: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sky] }\n',
      ),
    },
    createCarrier: () => sky,
  });
  sky.reply = () =>
    sky.submitted.length === 1 ? { kind: 'unknown', isUnanswered: true } : refusedByUs('23034');
  const { msgKey } = (await client.sms()).body;
  await inTime(gateway, 'it was submitted again', () => sky.submitted.length === 2);
  await inTime(gateway, 'it is in doubt', async () => (await gateway.message(msgKey)).state === 'unknown');
  assert.deepEqual(await client.inquire(msgKey), []);
});

test('a message that we refuse ourselves says nothing of the carrier', async t => {
  const sky = new ScriptedCarrier('sky', { window: 1 });
  const sea = new ScriptedCarrier('sea');
  sea.reply = accept;
  const { gateway, send } = await gatewayOf(t, '{ kind: simulator }', '{ kind: simulator }', {
    createCarrier: ({ name }) => (name === 'sky' ? sky : sea),
  });
  // One that answered two of three messages would not be brought to rest.
  sky.reply = () =>
    sky.submitted.length % 3 === 0 ? { kind: 'unknown', isUnanswered: true } : refusedByUs('23034');
  for (let sent = 1; sent <= 15; sent++) {
    await send(1);
    await inTime(gateway, 'it is submitted', () => sky.submitted.length === sent);
  }
  await inTime(gateway, 'it rests', () => hasRested(gateway));
});
