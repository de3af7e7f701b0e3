import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { BongsuClient, GatewayRefusal } from '../../client/bongsu-client.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import { API_OPERATIONS } from '../../src/http/openapi/document.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { heardRequests } from '../harness/heard-requests.ts';
import { image } from '../harness/images.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const ID = 'shop';
const PASSWORD = 'correct horse battery staple';

/** A client of a gateway that listens, and every call that reached it. */
async function connected(
  t: TestContext,
): Promise<{ client: BongsuClient; gateway: TestGateway; calls: string[] }> {
  const gateway = await testGateway(t);
  await gateway.account(ID);
  const { http } = gateway.gateway;
  const url = await http.listen({ host: '127.0.0.1', port: 0 });
  assert.ok((http.server.address() as AddressInfo).port > 0);
  const calls = heardRequests(http.server);
  return { client: new BongsuClient({ url: `${url}/`, id: ID, password: PASSWORD }), gateway, calls };
}

test('sends on every channel, with one token', async t => {
  const { client, calls } = await connected(t);
  const [sms, ...others] = await Promise.all([
    client.send('sms', SEND_EXAMPLES.sms.text),
    client.send('mms', SEND_EXAMPLES.mms['long text']),
    client.send('international', SEND_EXAMPLES.international.text),
    client.send('rcs', SEND_EXAMPLES.rcs['one card, SMS as fallback']),
    client.send('alimtalk', SEND_EXAMPLES.alimtalk['template with a button']),
    client.send('friendtalk', SEND_EXAMPLES.friendtalk.image),
    client.send('brandmessage', SEND_EXAMPLES.brandmessage.free),
  ]);
  assert.equal(sms.ref, 'order-1042');
  assert.equal(new Set([sms, ...others].map(({ msgKey }) => msgKey)).size, 7);
  assert.equal(calls.filter(call => call === 'POST /v1/auth/token').length, 1);
});

