/** Messages of people: from an SMSC into the store, whose they are, and how their accounts get them. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { MessagePdu } from '../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { byteTlv, shortTlv, TAGS } from '../../src/carriers/smpp/tlv.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { freshStore } from '../harness/engines.ts';
import { type Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { failNext } from '../harness/network.ts';
import { configFile } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();

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
    const query = { since: 0, from: undefined, to: undefined, after: undefined, order: 'oldest' } as const;
    const list = await this.store.list({ ...query, account: account as AccountId | null, limit: 100 });
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

async function scene(t: TestContext, store = freshStore(t)): Promise<Scene> {
  const smsc = await Smsc.listen();
  t.after(() => smsc.close());
  const file = [
    'carriers:',
    `  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret }`,
    'routes:',
    '  - { channel: sms, via: [sky] }',
    '  - { channel: mms, via: [simulator] }',
  ];
  const env = { ...(await store), BONGSU_CONFIG: configFile(t, file.join('\n').replace(/.*mms.*/, '')) };
  const gateway = await testGateway(t, env);
  await until('the carrier is bound', () => smsc.receiver);
  const shop = await gateway.account('shop');
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
  assert.deepEqual(await inbound.texts(), []);
  inbound.gateway.clock.advance(3_600_000);
  await until('it is there', async () => {
    inbound.gateway.clock.advance(60_000);
    return (await inbound.texts()).length === 1;
  });
  assert.deepEqual(await inbound.texts(), ['[…]가운데[…]']);
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

test('what cannot be stored is not acknowledged, and nothing is lost or doubled when it comes again', async t => {
  const inbound = await scene(t);
  for (const failure of ['before', 'after'] as const) {
    failNext(inbound.gateway.gateway.store.inbound, 'add', [failure]);
    const text = `failed ${failure}`;
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
    const [mo] = await inbound.store.list({
      ...{ account: 'radio' as AccountId, since: 0, from: undefined, to: undefined, after: undefined },
      ...{ order: 'oldest', limit: 1 },
    });
    return mo?.reply;
  });
  assert.deepEqual(inbound.smsc.texts, ['참여해 주셔서 고맙습니다']);
  const [submit] = inbound.smsc.submits;
  assert.deepEqual([submit?.source.digits, submit?.destination.digits], ['15881234', '01012345678']);
});
