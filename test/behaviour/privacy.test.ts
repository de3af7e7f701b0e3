import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { MsgKey } from '../../src/domain/ids.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { createAudit } from '../../src/operate/audit.ts';
import { auditedPrivacy } from '../../src/operate/audited-tools.ts';
import { createPrivacy, type Privacy, type Subject } from '../../src/operate/privacy.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import { zonedTimeFormatter } from '../../src/platform/zoned-time.ts';
import { freshStore } from '../harness/engines.ts';
import { sms } from '../harness/flows.ts';
import { Client, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import type { Env } from '../harness/process.ts';
import { storedRows } from '../harness/stored-bytes.ts';
import { until } from '../harness/until.ts';
import { changeRows } from './stored-rows.ts';

const DAY_MS = 24 * 3_600_000;

/** Turns the clock until the next run of the sweep has done its work. */
async function textsRemoved(gateway: TestGateway, msgKey: string): Promise<void> {
  await until('the text is removed', async () => {
    gateway.clock.advance(60_000);
    return (await gateway.message(msgKey)).textRemovedAt !== undefined;
  });
}

test('the text of a message is removed after seven days, and everything else works as before', async t => {
  const { gateway, client } = await testAccount(t);
  const body = { destinations: [{ to: '01012345678', replaceWords: { name: 'Kim Cheolsu' } }] };
  const flow = { messageFlow: [sms({ text: 'Dear #{name}, the parcel waits.' })], ref: 'order-7' };
  const sent = await client.call('POST', '/v1/send/omni', { ...body, ...flow });
  const { msgKey } = sent.body.data.destinations[0];
  await client.reportsOf(msgKey);
  gateway.clock.advance(6 * DAY_MS);
  const before = await gateway.message(msgKey);
  assert.equal(before.rendered[0].text, 'Dear Kim Cheolsu, the parcel waits.');

  gateway.clock.advance(DAY_MS);
  await textsRemoved(gateway, msgKey);
  const { textRemovedAt, ...after } = await gateway.message(msgKey);
  const { replaceWords, request, response, ...others } = before;
  assert.deepEqual(after, { ...others, flow: [{ channel: 'sms' }], rendered: [] });
  assert.match(textRemovedAt, /^2026-01-12T/);
  assert.doesNotMatch(JSON.stringify(after), /parcel|Cheolsu/);

  const again = new Client(gateway, 'shop', await gateway.token('shop'));
  assert.equal((await again.inquire(msgKey))[0]?.ref, 'order-7');
  const found = (await gateway.operator('GET', '/messages?to=01012345678&channel=sms')).body.data;
  assert.deepEqual(found.messages[0].channels, ['sms']);
});

const KIM = { number: '+821029384756', account: undefined };
const KIM_WRITES = '010-2938-4756';
/** What is in every writing of the numbers, and in the texts that only Kim got. */
const OF_KIM = ['29384756', '2938-4756', 'zebra-quartz', 'opossum-kim'];
const LEE = '01087654321';

/** As the command line has it, beside the gateway. */
function privacyOf(running: TestGateway, remove?: () => Promise<never>): Privacy {
  const { gateway, clock } = running;
  const { store } = gateway;
  const formatTime = zonedTimeFormatter('Asia/Seoul');
  const record = createAudit({ store, clock, formatTime }).recordBy({
    who: 'cli',
    name: 'tester',
    operatorId: undefined,
  });
  const removeFile = async (fileKey: string) => {
    if (remove) return remove();
    const { status, body } = await running.operator('DELETE', `/files/${fileKey}`);
    return status === 200 ? fileKey : new Problem('A300', body.result);
  };
  return auditedPrivacy(
    createPrivacy({ store, clock, random: systemRandomness(), formatTime, removeFile }),
    record,
  );
}

async function exportOf(privacy: Privacy, subject: Subject) {
  let text = '';
  for await (const piece of privacy.export(subject)) text += piece;
  return JSON.parse(text);
}

/** A single send, one to two people, one abroad; everything that can be kept of Kim is. */
async function sendAll(gateway: TestGateway) {
  const shop = await gateway.account('shop');
  const single = await shop.sms(
    { to: KIM_WRITES, text: 'zebra-quartz', ref: 'order-01029384756' },
    { 'idempotency-key': 'once' },
  );
  const both = [
    { to: '+82-10-2938-4756', replaceWords: { name: 'opossum-kim' } },
    { to: LEE, replaceWords: { name: 'Lee' } },
  ];
  const omni = await shop.call(
    'POST',
    '/v1/send/omni',
    { messageFlow: [sms({ text: 'Dear #{name}, hello' })], destinations: both },
    { 'idempotency-key': 'twice' },
  );
  const abroad = await shop.international({ to: '+821029384756', text: 'zebra-quartz' });
  const keys = [
    abroad.body.msgKey,
    ...omni.body.data.destinations.map(({ msgKey }: { msgKey: string }) => msgKey),
    single.body.msgKey,
  ];
  for (const key of keys) await shop.reportsOf(key);
  const [abroadKey, omniKey, leeKey, singleKey] = keys;
  return { shop, abroadKey, omniKey, leeKey, singleKey };
}

for (const dataKey of ['without', 'with'] as const) {
  const env: Env = dataKey === 'with' ? { BONGSU_DATA_KEY: Buffer.alloc(32, 7).toString('base64') } : {};

  test(`the export of a recipient has everything that is kept, ${dataKey} a data key`, async t => {
    const gateway = await testGateway(t, { ...(await freshStore(t)), ...env });
    const { shop, abroadKey, omniKey, singleKey } = await sendAll(gateway);
    await shop.call('DELETE', `/v1/report/polling/${(await shop.poll()).body.data.reportId}`);
    const { store } = gateway.gateway;
    const receipt = { kind: 'receipt', carrier: 'simulator', ref: 'nobodys', receivedAt: 1 } as const;
    const event = { name: 'receivedDelivered' } as const;
    await store.queue.settle([{ ...receipt, event, to: '821029384756' }], () => ({ kind: 'ignored' }));
    // Only the last eight digits are the same.
    await store.queue.settle([{ ...receipt, event, to: '0229384756' }], () => ({ kind: 'ignored' }));
    await store.queue.setAside({ at: 1, reason: 'too long', event: JSON.stringify({ to: '01029384756' }) });

    const privacy = privacyOf(gateway);
    const kept = await exportOf(privacy, KIM);
    assert.deepEqual([kept.recipient, kept.account], ['+821029384756', null]);
    const byKey = new Map(kept.messages.map((message: { msgKey: string }) => [message.msgKey, message]));
    assert.deepEqual(new Set(byKey.keys()), new Set([abroadKey, omniKey, singleKey]));
    const single = kept.messages.find(({ msgKey }: { msgKey: string }) => msgKey === singleKey);
    assert.equal(single.asReceived[0].text, 'zebra-quartz');
    assert.equal(single.ref, 'order-01029384756');
    assert.equal(single.reports[0].reportCode, '10000');
    assert.equal(single.carrierReferences.length, 1);
    assert.equal(single.idempotencyAnswers[0].response.msgKey, singleKey);
    assert.ok(single.timeline.some((entry: { event: string }) => entry.event === 'reportFetched'));
    const omni = kept.messages.find(({ msgKey }: { msgKey: string }) => msgKey === omniKey);
    assert.deepEqual(omni.replaceWords, { name: 'opossum-kim' });
    assert.equal(omni.asReceived[0].text, 'Dear opossum-kim, hello');
    assert.deepEqual([kept.parkedReceipts.length, kept.setAside.length], [1, 1]);

    const none = await exportOf(privacy, { ...KIM, account: 'cafe' as Subject['account'] });
    assert.deepEqual([none.messages, none.parkedReceipts, none.setAside], [[], [], []]);
    const { entries } = (await gateway.operator('GET', '/audit')).body.data;
    const { action, target, who } = entries.at(-1);
    assert.deepEqual([action, target, who], ['privacy.export', '+82****4756', 'cli']);
  });

  test(`the store contains nothing of an erased recipient, and keeps the others, ${dataKey} a data key`, async t => {
    const store = { ...(await freshStore(t)), ...env };
    const gateway = await testGateway(t, store);
    const { shop, abroadKey, omniKey, leeKey, singleKey } = await sendAll(gateway);
    const privacy = privacyOf(gateway);
    const reserved = await shop.call('POST', '/v1/reservation', {
      resvSendTime: '2026-02-01 09:00:00',
      messageFlow: [sms({ text: 'Dear #{name}, hello' })],
      destinations: [
        { to: KIM_WRITES, replaceWords: { name: 'opossum-kim' } },
        { to: LEE, replaceWords: { name: 'Lee' } },
      ],
    });
    assert.deepEqual(await privacy.holdings(KIM), {
      ...{ ended: 3, open: 0, parkedReceipts: 0, setAside: 0 },
      ...{ reserved: 1, optOuts: 0, inbound: 0 },
    });
    assert.equal((await exportOf(privacy, KIM)).reserved.length, 1);
    const unreadable = { recipient: KIM.number, account: { toString: 1 } };
    const holdings = await gateway.operator('POST', '/privacy/holdings', unreadable);
    assert.equal(holdings.body.code, 'A300', '"account" must be text');
    const { order, counts, isScrubbed } = await privacy.erase(KIM);
    assert.ok(isScrubbed);
    assert.deepEqual(counts, {
      ...{ messages: 3, texts: 2, sharedTexts: 1, refs: 1, references: 3, answers: 2, open: 0 },
      ...{ parkedReceipts: 0, setAside: 0, reserved: 1, inbound: 0, optOuts: 0, keptOptOuts: 0, images: 0 },
      unreadable: 0,
    });
    for (const key of [abroadKey, omniKey, singleKey]) {
      const shown = await gateway.message(key);
      assert.deepEqual([shown.to, shown.rendered, shown.request], ['erased', [], undefined]);
    }
    const lee = await gateway.message(leeKey);
    assert.equal(lee.rendered[0].text, 'Dear Lee, hello');
    assert.equal((await shop.inquire(singleKey))[0]?.reportCode, '10000');
    const [done] = await privacy.orders();
    assert.deepEqual([done?.id, done?.messages, done?.open, done?.recipient], [order, 3, 0, '+82****4756']);
    assert.notEqual(done?.endedAt, undefined);
    const empty = await exportOf(privacy, KIM);
    assert.deepEqual([empty.messages, empty.parkedReceipts, empty.setAside], [[], [], []]);

    // The client may still repeat its requests: the answers are the same but for the number.
    const again = await shop.call(
      'POST',
      '/v1/send/omni',
      {
        messageFlow: [sms({ text: 'Dear #{name}, hello' })],
        destinations: [
          { to: '+82-10-2938-4756', replaceWords: { name: 'opossum-kim' } },
          { to: LEE, replaceWords: { name: 'Lee' } },
        ],
      },
      { 'idempotency-key': 'twice' },
    );
    const destinations = again.body.data.destinations.map(
      ({ to, msgKey }: { to: string; msgKey: string }) => [to, msgKey],
    );
    assert.deepEqual(destinations, [
      ['erased', omniKey],
      [LEE, leeKey],
    ]);
    const repeated = await privacy.erase(KIM);
    assert.equal(repeated.counts.messages, 0, 'it can be repeated');
    const one = await shop.call('GET', `/v1/reservation/resvKey/${reserved.body.data.resvKey}`);
    assert.equal(one.body.data.expectedCnt, 1);

    assert.deepEqual((await storedRows(store)).placesOf(OF_KIM), []);
    const { entries } = (await gateway.operator('GET', '/audit')).body.data;
    const erasures = entries.filter(({ action }: { action: string }) => action.startsWith('privacy.erase'));
    const stages = erasures.map((entry: { details: { stage: string } }) => entry.details.stage);
    assert.deepEqual(stages, ['done', 'ordered', 'done', 'ordered']);
    assert.equal(erasures[2].details.messages, 3);
  });
}

test('an erased recipient is shown as erased to those who see masked numbers, too', async t => {
  const { gateway, client: shop } = await testAccount(t, { env: { BONGSU_MASKING: 'everyone' } });
  const { msgKey = '' } = (await shop.sms({ to: '01029384756', text: 'zebra-quartz' })).body;
  await shop.reportsOf(msgKey);
  assert.equal((await gateway.message(msgKey)).to, '010****4756');
  await privacyOf(gateway).erase(KIM);
  const { to, rendered, request } = await gateway.message(msgKey);
  assert.deepEqual([to, rendered, request], ['erased', [], undefined]);
  const { messages } = (await gateway.operator('GET', '/messages')).body.data;
  assert.equal(messages[0].to, 'erased');
});

test('a message on its way is delivered, and erased by the gateway when it has ended', async t => {
  const { gateway, client: shop } = await testAccount(t);
  // Of this number the simulated network never tells what became of it.
  const silent = await shop.sms({ to: '01029380006', text: 'zebra-quartz' });
  const privacy = privacyOf(gateway);
  const subject = { number: '+821029380006', account: undefined };
  const { counts, order } = await privacy.erase(subject);
  assert.deepEqual([counts.messages, counts.open], [0, 1]);
  const { to } = await gateway.message(silent.body.msgKey ?? '');
  assert.equal(to, '01029380006');
  const later = await shop.sms({ to: '01029380006', text: 'ordered after the erasure' });
  await until('the message has ended and is erased', async () => {
    gateway.clock.advance(3_600_000);
    return (await gateway.message(silent.body.msgKey ?? '')).to === 'erased';
  });
  const [ended] = await privacy.orders();
  await until('the order has ended', async () => {
    gateway.clock.advance(60_000);
    return (await privacy.orders())[0]?.endedAt !== undefined;
  });
  assert.deepEqual([ended?.id, ended?.messages], [order, 1]);
  const { to: kept } = await gateway.message(later.body.msgKey ?? '');
  assert.equal(kept, '01029380006', 'what is accepted after the order is not touched');
});

test('images that only an erased recipient was sent are deleted if that is wanted, and named otherwise', async t => {
  const { gateway, client } = await testAccount(t);
  const upload = async (size: number) => (await client.upload('MMS', image('jpg', 600, 600, size))).fileKey;
  const [own, shared, needed] = [await upload(1000), await upload(2000), await upload(3000)];
  const mms = async (to: string, fileKey: string) => {
    const fields = { from: '0212345678', to, text: 'a photo', title: 'photo', fileKey: [fileKey] };
    const { body } = await client.call('POST', '/v1/send/mms', fields);
    assert.equal(body.code, 'A000', body.result);
    return body.msgKey;
  };
  const both = await client.call('POST', '/v1/send/omni', {
    destinations: [{ to: KIM_WRITES }, { to: LEE }],
    messageFlow: [{ mms: { from: '0212345678', text: 'for both', title: 'photo', fileKey: [shared] } }],
  });
  assert.equal(both.body.code, 'A000', both.body.result);
  const sent = [
    await mms(KIM_WRITES, own),
    await mms(KIM_WRITES, needed),
    both.body.data.destinations[0].msgKey,
  ];
  for (const msgKey of [...sent, both.body.data.destinations[1].msgKey]) await client.reportsOf(msgKey);
  await gateway.holdQueue();
  await mms(LEE, needed);

  const served = async (fileKey: string) =>
    (await gateway.gateway.http.inject({ url: `/files/${fileKey}` })).statusCode;
  const erased = await privacyOf(gateway).erase(KIM, { images: true });
  assert.equal(erased.counts.images, 1);
  assert.deepEqual(
    erased.keptImages.map(({ fileKey }) => fileKey),
    [needed],
  );
  assert.match(erased.keptImages[0]?.reason ?? '', /is pending and needs this file/);
  assert.deepEqual([await served(own), await served(shared), await served(needed)], [404, 200, 200]);
  const lee = await privacyOf(gateway).erase({ number: '+821087654321', account: undefined });
  assert.deepEqual([lee.counts.images, lee.counts.open], [0, 1]);
  assert.deepEqual(
    lee.keptImages.map(({ fileKey }) => fileKey),
    [shared],
  );
  assert.equal(await served(shared), 200);
});

/** An uploaded image, and a message to Kim that has it. */
async function photoScene(t: TestContext, env: Env = {}) {
  const { gateway, client } = await testAccount(t, { env });
  const { fileKey } = await client.upload('MMS', image('jpg', 600, 600, 1000));
  const privacy = privacyOf(gateway);
  return {
    ...{ gateway, client, privacy },
    store: gateway.gateway.store,
    served: async () => (await gateway.gateway.http.inject({ url: `/files/${fileKey}` })).statusCode,
    async send() {
      const fields = {
        from: '0212345678',
        to: KIM_WRITES,
        text: 'a photo',
        title: 'photo',
        fileKey: [fileKey],
      };
      return (await client.call('POST', '/v1/send/mms', fields)).body.msgKey ?? '';
    },
    carrier: (change: 'pause' | 'resume') => gateway.operator('POST', `/carriers/simulator/${change}`),
    async stateOfOrder() {
      const [order] = await privacy.orders();
      return order && [order.state, order.open, order.rest];
    },
    /** Turns the clock until the gateway has nothing left to do of the newest order. */
    orderDone: () =>
      until('the order is carried out', async () => {
        gateway.clock.advance(60_000);
        return (await privacy.orders())[0]?.state === 'done';
      }),
  };
}

test('images of a message that is pending when they are to be erased go when it has ended', async t => {
  const { client, privacy, served, send, carrier, stateOfOrder, orderDone } = await photoScene(t);
  await carrier('pause');
  const msgKey = await send();
  const erased = await privacy.erase(KIM, { images: true });
  assert.deepEqual([erased.counts.open, await served(), await stateOfOrder()], [1, 200, ['waiting', 1, 1]]);
  await carrier('resume');
  await client.reportsOf(msgKey);
  await orderDone();
  assert.equal(await served(), 404);
});

test('an image that could not be deleted is left to the order, which the gateway completes', async t => {
  const { gateway, client, served, send, stateOfOrder, orderDone } = await photoScene(t);
  await client.reportsOf(await send());
  const failing = privacyOf(gateway, () => Promise.reject(new Error('the place of files is not there')));
  const erased = await failing.erase(KIM, { images: true });
  assert.deepEqual([erased.counts.messages, erased.counts.images], [1, 0]);
  assert.match(erased.keptImages[0]?.reason ?? '', /the gateway will try again/);
  assert.deepEqual([await served(), await stateOfOrder()], [200, ['waiting', 0, 1]]);
  await orderDone();
  assert.equal(await served(), 404);
});

test('images of an order that a program without images completed are found and deleted', async t => {
  const env = await freshStore(t);
  const { gateway, client, store, privacy, served, send, carrier, stateOfOrder, orderDone } =
    await photoScene(t, env);
  await carrier('pause');
  const msgKey = await send();
  const { order } = await privacy.erase(KIM, { images: true });
  await carrier('resume');
  await client.reportsOf(msgKey);
  // What that program does: it erases the message, and ends the order.
  await store.privacy.erase(order, [msgKey as MsgKey], gateway.clock.now());
  await changeRows(env, 'UPDATE erasure SET ended_at = 1');
  assert.deepEqual([await served(), (await stateOfOrder())?.[0]], [200, 'waiting']);
  await orderDone();
  assert.equal(await served(), 404);
});

test('a message whose images cannot be read is left to the order until they can be', async t => {
  const env = await freshStore(t);
  const { gateway, client, privacy, served, send, stateOfOrder, orderDone } = await photoScene(t, env);
  const msgKey = await send();
  await client.reportsOf(msgKey);
  await changeRows(env, "UPDATE request SET flow = '{' || flow");
  const { counts } = await privacy.erase(KIM, { images: true });
  assert.deepEqual([counts.messages, counts.unreadable, counts.images], [0, 1, 0]);
  assert.deepEqual(await stateOfOrder(), ['waiting', 0, 1]);
  await changeRows(env, 'UPDATE request SET flow = substr(flow, 2)');
  await orderDone();
  assert.deepEqual([await served(), (await gateway.message(msgKey)).to], [404, 'erased']);
});

test('a list that cannot be read keeps an erasure open, and the person is taken out of it later', async t => {
  const env = await freshStore(t);
  const { gateway, client: shop } = await testAccount(t, { env });
  const privacy = privacyOf(gateway);
  const reserved = await shop.call('POST', '/v1/reservation', {
    resvSendTime: '2026-02-01 09:00:00',
    messageFlow: [sms()],
    destinations: [{ to: KIM_WRITES }, { to: LEE }],
  });
  await changeRows(env, "UPDATE reservation_list SET recipients = '{' || recipients");
  const { counts, isScrubbed } = await privacy.erase(KIM);
  assert.deepEqual([counts.reserved, counts.unreadable, isScrubbed], [0, 1, true]);
  const shown = async () => {
    const [order] = await privacy.orders();
    return [order?.state, order?.rest];
  };
  assert.deepEqual(await shown(), ['waiting', 1]);
  await changeRows(env, 'UPDATE reservation_list SET recipients = substr(recipients, 2)');
  await until('the order is done', async () => {
    gateway.clock.advance(60_000);
    return (await shown())[0] === 'done';
  });
  const one = await shop.call('GET', `/v1/reservation/resvKey/${reserved.body.data.resvKey}`);
  assert.equal(one.body.data.expectedCnt, 1);
  const stored = await storedRows(env);
  assert.deepEqual(
    stored.placesOf(['29384756']).filter(place => !place.includes('idempotency')),
    [],
    'nor is the number with the order any more',
  );
});
