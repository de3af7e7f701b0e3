/** What systemd is told, by its own program; its socket is played by Perl, because Node cannot open such a socket. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { unlessInstalled } from '../harness/debian.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RECEIVER = `use IO::Socket::UNIX; $| = 1;
my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!;
print "listening\\n";
while (defined $socket->recv(my $message, 4096)) { print "$message\\n" }`;

test('systemd is told of the start, of each look of its watchdog, and of the stop', {
  skip: unlessInstalled('systemd-notify') || unlessInstalled('perl'),
}, async t => {
  const socket = join(scratchDirectory(), 'notify');
  const receiver = spawn('perl', ['-e', RECEIVER, socket]);
  t.after(() => receiver.kill());
  let told = '';
  receiver.stdout.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const count = (line: string) => told.split('\n').filter(each => each === line).length;
  await until('systemd listens', () => count('listening') === 1);
  const server = await startServer(t, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' });
  await until('it is ready', () => count('READY=1') === 1);
  await until('the watchdog is answered again and again', () => count('WATCHDOG=1') > 2);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  await until('it stops', () => count('STOPPING=1') === 1);
  assert.doesNotMatch(server.stderr(), /serviceManagerNotTold/);
});

test('a system without systemd-notify costs one line in the log', async t => {
  const env = { NOTIFY_SOCKET: '/nowhere', WATCHDOG_USEC: '300000', PATH: scratchDirectory() };
  const server = await startServer(t, env);
  const lines = () => server.stderr().split('serviceManagerNotTold').length - 1;
  await until('it is logged', () => lines() > 0);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.equal(lines(), 1);
});
