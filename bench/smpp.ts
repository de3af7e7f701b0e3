/**
 * Submits a second over one SMPP session on the loopback address: this process is the ESME, a child is an SMSC that
 * reads every PDU and takes it. `node bench/smpp.ts [window] [seconds]`; `npm run bench` does not run it.
 */
import type { Submission } from '../src/carriers/carrier.ts';
import { SmppCarrier } from '../src/carriers/smpp/smpp-carrier.ts';
import { readKeys } from '../src/config/file-key.ts';
import { SMPP_KEYS } from '../src/config/smpp-keys.ts';
import { parseAccountId } from '../src/domain/ids.ts';
import { systemClock } from '../src/platform/clock.ts';
import { systemRandomness } from '../src/platform/randomness.ts';
import { startServer } from './processes.ts';

const TEXT = 'Your code is 123456. It is valid for three minutes. Tell it to nobody, ok.';

await measure(Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 5));

async function measure(window: number, seconds: number): Promise<void> {
  const smsc = await startServer('bench/smsc-server.ts');
  // Without receipts: it is submits that are measured.
  const keys = { host: '127.0.0.1', port: smsc.port, systemId: 'bench', window, registeredDelivery: 0 };
  const options = readKeys(SMPP_KEYS, keys, 'bench', []);
  const account = parseAccountId('bench');
  if (!options || !account) throw new Error('the bench is misconfigured');
  const carrier = new SmppCarrier('bench', options, systemClock, systemRandomness());
  const isUp = Promise.withResolvers<void>();
  await carrier.start({
    receive: async () => [],
    receiveInbound: async () => [],
    confirmInbound: async () => {},
    answeredLate: () => {},
    knownRefs: async () => new Map(),
    silent: async () => [],
    partlyTaken: () => {},
    refused: () => {},
    submitRest: (_attemptId, _parts, submit) => submit(),
    mayPoll: async () => false,
    leavePolling: async () => {},
    statusChanged: () => carrier.status().state === 'up' && isUp.resolve(),
    noticed: () => {},
  });
  await isUp.promise;

  let accepted = 0;
  let isOver = false;
  const submission: Submission = {
    attemptId: 'bench',
    account,
    to: '+14155550123',
    attempt: 1,
    timeLeftMs: 86_400_000,
    hasOwnTime: false,
    message: { channel: 'international', from: 'Bongsu', text: TEXT, parts: 1 },
  };
  const submitter = async () => {
    while (!isOver) {
      const [answer] = carrier.submit([submission]);
      if ((await answer)?.kind === 'accepted') accepted++;
    }
  };
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  setTimeout(() => {
    isOver = true;
  }, seconds * 1000);
  await Promise.all(Array.from({ length: window }, submitter));
  const took = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  // On a machine that others use too, only the second figure can be compared.
  process.stdout.write(
    `window ${window}: ${Math.round(accepted / took)} submits/s, ${Math.round(accepted / ((user + system) / 1e6))} for each second of CPU\n`,
  );
  await carrier.close();
  await smsc.kill();
}
