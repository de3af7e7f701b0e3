/** Messages of people: each stored once, whose it is, and how accounts fetch it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AccountId, type MsgKey, timePrefix } from '../../../src/domain/ids.ts';
import { INBOUND_STEP } from '../../../src/domain/inbound/inbound.ts';
import type { NewInbound, NewInboundPart } from '../../../src/store/store.ts';
import { ACME, DAY_MS, GLOBEX, type OpenStore, type StoreUnderTest, sweepAll } from './store-under-test.ts';

let made = 0;

export function inboundMessage(scene: StoreUnderTest, changes: Partial<NewInbound> = {}): NewInbound {
  const now = scene.clock.now();
  return {
    msgKey: `${timePrefix(now)}${String(made++).padStart(22, '0')}` as MsgKey,
    account: ACME,
    carrier: 'sky',
    carrierId: undefined,
    occurrence: 0,
    to: '15881234',
    from: '01012345678',
    text: '안녕하세요',
    keyword: '*',
    receivedAt: now,
    rulesAt: now + 30_000,
    ...changes,
  };
}

export function part(
  scene: StoreUnderTest,
  number: number,
  changes: Partial<NewInboundPart> = {},
): NewInboundPart {
  return {
    carrier: 'sky',
    to: '15881234',
    from: '01012345678',
    reference: 'udh 7',
    part: number,
    total: 2,
    alphabet: 'utf-16be',
    octets: Buffer.from(`part ${number}`).toString('base64'),
    receivedAt: scene.clock.now(),
    ...changes,
  };
}

const query = {
  since: 0,
  from: undefined,
  to: undefined,
  after: undefined,
  order: 'oldest',
  limit: 10,
} as const;

export function inboundContract(open: OpenStore): void {
  test('stores a message once under the id of its carrier, whatever it says', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const first = inboundMessage(scene, { carrierId: 'A1', occurrence: undefined });
    assert.deepEqual(await inbound.add([first]), [{ msgKey: first.msgKey, isNew: true }]);
    await inbound.confirm([first.msgKey], []);
    const again = inboundMessage(scene, { carrierId: 'A1', occurrence: undefined, text: 'other' });
    assert.deepEqual(await inbound.add([again]), [{ msgKey: first.msgKey, isNew: false }]);
    const elsewhere = inboundMessage(scene, { carrierId: 'A1', occurrence: undefined, carrier: 'sea' });
    assert.deepEqual(await inbound.add([elsewhere]), [{ msgKey: elsewhere.msgKey, isNew: true }]);
  });

  test('without an id the same words are a repeat until they are confirmed', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const first = inboundMessage(scene);
    const second = inboundMessage(scene, { occurrence: 1 });
    assert.deepEqual(
      (await inbound.add([first, inboundMessage(scene), second])).map(({ isNew }) => isNew),
      [true, false, true],
    );
    await scene.reopen();
    const repeat = { msgKey: first.msgKey, isNew: false };
    assert.deepEqual(await scene.store.inbound.add([inboundMessage(scene)]), [repeat]);
    await scene.store.inbound.confirm([first.msgKey], []);
    const third = inboundMessage(scene);
    assert.deepEqual(await scene.store.inbound.add([third]), [{ msgKey: third.msgKey, isNew: true }]);
    const found = await scene.store.inbound.find(first.msgKey);
    const { carrierId: _, occurrence: _o, rulesAt: _r, ...stored } = first;
    assert.deepEqual(found, { ...stored, fetchedAt: undefined, handover: 'waiting', reply: undefined });
  });

  test('joins parts once they are all there, in any order, and knows repeats of each', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const two = await inbound.addPart(part(scene, 2));
    assert.equal(two.complete, undefined);
    assert.deepEqual(await inbound.addPart(part(scene, 2)), two, 'a repeat');
    const one = await inbound.addPart(part(scene, 1));
    assert.deepEqual(
      one.complete?.map(({ part: number }) => number),
      [1, 2],
    );
    assert.deepEqual((await inbound.addPart(part(scene, 1))).complete?.length, 2, 'not joined yet');
    const joined = inboundMessage(scene, { occurrence: undefined, text: 'part 1part 2' });
    assert.equal(await inbound.join([one.id, two.id], joined), true);
    assert.equal(
      await inbound.join([one.id, two.id], inboundMessage(scene, { occurrence: undefined })),
      false,
    );
    assert.deepEqual(await inbound.addPart(part(scene, 1)), { id: one.id, complete: undefined });
    await inbound.confirm([], [one.id, two.id]);
    const anew = await inbound.addPart(part(scene, 1));
    assert.notEqual(anew.id, one.id, 'the same words after the answer was read are another message');
    const list = await inbound.list({ ...query, account: ACME });
    assert.deepEqual(
      list.map(({ text }) => text),
      ['part 1part 2'],
    );
  });

  test('a reference that is used again does not mix two messages, and what was left is found', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    await inbound.addPart(part(scene, 1, { octets: 'b2xk' }));
    scene.clock.advance(DAY_MS);
    const one = await inbound.addPart(part(scene, 1));
    const { complete } = await inbound.addPart(part(scene, 2));
    assert.deepEqual(
      complete?.map(({ octets }) => octets),
      [part(scene, 1).octets, part(scene, 2).octets],
    );
    assert.equal(complete?.[0]?.id, one.id);
    const other = await inbound.addPart(part(scene, 2, { from: '01099999999' }));
    assert.equal(other.complete, undefined, 'of another sender');
    const stale = await inbound.staleParts(scene.clock.now(), 10, 0);
    assert.deepEqual(
      stale.map(parts => parts.map(({ octets }) => octets)),
      [['b2xk']],
    );
  });

  test('a reference of one octet that is used again within an hour joins no parts of two messages', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    for (const reference of ['udh16 7', 'udh 7']) {
      await inbound.addPart(part(scene, 1, { reference }));
      scene.clock.advance(1_800_000);
      const { complete } = await inbound.addPart(part(scene, 2, { reference }));
      assert.equal(complete?.length, reference === 'udh 7' ? undefined : 2);
    }
    scene.clock.advance(1_000);
    const { complete } = await inbound.addPart(part(scene, 1, { octets: 'bmV3' }));
    assert.equal(complete?.length, 2, 'the parts that came together');
  });

  test('messages whose rest did not come are found whole, page by page', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    for (const number of [2, 3]) {
      for (const from of ['01011111111', '01022222222', '01033333333']) {
        await inbound.addPart(part(scene, number, { from, total: 3 }));
      }
    }
    scene.clock.advance(1);
    const found = async (limit: number, skip: number) =>
      (await inbound.staleParts(scene.clock.now(), limit, skip)).map(parts =>
        parts.map(one => `${one.from} ${one.part}`),
      );
    const [first, second, third] = await found(10, 0);
    assert.deepEqual(first, ['01011111111 2', '01011111111 3']);
    assert.deepEqual(await found(1, 0), [first]);
    assert.deepEqual(await found(2, 1), [second, third]);
    assert.deepEqual(await found(2, 3), []);
    await inbound.addPart(part(scene, 1, { from: '01022222222', total: 3, receivedAt: scene.clock.now() }));
    assert.deepEqual(await found(10, 0), [first, third], 'one of which a part has come since');
  });

  test('a part that comes while its message is stored without it is kept', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const [two, three] = [
      await inbound.addPart(part(scene, 2, { total: 3 })),
      await inbound.addPart(part(scene, 3, { total: 3 })),
    ];
    const late = await inbound.addPart(part(scene, 1, { total: 3 }));
    const joined = (text: string) => inboundMessage(scene, { occurrence: undefined, text });
    assert.equal(await inbound.join([two.id, three.id], joined('two, three')), true);
    const all = late.complete?.map(({ id }) => id) ?? [];
    assert.equal(await inbound.join(all, joined('all')), false);
    const left = await inbound.staleParts(scene.clock.now() + 1, 10, 0);
    assert.deepEqual(
      left.map(parts => parts.map(({ id }) => id)),
      [[late.id]],
    );
  });

  test('finds whose a number is, of every account', async t => {
    const scene = await open(t);
    const { registry, inbound } = scene.store;
    const whole = { kind: 'inboundNumber', number: '15881234', keyword: '*' } as const;
    const event = { ...whole, keyword: '이벤트', reply: 'Thank you' };
    const longer = { ...whole, number: '158812340' };
    await registry.put(ACME, [whole, longer]);
    await registry.put(GLOBEX, [event]);
    const owners = await inbound.owners(['15881234', '0212345678']);
    assert.deepEqual(
      owners.toSorted((a, b) => (a.account < b.account ? -1 : 1)),
      [
        { account: ACME, entry: whole },
        { account: GLOBEX, entry: event },
      ],
    );
    await assert.rejects(registry.put(GLOBEX, [whole]), 'a number has one owner');
  });

  test('hands messages over in batches that stay until they are acknowledged', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const [a, b] = [inboundMessage(scene, { carrierId: 'a' }), inboundMessage(scene, { carrierId: 'b' })];
    const theirs = inboundMessage(scene, { carrierId: 'c', account: GLOBEX });
    await inbound.add([a, b, theirs, inboundMessage(scene, { carrierId: 'd', account: undefined })]);
    const poll = (account: AccountId, newId: string) =>
      inbound.poll({ account, newId: () => newId, limit: 1, since: 0, now: scene.clock.now() });
    const keysOf = async (account: AccountId, newId: string) => {
      const batch = await poll(account, newId);
      return batch && [batch.batchId, ...batch.messages.map(({ msgKey }) => msgKey)];
    };
    assert.deepEqual(await keysOf(ACME, 'B1'), ['B1', a.msgKey]);
    assert.deepEqual(await keysOf(ACME, 'B2'), ['B1', a.msgKey]);
    assert.equal(await inbound.acknowledge(GLOBEX, 'B1', 5), false);
    assert.equal(await inbound.holds(ACME, 'B1'), true);
    assert.equal(await inbound.acknowledge(ACME, 'B1', 5), true);
    assert.equal(await inbound.holds(ACME, 'B1'), false);
    assert.equal((await inbound.find(a.msgKey))?.fetchedAt, 5);
    assert.deepEqual(await keysOf(ACME, 'B2'), ['B2', b.msgKey]);
    await inbound.acknowledge(ACME, 'B2', 6);
    assert.equal(await keysOf(ACME, 'B3'), undefined);
    assert.deepEqual(await keysOf(GLOBEX, 'G1'), ['G1', theirs.msgKey]);
  });

  test('a batch whose messages are gone ends by itself, and the next messages are handed out', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const poll = (newId: string) =>
      inbound.poll({ account: ACME, newId: () => newId, limit: 10, since: 0, now: scene.clock.now() });
    const cutoffs = { now: 0, unfetchedBefore: 0, textsBefore: 0, unconfirmedBefore: 0 };
    await inbound.add([inboundMessage(scene)]);
    scene.clock.advance(DAY_MS);
    assert.equal((await poll('B1'))?.batchId, 'B1');
    await sweepAll(inbound.sweeps({ ...cutoffs, before: scene.clock.now() }));
    assert.equal(await poll('B2'), undefined);
    const later = inboundMessage(scene);
    await inbound.add([later]);
    const batch = await poll('B3');
    assert.deepEqual([batch?.batchId, batch?.messages.map(({ msgKey }) => msgKey)], ['B3', [later.msgKey]]);
  });

  test('goes the way of records in webhook mode, and back when the account polls again', async t => {
    const scene = await open(t);
    const { inbound, webhooks } = scene.store;
    const now = scene.clock.now();
    const one = inboundMessage(scene);
    await inbound.add([one, inboundMessage(scene, { account: GLOBEX, carrierId: 'g' })]);
    const order = { account: ACME, lastOnly: true, windowMs: DAY_MS, now, limit: 10 };
    assert.equal(await webhooks.collect(order), 1);
    assert.equal(await webhooks.collect(order), 0);
    const claim = { account: ACME, owner: 'n1', limit: 10, now };
    const [claimed] = await webhooks.claim(claim);
    assert.deepEqual([claimed?.msgKey, claimed?.step], [one.msgKey, INBOUND_STEP]);
    const { record } = claimed ?? {};
    assert.ok(record && 'from' in record && record.text === one.text);
    const poll = { account: ACME, newId: () => 'B', limit: 10, since: 0, now };
    assert.equal(await inbound.poll(poll), undefined);
    await webhooks.giveBack(ACME, 'n1', []);
    assert.equal(await webhooks.returnToQueue(ACME, 'n1', 10), 1);
    assert.equal((await inbound.poll(poll))?.messages.length, 1);
    assert.deepEqual(await webhooks.claim(claim), []);
  });

  test('a message that is pushed late keeps its text, until its delivery has ended', async t => {
    const scene = await open(t);
    const { inbound, webhooks } = scene.store;
    const message = inboundMessage(scene);
    const fetched = inboundMessage(scene, { account: GLOBEX });
    await inbound.add([message, fetched]);
    const order = { account: ACME, limit: 10, now: scene.clock.now() };
    assert.equal(await webhooks.collect({ ...order, lastOnly: true, windowMs: 9 * DAY_MS }), 1);
    scene.clock.advance(DAY_MS);
    const now = scene.clock.now();
    const cutoffs = { now, unfetchedBefore: now, textsBefore: now, before: now, unconfirmedBefore: now };
    await sweepAll(inbound.sweeps(cutoffs));
    assert.equal(await inbound.find(fetched.msgKey), undefined);
    const [claimed] = await webhooks.claim({ ...order, now, owner: 'n1' });
    assert.ok(claimed?.record && 'from' in claimed.record);
    assert.equal(claimed.record.text, message.text);
    const { msgKey, step } = claimed;
    await webhooks.complete({ msgKey, step, owner: 'n1', state: 'failed', at: now, attempts: 1, recent: [] });
    await sweepAll(inbound.sweeps(cutoffs));
    assert.equal(await inbound.find(msgKey), undefined);
  });

  test('rules are due until they were applied, and for one at a time', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const now = scene.clock.now();
    const one = inboundMessage(scene, { rulesAt: now + 1000 });
    await inbound.add([one]);
    assert.deepEqual(await inbound.dueRules(now, now + 5, 10), []);
    const due = await inbound.dueRules(now + 1000, now + 5000, 10);
    assert.deepEqual(
      due.map(({ msgKey, text }) => [msgKey, text]),
      [[one.msgKey, one.text]],
    );
    assert.deepEqual(await inbound.dueRules(now + 1000, now + 5000, 10), []);
    assert.equal((await inbound.dueRules(now - DAY_MS, now, 10)).length, 1, 'the clock was set back');
    await inbound.rulesApplied(one.msgKey, { msgKey: 'K' as MsgKey });
    assert.deepEqual(await inbound.dueRules(now + DAY_MS, now + DAY_MS, 10), []);
    assert.deepEqual((await inbound.find(one.msgKey))?.reply, { msgKey: 'K' });
  });

  test('counts the messages of a sender to a number, and those that were answered or may yet be', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const since = scene.clock.now();
    const sent = [1, 2, 3, 4].map(index => {
      scene.clock.advance(1);
      return inboundMessage(scene, { occurrence: index, rulesAt: index === 4 ? since : undefined });
    });
    await inbound.add(sent);
    const [one, two, , four] = sent;
    assert.ok(one && two && four);
    await inbound.rulesApplied(one.msgKey, { msgKey: 'K' as MsgKey });
    await inbound.rulesApplied(two.msgKey, { problem: 'tooMany' });
    const order = { from: one.from, to: one.to, since, before: 'Z' as MsgKey, most: 10 };
    assert.deepEqual(await inbound.countFrom(order), { messages: 4, answered: 2 });
    assert.deepEqual(await inbound.countFrom({ ...order, before: four.msgKey }), {
      messages: 3,
      answered: 1,
    });
    assert.deepEqual(
      await inbound.countFrom({ ...order, most: 3 }),
      { messages: 3, answered: 1 },
      'the latest',
    );
    assert.deepEqual(await inbound.countFrom({ ...order, to: '1' }), { messages: 0, answered: 0 });
  });

  test('lists by account, sender, number and cursor, and gives what is nobody’s to an account', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const a = inboundMessage(scene, { carrierId: 'a' });
    scene.clock.advance(1000);
    const b = inboundMessage(scene, { carrierId: 'b', from: '01099999999' });
    const c = inboundMessage(scene, { carrierId: 'c', account: undefined, to: '1234' });
    await inbound.add([a, b, c]);
    const keys = async (changes: object) =>
      (await inbound.list({ ...query, account: ACME, ...changes })).map(({ msgKey }) => msgKey);
    assert.deepEqual(await keys({}), [a.msgKey, b.msgKey]);
    assert.deepEqual(await keys({ order: 'newest' }), [b.msgKey, a.msgKey]);
    assert.deepEqual(await keys({ after: a.msgKey }), [b.msgKey]);
    assert.deepEqual(await keys({ since: scene.clock.now() }), [b.msgKey]);
    assert.deepEqual(await keys({ from: ['01099999999', '+821099999999'] }), [b.msgKey]);
    assert.deepEqual(await keys({ to: '1234' }), []);
    assert.deepEqual(await keys({ account: null }), [c.msgKey]);
    assert.deepEqual((await keys({ account: undefined })).length, 3);
    assert.equal(await inbound.assign(c.msgKey, GLOBEX), true);
    assert.equal(await inbound.assign(c.msgKey, ACME), false);
    assert.deepEqual(await keys({ account: GLOBEX }), [c.msgKey]);
  });

  test('erases a sender, and deletes what is past its time', async t => {
    const scene = await open(t);
    const { inbound } = scene.store;
    const old = inboundMessage(scene, { carrierId: 'old' });
    await inbound.add([old]);
    await inbound.addPart(part(scene, 1));
    scene.clock.advance(10 * DAY_MS);
    const fresh = inboundMessage(scene, { account: GLOBEX });
    await inbound.add([fresh]);
    assert.equal(await inbound.erase([fresh.from], GLOBEX), 1);
    const erased = await inbound.find(fresh.msgKey);
    assert.deepEqual([erased?.from, erased?.text, erased?.to], ['erased', undefined, '15881234']);
    assert.equal((await inbound.staleParts(scene.clock.now(), 10, 0)).length, 1);
    assert.equal(await inbound.erase([fresh.from], undefined), 1);
    assert.equal((await inbound.staleParts(scene.clock.now(), 10, 0)).length, 0);
    const now = scene.clock.now();
    const none = { now, unfetchedBefore: 0, textsBefore: 0, before: 0, unconfirmedBefore: 0 };
    const kept = inboundMessage(scene);
    await inbound.add([kept]);
    await sweepAll(
      inbound.sweeps({
        ...none,
        textsBefore: now + 1,
        unfetchedBefore: now + 1,
        unconfirmedBefore: now + 1,
      }),
    );
    const swept = await inbound.find(kept.msgKey);
    assert.deepEqual([swept?.text, swept?.handover, swept?.from], [undefined, 'expired', kept.from]);
    assert.equal(
      (await inbound.add([inboundMessage(scene)]))[0]?.isNew,
      true,
      'not known by its words any more',
    );
    await sweepAll(inbound.sweeps({ ...none, before: now - DAY_MS }));
    assert.equal(await inbound.find(old.msgKey), undefined);
    assert.ok(await inbound.find(kept.msgKey));
  });
}
