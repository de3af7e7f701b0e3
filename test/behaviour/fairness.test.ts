/** A flood of one tenant on a slow link, and what another tenant notices of it. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { type Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { settled } from '../harness/settled.ts';

const ROUTE = 'carriers:\n  slow: { kind: simulator }\nroutes:\n  - { channel: sms, via: [slow] }\n';
const PARTS_A_SECOND = 20;
const ROUNDS = 25;
const MESSAGES_A_ROUND = 4;

interface SlowLink {
  readonly gateway: TestGateway;
  readonly submittedAt: ReadonlyMap<string, number>;
}

async function slowLink(t: TestContext): Promise<SlowLink> {
  const carrier = new ScriptedCarrier('slow', { rate: PARTS_A_SECOND });
  const submittedAt = new Map<string, number>();
  const path = configFile(ROUTE);
  const clock = new ManualClock();
  carrier.reply = submission => {
    submittedAt.set(submission.to, clock.now());
    return accept(submission);
  };
  const gateway = await testGateway(t, { BONGSU_CONFIG: path }, clock, {
    createCarrier: ({ name }) => (name === carrier.name ? carrier : new ScriptedCarrier(name)),
  });
  return { gateway, submittedAt };
}

const STEP_MS = 10;

async function pass({ gateway }: SlowLink, ms: number): Promise<void> {
  for (let step = 0; step < ms / STEP_MS; step++) {
    gateway.clock.advance(STEP_MS);
    await settled();
  }
}

/** The wait from send to submit that one in a hundred exceeds, of a tenant that sends a few messages every second. */
async function waitOf(client: Client, link: SlowLink): Promise<number> {
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sentAt = link.gateway.clock.now();
    const numbers = Array.from(
      { length: MESSAGES_A_ROUND },
      (_, index) => `0109${String(round).padStart(3, '0')}${String(index).padStart(4, '0')}`,
    );
    for (const to of numbers) await client.sms({ to });
    await pass(link, 1000);
    for (const to of numbers) waits.push((link.submittedAt.get(to) ?? Number.POSITIVE_INFINITY) - sentAt);
  }
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
}

test('a flood at most doubles the 99th percentile of the delay of another tenant', async t => {
  const quietLink = await slowLink(t);
  const quiet = await waitOf(await quietLink.gateway.account('shop'), quietLink);

  const link = await slowLink(t);
  const { gateway, submittedAt } = link;
  const flood = await gateway.account('flood');
  for (let number = 0; number < 800; number++) {
    await flood.sms({ to: `0107000${String(number).padStart(4, '0')}` });
  }
  await pass(link, 3000);
  assert.ok(submittedAt.size > 0, 'the flood is on its way');
  const flooded = await waitOf(await gateway.account('shop'), link);
  const { ready } = await gateway.gateway.store.queue.depth();
  assert.ok(ready > 0, 'the flood lasts to the end');
  assert.ok(quiet > 0 && flooded <= 2 * quiet, `quiet ${quiet} ms, flooded ${flooded} ms`);
  t.diagnostic(`p99 from send to submit: quiet ${quiet} ms, flooded ${flooded} ms`);
});

test('single sends of a tenant go before its own bulk sends', async t => {
  const link = await slowLink(t);
  const { gateway, submittedAt } = link;
  const client = await gateway.account('shop');
  for (let request = 0; request < 20; request++) {
    const destinations = Array.from({ length: 10 }, (_, index) => ({
      to: `010600${request + 10}00${index}0`,
    }));
    const messageFlow = [{ sms: { from: '0212345678', text: 'news for everybody' } }];
    const answer = await client.call('POST', '/v1/send/omni', { destinations, messageFlow });
    assert.equal(answer.body.code, 'A000', answer.text);
  }
  await pass(link, 500);
  const sentAt = gateway.clock.now();
  await client.sms({ to: '01055550000', text: 'your code is 1234' });
  await pass(link, 500);
  assert.ok((submittedAt.get('01055550000') ?? Number.POSITIVE_INFINITY) - sentAt <= 100);
});
