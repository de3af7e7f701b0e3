/** The wall clock is set back or ahead while a lane waits: it goes on as if nothing had happened. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { testAccount } from '../harness/gateway.ts';
import { configFile } from '../harness/scratch.ts';
import { accept, ScriptedCarrier, turnAway } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

const HOUR_MS = 3_600_000;

for (const [name, jumpMs] of [
  ['an hour back', -HOUR_MS],
  ['an hour ahead', HOUR_MS],
] as const) {
  test(`a carrier that was closed for a second opens again after it, with the clock set ${name}`, async t => {
    const sky = new ScriptedCarrier('sky');
    const path = configFile(
      'carriers:\n  sky: { kind: simulator }\nroutes:\n  - { channel: sms, via: [sky] }\n',
    );
    const { gateway, client } = await testAccount(t, {
      env: { BONGSU_CONFIG: path, BONGSU_TOKEN_LIFETIME: '90d' },
      createCarrier: given => (given.name === 'sky' ? sky : new ScriptedCarrier(given.name)),
    });
    sky.reply = turnAway;
    for (let number = 0; number < 5; number++) await client.sms({ to: `0101111000${number}` });
    await until('five were turned away', () => {
      gateway.clock.advance(20);
      return sky.submitted.length >= 5;
    });
    sky.reply = accept;
    gateway.clock.setWallBy(jumpMs);
    const { msgKey } = (await client.sms({ to: '01022220000' })).body;
    assert.ok(msgKey);
    const startedAt = gateway.clock.monotonic();
    const isSent = () => sky.submitted.some(({ submission }) => submission.to === '01022220000');
    await until('it is sent', () => {
      gateway.clock.advance(20);
      return isSent();
    });
    const waitedMs = gateway.clock.monotonic() - startedAt;
    assert.ok(waitedMs < 60_000, `${waitedMs} ms`);
  });
}
