import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../src/domain/request/problem.ts';
import { createAudit } from '../../src/operate/audit.ts';
import { auditedPrivacy } from '../../src/operate/audited-tools.ts';
import { createPrivacy, type Privacy, type Subject } from '../../src/operate/privacy.ts';
import { systemRandomness } from '../../src/platform/randomness.ts';
import { zonedTimeFormatter } from '../../src/platform/zoned-time.ts';
import { freshStore } from '../harness/engines.ts';
import { sms } from '../harness/flows.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { filePart, image, MULTIPART_TYPE, multipart } from '../harness/images.ts';
import { operatorOf } from '../harness/operator.ts';
import type { Env } from '../harness/process.ts';
import { placesOf, storedBytes } from '../harness/stored-bytes.ts';
import { until } from '../harness/until.ts';

const DAY_MS = 24 * 3_600_000;

async function detailOf(gateway: TestGateway, msgKey: string) {
  return (await operatorOf(gateway)('GET', `/messages/${msgKey}`)).body.data;
}

/** Turns the clock until the next run of the sweep has done its work. */
async function textsRemoved(gateway: TestGateway, msgKey: string): Promise<void> {
  await until('the text is removed', async () => {
    gateway.clock.advance(60_000);
    return (await detailOf(gateway, msgKey)).textRemovedAt !== undefined;
  });
}

test('after seven days a message has lost its text, and everything else works as before', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const body = { destinations: [{ to: '01012345678', replaceWords: { name: 'Kim Cheolsu' } }] };
  const flow = { messageFlow: [sms({ text: 'Dear #{name}, the parcel waits.' })], ref: 'order-7' };
  const sent = await client.call('POST', '/v1/send/omni', { ...body, ...flow });
  const { msgKey } = sent.body.data.destinations[0];
  await client.reportsOf(msgKey);
  gateway.clock.advance(6 * DAY_MS);
  const before = await detailOf(gateway, msgKey);
  assert.equal(before.rendered[0].text, 'Dear Kim Cheolsu, the parcel waits.');

  gateway.clock.advance(DAY_MS);
  await textsRemoved(gateway, msgKey);
  const { textRemovedAt, ...after } = await detailOf(gateway, msgKey);
  const { replaceWords, request, response, ...others } = before;
  assert.deepEqual(after, { ...others, flow: [{ channel: 'sms' }], rendered: [] });
  assert.match(textRemovedAt, /^2026-01-12T/);
  assert.doesNotMatch(JSON.stringify(after), /parcel|Cheolsu/);

  const again = new Client(gateway, 'shop', await gateway.token('shop'));
  assert.equal((await again.inquire(msgKey))[0]?.ref, 'order-7');
  const found = (await operatorOf(gateway)('GET', '/messages?to=01012345678&channel=sms')).body.data;
  assert.deepEqual(found.messages[0].channels, ['sms']);
});

const KIM = { number: '+821029384756', account: undefined };
const KIM_WRITES = '010-2938-4756';
/** What is in every writing of the numbers, and in the texts that only Kim got. */
const OF_KIM = ['29384756', '2938-4756', 'zebra-quartz', 'opossum-kim'];
const LEE = '01087654321';

/** As the command line has it, beside the gateway. */
function privacyOf(running: TestGateway): Privacy {
  const { gateway, clock } = running;
  const { store } = gateway;
  const formatTime = zonedTimeFormatter('Asia/Seoul');
  const record = createAudit({ store, clock, formatTime }).recordBy({
    who: 'cli',
    name: 'tester',
    operatorId: undefined,
  });
  const removeFile = async (fileKey: string) => {
    const { status, body } = await operatorOf(running)('DELETE', `/files/${fileKey}`);
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
    const { entries } = (await operatorOf(gateway)('GET', '/audit')).body.data;
    const { action, target, who } = entries.at(-1);
    assert.deepEqual([action, target, who], ['privacy.export', '+82****4756', 'cli']);
  });

  test(`an erased recipient is nowhere in the store, and others are, ${dataKey} a data key`, async t => {
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
    const holdings = await operatorOf(gateway)('POST', '/privacy/holdings', unreadable);
    assert.equal(holdings.body.code, 'A300', '"account" must be text');
    const { order, counts, isScrubbed } = await privacy.erase(KIM);
    assert.ok(isScrubbed);
    assert.deepEqual(counts, {
      ...{ messages: 3, texts: 2, sharedTexts: 1, refs: 1, references: 3, answers: 2, open: 0 },
      ...{ parkedReceipts: 0, setAside: 0, reserved: 1, inbound: 0, optOuts: 0, keptOptOuts: 0, images: 0 },
    });
    for (const key of [abroadKey, omniKey, singleKey]) {
      const shown = await detailOf(gateway, key);
      assert.deepEqual([shown.to, shown.rendered, shown.request], ['erased', [], undefined]);
    }
    const lee = await detailOf(gateway, leeKey);
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

    const stored = await storedBytes(store);
    // Of PostgreSQL the rows: its files are written over when the space is used again.
    const rows = store.BONGSU_DATABASE_URL ? stored.filter(({ place }) => !place.includes('/')) : stored;
    assert.deepEqual(placesOf(rows, OF_KIM), []);
    const { entries } = (await operatorOf(gateway)('GET', '/audit')).body.data;
    const erasures = entries.filter(({ action }: { action: string }) => action.startsWith('privacy.erase'));
    const stages = erasures.map((entry: { details: { stage: string } }) => entry.details.stage);
    assert.deepEqual(stages, ['done', 'ordered', 'done', 'ordered']);
    assert.equal(erasures[2].details.messages, 3);
  });
}

