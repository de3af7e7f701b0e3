import assert from 'node:assert/strict';
import test from 'node:test';
import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { Smsc } from '../../harness/smsc/smsc.ts';
import { until } from '../../harness/until.ts';
import { RecordingHost } from '../recording-host.ts';
import { smppOptions, smppScene } from './smpp-under-test.ts';

test('binds with the name, password, type and version of the configuration', async t => {
  const { smsc } = await smppScene(
    t,
    {},
    { systemType: 'VMA', interfaceVersion: '5.0', addressRange: '^82' },
  );
  const [bind] = smsc.binds;
  assert.deepEqual(bind, {
    command: 'bindTransceiver',
    status: 0,
    sequence: 1,
    systemId: 'bongsu',
    password: 'secret',
    systemType: 'VMA',
    interfaceVersion: 0x50,
    addressTon: 0,
    addressNpi: 0,
    addressRange: '^82',
  });
});

test('a pair submits over one session and receives over the other', async t => {
  const scene = await smppScene(t, {}, { bind: 'pair' });
  await scene.until('both are bound', () => scene.smsc.sessions.filter(({ bound }) => bound).length === 2);
  assert.deepEqual(scene.smsc.binds.map(({ command }) => command).sort(), [
    'bindReceiver',
    'bindTransmitter',
  ]);
  await scene.send('hello');
  await scene.until('the receipt came', () => scene.host.receipts.length === 1);
});

test('a refused bind is not tried again for half a minute', async t => {
  let status: number = STATUS.invalidPassword;
  const smsc = await Smsc.listen({ bind: () => status });
  const clock = new ManualClock();
  const carrier = new SmppCarrier('sky', smppOptions(smsc.port), clock, systemRandomness());
  t.after(async () => {
    await carrier.close();
    await smsc.close();
  });
  const host = new RecordingHost();
  await carrier.start(host);
  await until('the carrier is down', () => carrier.status().state === 'down');
  assert.equal(carrier.status().detail, 'bind refused: ESME_RINVPASWD (0x0e)');
  assert.deepEqual(host.notices, ['bindFailed']);
  clock.advance(29_000);
  assert.equal(smsc.binds.length, 1);
  status = STATUS.ok;
  clock.advance(10_000);
  await until('the carrier is up', () => carrier.status().state === 'up');
});

test('a refused bind after a long outage is tried again after half a minute', async t => {
  const away = await Smsc.listen();
  const { port } = away;
  await away.close();
  const clock = new ManualClock();
  const carrier = new SmppCarrier('sky', smppOptions(port), clock, systemRandomness());
  const back = new Smsc();
  back.behaviour = { bind: () => STATUS.alreadyBound };
  t.after(async () => {
    await carrier.close();
    await back.close();
  });
  const host = new RecordingHost();
  await carrier.start(host);
  const waitAfter = async (attempt: number) => {
    await until('the attempt failed', () => host.notices.length === attempt);
    return Number(host.details[attempt - 1]?.retryMs);
  };
  for (let attempt = 1; attempt <= 8; attempt++) {
    const wait = await waitAfter(attempt);
    if (attempt === 8) await back.listen(port);
    clock.advance(wait);
  }
  for (const [times, least] of [30_000, 60_000, 120_000].entries()) {
    const wait = await waitAfter(9 + times);
    assert.ok(wait >= least && wait <= least * 1.25, `wait ${times}: ${wait}`);
    clock.advance(wait);
  }
});

test('an SMSC that is not there is tried after growing delays', async t => {
  const smsc = await Smsc.listen();
  const { port } = smsc;
  await smsc.close();
  const clock = new ManualClock();
  const carrier = new SmppCarrier('sky', smppOptions(port), clock, systemRandomness());
  t.after(() => carrier.close());
  const host = new RecordingHost();
  await carrier.start(host);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 8; attempt++) {
    await until('the attempt failed', () => host.notices.length === attempt);
    const wait = Number(host.details[attempt - 1]?.retryMs);
    waits.push(wait);
    clock.advance(wait);
  }
  assert.equal(carrier.status().state, 'down');
  assert.match(carrier.status().detail, /ECONNREFUSED/);
  waits.forEach((wait, index) => {
    const least = Math.min(60_000, 1000 * 2 ** index);
    assert.ok(wait >= least && wait <= least * 1.25, `wait ${index}: ${wait}`);
  });
});

test('a server that accepts and says nothing fails the bind in time', async t => {
  const smsc = await Smsc.listen();
  const clock = new ManualClock();
  const carrier = new SmppCarrier('sky', smppOptions(smsc.port), clock, systemRandomness());
  t.after(async () => {
    await carrier.close();
    await smsc.close();
  });
  smsc.behaviour = { bind: () => STATUS.ok };
  await carrier.start(new RecordingHost());
  clock.advance(30_000);
  assert.equal(carrier.status().state, 'down');
  assert.equal(carrier.status().detail, 'no answer to bind in time');
});

test('TON, NPI and the other fields of a submit follow the configuration', async t => {
  const keys = {
    serviceType: 'CMT',
    destTon: 0,
    registeredDelivery: 17,
    validity: '25h',
    priority: 2,
    esmClass: 3,
  };
  const scene = await smppScene(t, {}, keys);
  await scene.send('hello');
  const [submit] = scene.smsc.submits;
  assert.deepEqual(
    [submit?.serviceType, submit?.source, submit?.destination, submit?.esmClass, submit?.priority],
    ['CMT', { ton: 5, npi: 0, digits: 'Bongsu' }, { ton: 0, npi: 1, digits: '14155550123' }, 3, 2],
  );
  assert.deepEqual([submit?.registeredDelivery, submit?.validity], [17, '000001010000000R']);
});
