/** Answers that come after `responseTimeout`, through the whole gateway: the message ends as the carrier says, once. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { ENGINES, type Engine, freshStore } from '../harness/engines.ts';
import { testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const LONG_TEXT = `${'a'.repeat(153)}${'b'.repeat(153)}`;

/** A message that its SMSC has taken without an answer, and whose time for one is over. */
async function inDoubt(t: TestContext, engine: Engine, text = 'hello') {
  const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
  t.after(() => smsc.close());
  const keys = `host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, responseTimeout: 2s`;
  const path = configFile(
    `carriers:\n  sky: { kind: smpp, ${keys} }\nroutes:\n  - { channel: international, via: [sky] }\n`,
  );
  const env = { BONGSU_CONFIG: path, ...(await freshStore(t, engine)) };
  const { gateway, client } = await testAccount(t, { env });
  await until('the carrier is bound', () => smsc.receiver);
  const { msgKey } = (await client.international({ text })).body;
  const parts = text === LONG_TEXT ? 2 : 1;
  await until('it is submitted', () => {
    gateway.clock.advance(50);
    return smsc.submits.length === parts;
  });
  await until('its outcome is unknown', async () => {
    gateway.clock.advance(100);
    const { body } = await gateway.operator('GET', `/messages/${msgKey}`);
    return body.data.state === 'unknown';
  });
  const [session] = smsc.sessions;
  const receipt = (part: number, messageId: string) => {
    const submit = smsc.submits[part];
    if (submit) session?.sendReceipt(submit, messageId, { state: 'DELIVRD' });
  };
  /** The codes of all records, when there is one and time has passed for another. */
  const codes = async () => {
    await until('it is reported', async () => {
      gateway.clock.advance(500);
      return (await client.inquire(msgKey)).length > 0;
    });
    for (let turn = 0; turn < 5; turn++) {
      gateway.clock.advance(1000);
      await new Promise(resolve => setImmediate(resolve));
    }
    return (await client.inquire(msgKey)).map(({ reportCode }) => reportCode);
  };
  return { smsc, receipt, codes };
}

for (const engine of ENGINES) {
  test(`${engine}: a late answer and its receipt: delivered, once`, async t => {
    const { smsc, receipt, codes } = await inDoubt(t, engine);
    smsc.answer(0, 'late1');
    receipt(0, 'late1');
    receipt(0, 'late1');
    assert.deepEqual(await codes(), ['10000']);
    assert.equal(smsc.submits.length, 1);
  });

  test(`${engine}: the receipt comes even before the late answer: delivered, once`, async t => {
    const { smsc, receipt, codes } = await inDoubt(t, engine);
    receipt(0, 'late1');
    await until('it is acknowledged', () => smsc.acknowledged.length === 1);
    smsc.answer(0, 'late1');
    assert.deepEqual(await codes(), ['10000']);
  });

  test(`${engine}: a late refusal for good is reported with its reason`, async t => {
    const { smsc, codes } = await inDoubt(t, engine);
    smsc.answer(0, '', STATUS.invalidDestination);
    assert.deepEqual(await codes(), ['23003']);
    assert.equal(smsc.submits.length, 1);
  });

  test(`${engine}: a long message whose parts are answered late one by one: delivered, once`, async t => {
    const { smsc, receipt, codes } = await inDoubt(t, engine, LONG_TEXT);
    smsc.answer(1, 'two');
    receipt(1, 'two');
    smsc.answer(0, 'one');
    receipt(0, 'one');
    assert.deepEqual(await codes(), ['10000']);
  });

  test(`${engine}: a part that arrived before the late answer of another counts`, async t => {
    const { smsc, receipt, codes } = await inDoubt(t, engine, LONG_TEXT);
    smsc.answer(0, 'one');
    receipt(0, 'one');
    await until('it is acknowledged', () => smsc.acknowledged.length === 1);
    smsc.answer(1, 'two');
    receipt(1, 'two');
    assert.deepEqual(await codes(), ['10000']);
  });

  test(`${engine}: one part that arrived is not the whole message`, async t => {
    const { smsc, receipt, codes } = await inDoubt(t, engine, LONG_TEXT);
    smsc.answer(1, 'two');
    receipt(1, 'two');
    await until('it is acknowledged', () => smsc.acknowledged.length === 1);
    smsc.answer(0, '', STATUS.invalidDestination);
    assert.deepEqual(await codes(), ['23003']);
  });

  test(`${engine}: a part that is never answered is settled by its receipt, beside one that was`, async t => {
    const { smsc, receipt, codes } = await inDoubt(t, engine, LONG_TEXT);
    smsc.answer(0, 'one');
    receipt(0, 'one');
    receipt(1, 'two');
    await until('they are acknowledged', () => smsc.acknowledged.length === 2);
    assert.deepEqual(await codes(), ['10000']);
  });
}
