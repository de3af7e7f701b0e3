import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { unlessInstalled } from '../../harness/debian.ts';
import { scratchDirectory } from '../../harness/scratch.ts';
import { Smsc } from '../../harness/smsc/smsc.ts';
import { until } from '../../harness/until.ts';
import { RecordingHost } from '../recording-host.ts';
import { liveCarrier } from './live-carrier.ts';
import { smppOptions } from './smpp-under-test.ts';

const skip = unlessInstalled('openssl');

/** An SMSC behind a certificate that it signed itself, for the name smsc.test. */
async function scene(t: TestContext) {
  const directory = scratchDirectory();
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=smsc.test'],
      ...['-addext', 'subjectAltName=DNS:smsc.test'],
    ],
    { stdio: 'ignore' },
  );
  const smsc = await Smsc.listen({}, { key: readFileSync(key), cert: readFileSync(cert) });
  t.after(() => smsc.close());
  return { cert, smsc };
}

test('over TLS, with the certificate of the SMSC checked', { skip }, async t => {
  const { cert, smsc } = await scene(t);
  const { deliver } = await liveCarrier(t, smsc.port, { tls: true, ca: cert, servername: 'smsc.test' });
  await deliver('hello');
  assert.deepEqual(smsc.texts, ['hello']);
});

test('a certificate that nobody vouches for is not trusted', { skip }, async t => {
  const { smsc } = await scene(t);
  const options = smppOptions(smsc.port, { tls: true, servername: 'smsc.test' });
  const carrier = new SmppCarrier('sky', options, systemClock, systemRandomness());
  t.after(() => carrier.close());
  await carrier.start(new RecordingHost());
  await until('the carrier is down', () => carrier.status().state === 'down');
  assert.match(carrier.status().detail, /self-signed certificate/);
  assert.deepEqual(smsc.binds, []);
});

test('a certificate file that is not there is told, and tried again', async t => {
  const options = smppOptions(1, { tls: true, ca: '/nowhere/ca.pem' });
  const carrier = new SmppCarrier('sky', options, systemClock, systemRandomness());
  t.after(() => carrier.close());
  await carrier.start(new RecordingHost());
  assert.equal(carrier.status().state, 'down');
  assert.match(carrier.status().detail, /nowhere\/ca\.pem/);
});
