/** Messages of people: from an SMSC into the store, whose they are, and how their accounts get them. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { MessagePdu } from '../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { byteTlv, shortTlv, TAGS } from '../../src/carriers/smpp/tlv.ts';
import { type AccountId, type MsgKey, timePrefix } from '../../src/domain/ids.ts';
import type { NewInbound } from '../../src/store/store.ts';
import { freshStore } from '../harness/engines.ts';
import { Client, type TestGateway, testAccount } from '../harness/gateway.ts';
import { failNext } from '../harness/network.ts';
import type { Env } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { configFile } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const DAY_MS = 86_400_000;
const EVERYTHING = {
  ...{ since: 0, from: undefined, to: undefined, after: undefined },
  order: 'oldest' as const,
  limit: 100,
};

const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();

const TO_RADIO = { from: '01012345670', to: '15881234' };

/** As a node stores it that dies before it applies the rules. */
function dueMessage(rulesAt: number, index: number, account: string, text: string): NewInbound {
  return {
    ...{ account: account as AccountId, text, keyword: '*', receivedAt: rulesAt, rulesAt },
    msgKey: `${timePrefix(rulesAt)}${String(index).padStart(22, '0')}` as MsgKey,
    ...{ carrier: 'sky', carrierId: String(index), occurrence: undefined },
    ...{ from: `0101234567${index}`, to: '15881234' },
  };
}

class Scene {
  readonly gateway: TestGateway;
  readonly smsc: Smsc;
  readonly shop: Client;

  constructor(gateway: TestGateway, smsc: Smsc, shop: Client) {
    this.gateway = gateway;
    this.smsc = smsc;
    this.shop = shop;
  }

  get store() {
    return this.gateway.gateway.store.inbound;
  }

  /** Sends one, and resolves to the status of its acknowledgement. */
  async deliver(fields: Partial<MessagePdu>): Promise<number | undefined> {
    const { acknowledged } = this.smsc;
    const before = acknowledged.length;
    this.smsc.receiver?.deliver(fields);
    await until('it is answered', () => acknowledged.length > before);
    return acknowledged[before];
  }

  say(text: string, fields: Partial<MessagePdu> = {}): Promise<number | undefined> {
    return this.deliver({ dataCoding: 8, shortMessage: ucs2(text), ...fields });
  }

  /** Texts of an account, or of nobody, as they are stored. */
  async texts(account: string | null = 'shop'): Promise<(string | undefined)[]> {
    const list = await this.store.list({ ...EVERYTHING, account: account as AccountId | null });
    return list.map(({ text }) => text);
  }

  /** The SMSC has our answers to what came so far. */
  async confirmed(): Promise<void> {
    const enquiries = this.smsc.enquiries;
    await until('the SMSC was asked', () => {
      this.gateway.clock.advance(1000);
      return this.smsc.enquiries >= enquiries + 2;
    });
    await this.gateway.request('GET', '/healthz');
  }
}

async function scene(t: TestContext, settings?: Env): Promise<Scene> {
  const smsc = await Smsc.listen();
  t.after(() => smsc.close());
  const file = [
    'carriers:',
    `  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret }`,
    'routes:',
    '  - { channel: sms, via: [sky] }',
  ];
  const env = { ...(settings ?? (await freshStore(t))), BONGSU_CONFIG: configFile(file.join('\n')) };
  const { gateway, client: shop } = await testAccount(t, { env });
  await until('the carrier is bound', () => smsc.receiver);
  await gateway.account('radio');
  const { registry } = gateway.gateway.store;
  const number = { kind: 'inboundNumber', number: '15881234' } as const;
  await registry.put('shop' as AccountId, [{ ...number, keyword: '*' }]);
  await registry.put('radio' as AccountId, [
    { ...number, keyword: '이벤트', reply: '참여해 주셔서 고맙습니다' },
  ]);
  return new Scene(gateway, smsc, shop);
}