test('an erased recipient is shown as erased to those who see masked numbers, too', async t => {
  const gateway = await testGateway(t, { BONGSU_MASKING: 'everyone' });
  const shop = await gateway.account('shop');
  const { msgKey = '' } = (await shop.sms({ to: '01029384756', text: 'zebra-quartz' })).body;
  await shop.reportsOf(msgKey);
  assert.equal((await detailOf(gateway, msgKey)).to, '010****4756');
  await privacyOf(gateway).erase(KIM);
  const { to, rendered, request } = await detailOf(gateway, msgKey);
  assert.deepEqual([to, rendered, request], ['erased', [], undefined]);
  const { messages } = (await operatorOf(gateway)('GET', '/messages')).body.data;
  assert.equal(messages[0].to, 'erased');
});

test('a message on its way is delivered, and erased by the gateway when it has ended', async t => {
  const gateway = await testGateway(t);
  const shop = await gateway.account('shop');
  // Of this number the simulated network never tells what became of it.
  const silent = await shop.sms({ to: '01029380006', text: 'zebra-quartz' });
  const privacy = privacyOf(gateway);
  const subject = { number: '+821029380006', account: undefined };
  const { counts, order } = await privacy.erase(subject);
  assert.deepEqual([counts.messages, counts.open], [0, 1]);
  const { to } = await detailOf(gateway, silent.body.msgKey ?? '');
  assert.equal(to, '01029380006');
  const later = await shop.sms({ to: '01029380006', text: 'ordered after the erasure' });
  await until('the message has ended and is erased', async () => {
    gateway.clock.advance(3_600_000);
    return (await detailOf(gateway, silent.body.msgKey ?? '')).to === 'erased';
  });
  const [ended] = await privacy.orders();
  await until('the order has ended', async () => {
    gateway.clock.advance(60_000);
    return (await privacy.orders())[0]?.endedAt !== undefined;
  });
  assert.deepEqual([ended?.id, ended?.messages], [order, 1]);
  const { to: kept } = await detailOf(gateway, later.body.msgKey ?? '');
  assert.equal(kept, '01029380006', 'what is accepted after the order is not touched');
});

test('images that only an erased recipient was sent are deleted if that is wanted, and named otherwise', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const upload = async (size: number) => {
    const body = multipart(filePart(image('jpg', 600, 600, size)));
    const type = { 'content-type': MULTIPART_TYPE };
    return String((await client.call('POST', '/v1/file/MMS', body, type)).body.data.fileKey);
  };
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
  await operatorOf(gateway)('POST', '/carriers/simulator/pause');
  await mms(LEE, needed);

  const served = async (fileKey: string) =>
    (await gateway.gateway.http.inject({ url: `/files/${fileKey}` })).statusCode;
  const erased = await privacyOf(gateway).erase(KIM, { images: true });
  assert.equal(erased.counts.images, 1);
  assert.deepEqual(
    erased.keptImages.map(({ fileKey }) => fileKey),
    [needed],
  );
  assert.match(erased.keptImages[0]?.reason ?? '', /is on its way and needs this file/);
  assert.deepEqual([await served(own), await served(shared), await served(needed)], [404, 200, 200]);
  const lee = await privacyOf(gateway).erase({ number: '+821087654321', account: undefined });
  assert.deepEqual([lee.counts.images, lee.counts.open], [0, 1]);
  assert.deepEqual(
    lee.keptImages.map(({ fileKey }) => fileKey),
    [shared],
  );
  assert.equal(await served(shared), 200);
});

test('images of a message that is pending when they are to be erased go when it has ended', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const body = multipart(filePart(image('jpg', 600, 600, 1000)));
  const uploaded = await client.call('POST', '/v1/file/MMS', body, { 'content-type': MULTIPART_TYPE });
  const fileKey = String(uploaded.body.data.fileKey);
  await operatorOf(gateway)('POST', '/carriers/simulator/pause');
  const fields = { from: '0212345678', to: KIM_WRITES, text: 'a photo', title: 'photo', fileKey: [fileKey] };
  const { msgKey } = (await client.call('POST', '/v1/send/mms', fields)).body;
  const served = async () => (await gateway.gateway.http.inject({ url: `/files/${fileKey}` })).statusCode;
  const erased = await privacyOf(gateway).erase(KIM, { images: true });
  assert.deepEqual([erased.counts.open, await served()], [1, 200]);
  await operatorOf(gateway)('POST', '/carriers/simulator/resume');
  await client.reportsOf(msgKey ?? '');
  await until('the order is carried out', async () => {
    gateway.clock.advance(60_000);
    return (await served()) === 404;
  });
});
