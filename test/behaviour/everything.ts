/** A gateway that has used every table in which something is encrypted, and what must not be found there. */
import assert from 'node:assert/strict';
import { alimtalk, friendtalk, mms, rcs, sms } from '../harness/flows.ts';
import { type Client, type TestGateway, WEBHOOK_ON_LOOPBACK } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

/** Recipients, in the digits that every way of writing them has; and what stands in texts and variables. */
export const NUMBER = '01029384756';
const REFUSED = '01029380001';
const WITHOUT_RCS = '01029380002';
const ABROAD = '+14159384756';
const TO_BE_ERASED = '01029380003';
const NUMBERS = ['29384756', '2938-4756', '29380001', '29380002', '29380003', '4159384756'];
export const TEXT = 'zebra-quartz';
export const KOREAN_TEXT = '호랑이수정';
const WORD = 'opossum-kim';
/** Of a part of an inbound message, as it is stored. */
const OCTETS = Buffer.from('part-of-zebra').toString('base64');
export const HIDDEN = [...NUMBERS, TEXT, KOREAN_TEXT, WORD, OCTETS];

function omni(client: Client, messageFlow: object[], destinations: object[], headers = {}) {
  return client.call('POST', '/v1/send/omni', { messageFlow, destinations }, headers);
}

/** Sends by every way there is, and waits for what comes of it; resolves to keys of messages. */
export async function useEverything(
  gateway: TestGateway,
  accounts: readonly [string, string] = ['shop', 'cafe'],
): Promise<string[]> {
  const { clock } = gateway;
  const { store } = gateway.gateway;
  const [shopId, cafeId] = accounts;
  const shop = await gateway.account(shopId);
  const cafe = await gateway.account(cafeId, WEBHOOK_ON_LOOPBACK);
  const text = `${TEXT} ${KOREAN_TEXT}`;
  const keys: string[] = [];
  const body = { to: NUMBER, text, ref: 'order-1' };
  for (const repetition of [1, 2]) {
    const sent = await shop.sms(body, { 'idempotency-key': 'once' });
    assert.equal(sent.body.code, 'A000', `${repetition}: ${sent.text}`);
    keys.push(sent.body.msgKey ?? '');
  }
  assert.equal(keys[0], keys[1], 'the second is answered as the first');
  const other = await shop.sms({ ...body, text: 'other' }, { 'idempotency-key': 'once' });
  assert.notEqual(other.body.code, 'A000', 'another body under the same key');
  await shop.international({ to: ABROAD, text });
  await cafe.sms({ to: REFUSED, text });
  const words = { to: '010-2938-4756', replaceWords: { name: WORD } };
  const flows = [
    [rcs({ content: { standalone: { text: `#{name} ${text}` } } }), sms({ text: `#{name} ${text}` })],
    [alimtalk({ text }), friendtalk({ text: `#{name} ${text}` }), mms({ text, title: TEXT })],
  ];
  for (const flow of flows) {
    const answer = await omni(shop, flow, [words, { to: WITHOUT_RCS, replaceWords: { name: WORD } }], {
      'idempotency-key': `flow-${keys.length}`,
    });
    assert.equal(answer.body.code, 'A000', answer.text);
    for (const { msgKey } of answer.body.data.destinations) {
      keys.push(msgKey);
      await shop.reportsOf(msgKey);
    }
  }
  const messageForm = [sms({ text: `#{name} ${text}` })];
  const form = await shop.call('POST', '/v1/form', { messageForm });
  const { formId } = form.body.data;
  assert.deepEqual((await shop.call('GET', `/v1/form/${formId}`)).body.data.messageForm, messageForm);
  await shop.call('POST', '/v1/send/omni', { messageForm: formId, destinations: [words] });
  const reserved = await shop.call('POST', '/v1/reservation', {
    ...{
      resvSendTime: '2026-02-01 09:00:00',
      resvName: TEXT,
      messageFlow: messageForm,
      destinations: [words],
    },
  });
  assert.equal(reserved.body.code, 'A000', reserved.text);
  const template = `/accounts/${shopId}/registry/alimtalkTemplate/sender%2Fwelcome`;
  const registered = await gateway.operator('PUT', template, { text });
  assert.equal(registered.body.code, 'A000', registered.text);
  const composed = await gateway.operator('POST', `/accounts/${shopId}/send/sms`, {
    from: '0212345678',
    to: NUMBER,
    text,
  });
  assert.equal(composed.body.code, 'A000', composed.text);
  const receipt = { kind: 'receipt' as const, carrier: 'simulator', receivedAt: clock.now() };
  const event = { name: 'receivedDelivered' as const };
  await store.queue.settle(
    [{ ...receipt, ref: `nobodys of ${shopId}`, to: '821029384756', from: NUMBER, event }],
    () => ({
      kind: 'ignored',
    }),
  );
  await shop.call('POST', '/v1/optout', { optOuts: [{ to: NUMBER, sender: shopId }] });
  const listed = await shop.call('GET', `/v1/optout?to=${NUMBER}`);
  assert.equal(listed.body.data.optOuts[0].to, NUMBER);
  await store.queue.setAside({ at: clock.now(), reason: text, event: JSON.stringify({ to: NUMBER }) });
  await until('the refused message has its delivery', async () => {
    clock.advance(1000);
    const answer = await gateway.operator('GET', `/webhooks?account=${cafeId}`);
    return answer.body.data.deliveries[0]?.attempts > 0;
  });
  const handset = { from: NUMBER, to: '15881234' };
  const said = await gateway.operator('POST', '/simulator/inbound', { ...handset, text });
  assert.equal(said.body.code, 'A000', said.text);
  const part = {
    reference: `udh of ${shopId}`,
    part: 1,
    total: 2,
    alphabet: 'utf-16be',
    octets: OCTETS,
  } as const;
  await store.inbound.addPart({ ...handset, ...part, carrier: 'simulator', receivedAt: clock.now() });
  const order = {
    id: `order of ${shopId}`,
    orderedAt: clock.now(),
    account: undefined,
    recipient: '010****0003',
  };
  await store.privacy.order({ ...order, withImages: false });
  await store.privacy.leaveRest(order.id, [{ kind: 'list', key: 'unreadable' }], TO_BE_ERASED);
  return keys;
}