test('a message belongs to the account of its number and keyword, and to nobody otherwise', async t => {
  const inbound = await scene(t);
  assert.equal(await inbound.say('영업시간이 궁금합니다'), STATUS.ok);
  assert.equal(await inbound.say('이벤트 참여'), STATUS.ok);
  assert.equal(await inbound.say('누구세요', { destination: { ton: 0, npi: 1, digits: '1234' } }), STATUS.ok);
  assert.deepEqual(await inbound.texts(), ['영업시간이 궁금합니다']);
  assert.deepEqual(await inbound.texts('radio'), ['이벤트 참여']);
  assert.deepEqual(await inbound.texts(null), ['누구세요']);
});

test('long messages are joined, by header, optional parameters and payload, in any order', async t => {
  const inbound = await scene(t);
  const text = '가나다라마바사아자차카타파하 '.repeat(10);
  const octets = ucs2(text);
  // Cut in the middle of a character.
  const cuts = [octets.subarray(0, 133), octets.subarray(133, 266), octets.subarray(266)];
  for (const index of [2, 0, 1]) {
    const header = Buffer.from([5, 0, 3, 9, 3, index + 1]);
    const shortMessage = Buffer.concat([header, cuts[index] ?? Buffer.alloc(0)]);
    assert.equal(await inbound.deliver({ dataCoding: 8, esmClass: 0x40, shortMessage }), STATUS.ok);
  }
  for (const index of [0, 1, 2]) {
    const tlvs = [
      shortTlv(TAGS.sarMsgRefNum, 77),
      byteTlv(TAGS.sarTotalSegments, 3),
      byteTlv(TAGS.sarSegmentSeqnum, index + 1),
    ];
    await inbound.deliver({ dataCoding: 8, shortMessage: cuts[index] ?? Buffer.alloc(0), tlvs });
  }
  await inbound.deliver({ dataCoding: 8, tlvs: [{ tag: TAGS.messagePayload, value: octets }] });
  assert.deepEqual(await inbound.texts(), [text, text, text]);
});

test('of a long message whose rest does not come, what there is can be read after an hour', async t => {
  const inbound = await scene(t);
  const shortMessage = Buffer.concat([Buffer.from([5, 0, 3, 9, 3, 2]), ucs2('가운데')]);
  await inbound.deliver({ dataCoding: 8, esmClass: 0x40, shortMessage });
  const source = { ton: 1, npi: 1, digits: '821087654321' };
  await inbound.deliver({ dataCoding: 8, esmClass: 0x40, shortMessage, source });
  assert.deepEqual(await inbound.texts(), []);
  const failing = failNext(inbound.store, 'join', ['before']);
  inbound.gateway.clock.advance(3_600_000);
  await until('one could not be stored', () => {
    if (failing.left > 0) inbound.gateway.clock.advance(60_000);
    return failing.left === 0;
  });
  await until('one is there although the other could not be stored', async () => (await inbound.texts())[0]);
  await until('both are there', async () => {
    inbound.gateway.clock.advance(60_000);
    return (await inbound.texts()).length === 2;
  });
  assert.deepEqual(await inbound.texts(), ['[…]가운데[…]', '[…]가운데[…]']);
});

test('what the carrier repeats is stored once, and what a person repeats twice', async t => {
  const inbound = await scene(t);
  await inbound.say('네');
  await inbound.say('네');
  assert.deepEqual(await inbound.texts(), ['네', '네'], 'answered at once on the same session');
  // The answers may be lost with the connection.
  const before = inbound.smsc.receiver;
  inbound.smsc.drop();
  await until('it is bound again', () => {
    inbound.gateway.clock.advance(100);
    return inbound.smsc.receiver !== before && inbound.smsc.receiver;
  });
  await inbound.say('네');
  await inbound.say('네');
  assert.deepEqual(await inbound.texts(), ['네', '네'], 'both were repeated');
  await inbound.confirmed();
  await until('it is another message', async () => {
    const stored = (await inbound.texts()).length;
    await inbound.say('네');
    return (await inbound.texts()).length > stored;
  });
});