test('reaches every operation of the contract', async t => {
  const { client, calls, gateway } = await connected(t);
  const { msgKey } = await client.send('sms', SEND_EXAMPLES.sms.text);
  const omni = await client.sendOmni(SEND_EXAMPLES.omni['RCS, then alimtalk, then SMS']);
  assert.deepEqual(
    omni.destinations.map(({ code }) => code),
    ['A000', 'A000'],
  );

  const formId = await client.createForm([{ sms: { from: '0212345678', text: '#{name}' } }]);
  await client.replaceForm(formId, [{ sms: { from: '0212345678', text: 'hello #{name}' } }]);
  assert.deepEqual((await client.readForm(formId)).messageForm, [
    { sms: { from: '0212345678', text: 'hello #{name}' } },
  ]);
  const destinations = [{ to: '01012345678', replaceWords: { name: 'you' } }];
  assert.equal((await client.sendOmni({ destinations, messageForm: formId })).destinations[0]?.code, 'A000');
  await client.deleteForm(formId);

  const later = {
    resvSendTime: '2026-02-01 09:00:00',
    messageFlow: [{ sms: { from: '0212345678', text: 'hi' } }],
  };
  const {
    resvKey = '',
    destinations: [reserved],
  } = await client.reserve({ ...later, destinations });
  assert.equal(
    (await client.reservations({ status: 'PENDING', limit: 5 })).reservations[0]?.resvKey,
    resvKey,
  );
  const [added] = await client.addReservedRecipients(resvKey, [{ to: '01012345679' }]);
  await client.removeReservedRecipient(resvKey, added?.msgKey ?? '');
  assert.equal((await client.reservedRecipients(resvKey)).destinations[0]?.msgKey, reserved?.msgKey);
  assert.equal((await client.changeReservation(resvKey, { resvName: 'x' })).resvName, 'x');
  await assert.rejects(client.stopReservation(resvKey), { code: 'A824' });
  await assert.rejects(client.resumeReservation(resvKey), { code: 'A824' });
  assert.equal((await client.cancelReservation(resvKey)).status, 'CANCELLED');
  assert.equal((await client.readReservation(resvKey)).expectedCnt, 1);
  const waits = await client.send('sms', { ...SEND_EXAMPLES.sms.text, resvSendTime: later.resvSendTime });
  assert.notEqual(waits.resvKey, undefined);

  await until('the record is there', async () => (await client.inquire(msgKey)).length > 0);
  const batch = await client.poll();
  assert.ok(batch.report?.some(report => report.msgKey === msgKey));
  await client.acknowledge(batch.reportId);

  const requestId = msgKey.slice(0, -3);
  assert.equal((await client.message(msgKey)).requestId, requestId);
  assert.equal((await client.inquireMessage(msgKey))[0]?.state, 'delivered');
  assert.equal((await client.inquireRequest(requestId)).length, 1);
  const history = await client.history({ serviceType: 'SMS', limit: 1 });
  assert.ok(history.hasNext);
  assert.match(await (await client.exportHistory({ ref: 'order-1042' })).text(), new RegExp(msgKey));
  await assert.rejects(client.exportHistory({ reportCode: '1' }), { code: 'A300' });
  assert.ok(Array.isArray(await client.statistics({ startDate: '20260101', endDate: '20260131' })));
  await assert.rejects(client.cancel(msgKey), { code: 'A825' });
  assert.equal((await client.cancelRequest(requestId))[0]?.code, 'A825');
  assert.equal((await client.addOptOuts([{ to: '01077778888' }])).added, 1);
  assert.equal((await client.importOptOuts('to\n01077779999\n')).added, 1);
  assert.match(await (await client.exportOptOuts()).text(), /01077778888/);
  assert.equal(await client.giveConsentBack([{ to: '01077779999' }]), 1);
  assert.equal((await client.listOptOuts()).optOuts.length, 1);

  const { registry } = gateway.gateway.store;
  const number = { kind: 'inboundNumber', number: '15881234', keyword: '*' } as const;
  await registry.put(ID as AccountId, [number]);
  const question = { from: '01012345678', to: '15881234', text: 'When do you open?' };
  await gateway.operator('POST', '/simulator/inbound', question);
  const { moId, mo } = await client.pollInbound();
  const [said] = mo ?? [];
  assert.equal(said?.content, question.text);
  await client.acknowledgeInbound(moId);
  assert.deepEqual(await client.pollInbound(), { moId: '', mo: null });
  assert.deepEqual(await client.inquireInbound(said?.msgKey ?? ''), said);
  const page = await client.listInbound({ occurredTime: said?.occurredTime ?? '', limit: 1 });
  assert.deepEqual(page, { messages: [said], lastSeq: said?.msgKey, hasNext: false });

  const path = join(scratchDirectory(), 'card.jpg');
  writeFileSync(path, image('jpg', 640, 480));
  assert.ok((await client.uploadFile({ serviceType: 'MMS' }, path)).fileKey);
  const bytes = new Uint8Array(image('jpg', 800, 400));
  const item = { serviceType: 'FRIENDTALK', msgType: 'FL', subType: 'first' } as const;
  assert.match((await client.uploadFile(item, { name: 'item.jpg', bytes })).imgUrl ?? '', /\/files\//);

  const reached = new Set(calls.map(call => call.split('?')[0]));
  const described = API_OPERATIONS.filter(({ access }) => access === 'account');
  const missed = described.filter(
    ({ method, path: template }) =>
      ![...reached].some(call =>
        new RegExp(`^${method.toUpperCase()} ${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(call ?? ''),
      ),
  );
  assert.deepEqual(
    missed.map(({ operationId }) => operationId),
    // The same method as the one sent above; uploads differ in the number of their segments only.
    [
      ...['sendMms', 'sendInternational', 'sendRcs', 'sendAlimtalk', 'sendFriendtalk', 'sendBrandmessage'],
      'uploadFileForType',
    ],
  );
});

test('renews a token that has expired, once for all calls that wait', async t => {
  const { client, gateway, calls } = await connected(t);
  await client.poll();
  gateway.clock.advance(25 * 60 * 60_000);
  await Promise.all([client.poll(), client.inquire('none'), client.poll()]);
  assert.equal(calls.filter(call => call === 'POST /v1/auth/token').length, 2);
});

test('throws what the gateway refuses, and asks for a token again after a refused one', async t => {
  const { client, gateway, calls } = await connected(t);
  const refused = client.send('sms', { ...SEND_EXAMPLES.sms.text, text: '' });
  await assert.rejects(refused, (error: unknown) => error instanceof GatewayRefusal && error.code === 'A303');

  const url = `http://127.0.0.1:${(gateway.gateway.http.server.address() as AddressInfo).port}`;
  const stranger = new BongsuClient({ url, id: ID, password: 'wrong password' });
  calls.length = 0;
  for (const _attempt of [1, 2]) await assert.rejects(stranger.poll(), { code: 'A100' });
  assert.deepEqual(calls, ['POST /v1/auth/token', 'POST /v1/auth/token']);
});

test('a send with an idempotency key can be repeated', async t => {
  const { client } = await connected(t);
  const send = () => client.send('sms', SEND_EXAMPLES.sms.text, { idempotencyKey: 'order-1042' });
  const first = await send();
  assert.deepEqual(await send(), { ...first, isReplay: true });
});

test('keeps a list of recipients who opted out', async t => {
  const { client } = await connected(t);
  assert.deepEqual(await client.addOptOuts([{ to: '01012345678' }]), { added: 1, known: 0 });
  const { optOuts, next } = await client.listOptOuts({ to: '01012345678' });
  assert.deepEqual([optOuts[0]?.to, optOuts[0]?.covers, next], ['01012345678', 'advertisements', null]);
  assert.equal(await client.giveConsentBack([{ to: '01012345678' }]), 1);
  assert.equal((await client.listOptOuts({ state: 'all' })).optOuts[0]?.endedBy, 'shop');
});
