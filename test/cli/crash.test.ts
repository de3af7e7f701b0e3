/** Errors that nobody caught, in the real process. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { BongsuClient } from '../../client/bongsu-client.ts';
import { startServer } from '../harness/process.ts';
import { configFile } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'correct horse battery staple';
const CRASH = `--import=${new URL('../harness/crash-on-signal.ts', import.meta.url)}`;

/** A gateway with one message on its way to a carrier that does not answer. It crashes at SIGUSR2. */
async function submitting(t: TestContext, origin: string) {
  const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
  t.after(() => smsc.close());
  const server = await startServer(t, {
    NODE_OPTIONS: CRASH,
    TEST_CRASH: origin,
    BONGSU_SHUTDOWN_TIMEOUT: '5m',
    BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`,
    BONGSU_CONFIG: configFile(
      `carriers:\n  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu }\nroutes:\n  - { channel: sms, via: [sky] }\n`,
    ),
  });
  await until('the carrier is bound', () => smsc.receiver);
  const client = new BongsuClient({ url: server.url, id: 'demo', password: PASSWORD });
  await client.send('sms', { from: '0212345678', to: '01012345678', text: 'hello' });
  await until('it is submitted', () => smsc.submits.length === 1);
  const crashes = () =>
    server
      .stderr()
      .split('\n')
      .filter(line => line.includes('"event":"crashed"'));
  return {
    smsc,
    server,
    crashes,
    async crash() {
      const before = crashes().length;
      server.process.kill('SIGUSR2');
      await until('it crashes', () => crashes().length > before);
    },
    end: () => until('it has ended', () => server.process.exitCode ?? undefined),
  };
}

for (const origin of ['uncaughtException', 'unhandledRejection']) {
  test(`${origin}: one line in the log, and a stop that drains`, async t => {
    const { smsc, server, crashes, crash, end } = await submitting(t, origin);
    await crash();
    smsc.answer(0, 'one');
    assert.equal(await end(), 1);
    assert.equal(crashes().length, 1);
    assert.match(crashes()[0] ?? '', new RegExp(`"origin":"${origin}".*it is broken`));
    assert.doesNotMatch(server.stderr(), /01099998888/);
    assert.match(server.stderr().trim().split('\n').at(-1) ?? '', /"event":"stopped"/);
    assert.equal(smsc.unbinds, 1);
  });
}

test('a second error during the stop ends the process at once', async t => {
  const { smsc, crashes, crash, end } = await submitting(t, 'uncaughtException');
  await crash();
  await crash();
  assert.equal(await end(), 1);
  assert.equal(crashes().length, 2);
  assert.equal(smsc.unbinds, 0);
});