test('Korean text is read as CP949, and a text that is not in its alphabet is refused for good, not stored', async t => {
  const inbound = await scene(t);
  const shortMessage = Buffer.from('bcf6bdc5b0c5bace20 8c63'.replace(' ', ''), 'hex');
  assert.equal(await inbound.deliver({ dataCoding: 14, shortMessage }), STATUS.ok);
  assert.equal(await inbound.deliver({ dataCoding: 0x84, shortMessage }), STATUS.permanentAppError);
  assert.deepEqual(await inbound.texts(), ['수신거부 똠']);
});

test('what cannot be stored is not acknowledged, and nothing is lost or doubled when it comes again', async t => {
  const inbound = await scene(t);
  for (const failure of ['before', 'after'] as const) {
    failNext(inbound.gateway.gateway.store.inbound, 'add', [failure]);
    const text = `failed ${failure}`;
    inbound.gateway.clock.advance(1);
    assert.equal(await inbound.say(text), STATUS.temporaryAppError);
    assert.equal(await inbound.say(text), STATUS.ok);
  }
  assert.deepEqual(await inbound.texts(), ['failed before', 'failed after']);
});

test('a keyword is answered once, also after a crash between storing and answering', async t => {
  const inbound = await scene(t);
  failNext(inbound.gateway.gateway.store.inbound, 'rulesApplied', ['before']);
  await inbound.say('이벤트');
  await until('it was answered', () => inbound.smsc.texts.length > 0);
  await until('the rules were applied again', async () => {
    inbound.gateway.clock.advance(5000);
    const [mo] = await inbound.store.list({ ...EVERYTHING, account: 'radio' as AccountId });
    return mo?.reply;
  });
  assert.deepEqual(inbound.smsc.texts, ['참여해 주셔서 고맙습니다']);
  const [submit] = inbound.smsc.submits;
  assert.deepEqual([submit?.source.digits, submit?.destination.digits], ['15881234', '01012345678']);
});

test('is fetched by polling in batches, looked up, and in the history', async t => {
  const inbound = await scene(t);
  const { shop, gateway } = inbound;
  assert.deepEqual((await shop.call('GET', '/v1/mo/polling')).body.data, { moId: '', mo: null });
  await inbound.say('첫째');
  gateway.clock.advance(1000);
  await inbound.say('둘째', { source: { ton: 1, npi: 1, digits: '14155550123' } });
  const polled = await shop.call('GET', '/v1/mo/polling');
  const { moId, mo } = polled.body.data;
  assert.deepEqual(mo[0], {
    msgKey: mo[0].msgKey,
    ...{ serviceType: 'MO', msgType: 'SM', to: '15881234', from: '01012345678', originator: '01012345678' },
    ...{ content: '첫째', occurredTime: '2026-01-05T12:00:00+09:00' },
  });
  assert.equal(mo[1].from, '+14155550123');
  assert.equal((await shop.call('GET', '/v1/mo/polling')).text, polled.text);
  const radio = new Client(gateway, 'radio', await gateway.token('radio'));
  assert.equal((await radio.call('DELETE', `/v1/mo/polling/${moId}`)).body.code, 'A805');
  assert.equal((await shop.call('DELETE', `/v1/mo/polling/${moId}`)).body.code, 'A000');
  const again = await shop.call('DELETE', `/v1/mo/polling/${moId}`);
  assert.deepEqual([again.body.code, again.body.result], ['A805', 'Invalid moId']);
  assert.deepEqual((await shop.call('GET', '/v1/mo/polling')).body.data, { moId: '', mo: null });

  const lookUp = (client: Client, key: string) => client.call('GET', `/v1/message/inquiry/mo/msgKey/${key}`);
  assert.deepEqual((await lookUp(shop, mo[0].msgKey)).body.data.messages, [mo[0]]);
  assert.deepEqual((await lookUp(radio, mo[0].msgKey)).body.data.messages, []);
  const history = async (query: string, client = shop) =>
    (await client.call('GET', `/v1/message/history/mo?occurredTime=2026-01-05T12:00:00%2B09:00${query}`))
      .body;
  assert.deepEqual((await history('')).data, { messages: mo, lastSeq: mo[1].msgKey, hasNext: false });
  const page = (await history('&limit=1')).data;
  assert.deepEqual(page, { messages: [mo[0]], lastSeq: mo[0].msgKey, hasNext: true });
  assert.deepEqual((await history(`&limit=1&lastSeq=${page.lastSeq}`)).data.messages, [mo[1]]);
  assert.deepEqual((await history('&from=%2B82-10-1234-5678')).data.messages, [mo[0]]);
  assert.deepEqual((await history('&to=1234')).data.messages, []);
  assert.deepEqual((await history('', radio)).data.messages, []);
  for (const [query, says] of [
    ['&limit=0', '"limit" must be a whole number from 1 to 1000'],
    ['&lastSeq=x', '"lastSeq" must be the "lastSeq" of an earlier answer'],
    [`&from=${'1'.repeat(40)}`, '"from" must be a telephone number'],
  ] as const) {
    assert.deepEqual(await history(query), { code: 'A300', result: says });
  }
  const without = await shop.call('GET', '/v1/message/history/mo');
  assert.equal(without.body.result, '"occurredTime" must be a time such as 2026-03-02T09:30:00+09:00');
});

test('is pushed by webhook, signed as reports are', async t => {
  const inbound = await scene(t, { ...(await freshStore(t)), BONGSU_WEBHOOK_PRIVATE: 'allow' });
  const receiver = await startReceiver(t);
  const { gateway } = inbound;
  await gateway.gateway.accounts.change('shop' as AccountId, {
    settings: { reportMode: 'webhook', webhookUrl: receiver.url },
  });
  await inbound.say('안녕하세요');
  let looks = 0;
  const call = await until('it was pushed', () => {
    // The call is measured by this clock, and takes its time.
    if (looks++ % 50 === 0) gateway.clock.advance(1000);
    return receiver.received[0];
  });
  const { record: body } = call;
  assert.deepEqual(
    [body.serviceType, body.content, body.from, body.to],
    ['MO', '안녕하세요', '01012345678', '15881234'],
  );
  assert.equal(call.headers['webhook-id'], `${body.msgKey}-999`);
  assert.match(String(call.headers['webhook-signature']), /^v1,/);
  assert.deepEqual((await inbound.shop.call('GET', '/v1/mo/polling')).body.data, { moId: '', mo: null });

  const now = gateway.clock.now();
  const range = { from: new Date(now - 3_600_000).toISOString(), until: new Date(now + 1).toISOString() };
  const answer = await gateway.operator('POST', '/accounts/shop/webhook/replay', range);
  assert.deepEqual(answer.body.data, { records: 1 });
  const again = await until('it was pushed again', () => {
    if (looks++ % 50 === 0) gateway.clock.advance(1000);
    return receiver.received[1];
  });
  assert.equal(again.headers['webhook-id'], call.headers['webhook-id']);
});

test('operators see all of it masked, give what is nobody’s to an account, and write from a simulated handset', async t => {
  const { gateway, client: shop } = await testAccount(t, { env: { BONGSU_MASKING: 'everyone' } });
  const { operator } = gateway;
  const say = (body: object) => operator('POST', '/simulator/inbound', body);
  const said = await say({ from: '01012345678', to: '15881234', text: '영업하나요' });
  const { msgKey } = said.body.data;
  assert.deepEqual(said.body.data, { msgKey, account: null, to: '15881234' });
  const list = async (query = '') => (await operator('GET', `/inbound${query}`)).body.data.messages;
  const [row] = await list('?account=none');
  assert.deepEqual(
    [row.from, row.text, row.handover, row.carrier, row.masked],
    ['010****5678', '***', 'unmatched', 'simulator', true],
  );
  const reveal = `/inbound/${msgKey}/reveal`;
  assert.equal((await operator('POST', reveal, { reason: 'x' })).body.code, 'A300');
  const revealed = await operator('POST', reveal, { reason: 'whose number is it?' });
  assert.deepEqual([revealed.body.data.from, revealed.body.data.text], ['01012345678', '영업하나요']);
  const assign = (account: unknown) => operator('POST', `/inbound/${msgKey}/assign`, { account });
  assert.equal((await assign('nobody')).status, 404);
  assert.equal((await assign('shop')).body.data.account, 'shop');
  assert.equal((await assign('shop')).body.result, 'The message belongs to an account already');
  assert.deepEqual(await list('?account=none'), []);
  assert.equal((await shop.call('GET', '/v1/mo/polling')).body.data.mo[0].content, '영업하나요');
  await operator('PUT', '/accounts/shop/registry/inboundNumber/15881234%2F*', { reply: '네, 9시에 엽니다' });
  const answered = (await say({ from: '01012345678', to: '15881234', text: '언제 여나요' })).body.data;
  assert.equal(answered.account, 'shop');
  const replyKey = await until('it was answered', async () => {
    const rows = await list('?account=shop&from=010-1234-5678&to=15881234');
    return rows.find((one: { msgKey: string }) => one.msgKey === answered.msgKey)?.replyKey;
  });
  const [report] = await shop.reportsOf(replyKey);
  assert.equal(report?.reportCode, '10000');
  const taken = await operator('PUT', '/accounts/other/registry/inboundNumber/15881234%2F*', {});
  assert.equal(taken.status, 404);
  await gateway.account('other');
  const refused = await operator('PUT', '/accounts/other/registry/inboundNumber/15881234%2F*', {});
  assert.equal(refused.body.result, 'The inbound number "15881234/*" belongs to the account "shop"');
  for (const body of [{}, { from: 'x', to: '1234', text: '' }, { from: '010', to: '1234', text: 5 }]) {
    assert.equal((await say(body)).body.code, 'A300');
  }
  const audit = (await operator('GET', '/audit')).body.data.entries.map(
    ({ action }: { action: string }) => action,
  );
  for (const action of ['inbound.assign', 'inbound.simulate', 'personal.reveal'])
    assert.ok(audit.includes(action));
});

test('texts are removed before the rest, and a sender is erased from messages', async t => {
  const store = await freshStore(t);
  const key = Buffer.alloc(32, 7).toString('base64');
  const { gateway, client: shop } = await testAccount(t, {
    env: { ...store, BONGSU_DATA_KEY: key, BONGSU_TOKEN_LIFETIME: '90d' },
  });
  await gateway.operator('PUT', '/accounts/shop/registry/inboundNumber/15881234%2F*', {});
  const say = (text: string) =>
    gateway.operator('POST', '/simulator/inbound', { from: '01012345678', to: '15881234', text });
  await say('오래된 문의');
  const query = '/v1/message/history/mo?occurredTime=2026-01-01T00:00:00%2B09:00';
  const contents = async () =>
    (await shop.call('GET', query)).body.data.messages.map((mo: { content: string }) => mo.content);
  assert.deepEqual(await contents(), ['오래된 문의']);
  gateway.clock.advance(8 * DAY_MS);
  await say('새 문의');
  await until('the old text is gone', async () => {
    gateway.clock.advance(1000);
    return (await contents())[0] === '';
  });
  assert.deepEqual(await contents(), ['', '새 문의']);
  const { inbound } = gateway.gateway.store;
  assert.equal(await inbound.erase(['01012345678'], undefined), 2);
  const { messages } = (await shop.call('GET', query)).body.data;
  assert.deepEqual(
    messages.map((mo: { from: string; content: string }) => [mo.from, mo.content]),
    [
      ['erased', ''],
      ['erased', ''],
    ],
  );
  gateway.clock.advance(30 * DAY_MS);
  await until('all is gone', async () => {
    gateway.clock.advance(60_000);
    return (await inbound.list({ ...EVERYTHING, account: undefined })).length === 0;
  });
});

test('ten messages of a sender are answered in an hour; what was not answered does not count, nor is the same answer a duplicate', async t => {
  const { gateway } = await testAccount(t, { settings: { duplicateWindow: 300 } });
  const { operator } = gateway;
  await operator('PUT', '/accounts/shop/registry/inboundNumber/15881234%2F*', { reply: '네, 9시에 엽니다' });
  const handset = { from: '01012345678', to: '15881234' };
  const say = async (text: string) => {
    gateway.clock.advance(1);
    return (await operator('POST', '/simulator/inbound', { ...handset, text })).body.data.msgKey;
  };
  for (let count = 0; count < 11; count++) await say('STOP');
  const order = { ...handset, since: 0, before: 'Z' as MsgKey, most: 20 };
  await until('their rules are applied', async () => {
    const { messages, answered } = await gateway.gateway.store.inbound.countFrom(order);
    return messages === 11 && answered === 0;
  });
  const outcomeOf = async (msgKey: string): Promise<string> =>
    until('it is answered or not', async () => {
      const { messages } = (await operator('GET', '/inbound?account=shop')).body.data;
      const row = messages.find((one: { msgKey: string }) => one.msgKey === msgKey);
      return row?.replyKey ?? row?.replyProblem;
    });
  const keys = new Set<string>();
  for (let count = 0; count < 10; count++) keys.add(await outcomeOf(await say('언제 여나요')));
  assert.equal(keys.size, 10);
  assert.ok(
    [...keys].every(key => key.length === 32),
    [...keys].join(),
  );
  assert.equal(await outcomeOf(await say('언제 여나요')), 'tooMany');
});

test('an answer that was due at a backup is not sent after its restore, but an opt-out that was due is applied', async t => {
  const { gateway, client: shop } = await testAccount(t);
  await gateway.account('radio');
  const { registry, inbound, upkeep } = gateway.gateway.store;
  await registry.put('radio' as AccountId, [
    { kind: 'inboundNumber', number: '15881234', keyword: '*', reply: '고맙습니다' },
  ]);
  const now = gateway.clock.now();
  await inbound.add([
    dueMessage(now + 1000, 0, 'radio', '참여'),
    dueMessage(now + 1000, 1, 'shop', '수신거부'),
  ]);
  await upkeep.holdBack({ since: 0, now });
  gateway.clock.advance(1000);
  const [one] = await until('the rules are applied', async () => {
    const { optOuts } = (await shop.call('GET', '/v1/optout')).body.data;
    const due = await inbound.countFrom({ ...TO_RADIO, since: 0, before: 'Z' as MsgKey, most: 10 });
    return optOuts.length > 0 && due.answered === 0 && optOuts;
  });
  assert.equal(one.to, '01012345671');
  const [mo] = await inbound.list({ ...EVERYTHING, account: 'radio' as AccountId });
  assert.deepEqual(mo?.reply, { problem: 'restored' });
});

test('an answer that is refused again and again holds up no opt-out of another account', async t => {
  const { gateway, client: shop } = await testAccount(t);
  await gateway.account('radio', { sendRate: 1 });
  const { registry, inbound } = gateway.gateway.store;
  await registry.put('radio' as AccountId, [
    { kind: 'inboundNumber', number: '15881234', keyword: '*', reply: '고맙습니다' },
  ]);
  const dueAt = gateway.clock.now();
  const answered = [0, 1, 2].map(index => dueMessage(dueAt + index, index, 'radio', '참여'));
  await inbound.add([...answered, dueMessage(dueAt + 3, 3, 'shop', '수신거부')]);
  const optOuts = async () => (await shop.call('GET', '/v1/optout')).body.data.optOuts;
  assert.equal((await optOuts()).length, 0);
  gateway.clock.advance(1000);
  await until(
    'the sender is on the list, without another look at what is due',
    async () => (await optOuts()).length > 0,
  );
  const replies = async () =>
    (await inbound.list({ ...EVERYTHING, account: 'radio' as AccountId })).filter(({ reply }) => reply);
  await until('one is answered', async () => (await replies()).length === 1);
  await until('all are answered', async () => {
    gateway.clock.advance(5000);
    return (await replies()).length === 3;
  });
});
