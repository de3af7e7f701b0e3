/** `bongsu carrier test`: a link of its own to a carrier. */
import { createCarrier } from '../carriers/create-carrier.ts';
import { type Config, ConfigProblems } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandomness } from '../platform/randomness.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { networkConfigOf, settingsOf } from './configured-network.ts';
import { assertCarriers } from './running-network.ts';

/** Connects by a link of its own, asks for a sign of life, and disconnects. */
export async function probeCarrier(config: Config, name: string): Promise<{ isOk: boolean; detail: string }> {
  const unread = config.unread.find(carrier => carrier.name === name);
  if (unread) throw new ConfigProblems(unread.problems);
  const settings = settingsOf(networkConfigOf(config)).find(carrier => carrier.name === name);
  if (!settings) return { isOk: false, detail: 'it is not configured' };
  assertCarriers(config);
  const carrier = createCarrier(settings, {
    clock: systemClock,
    random: systemRandomness(),
    simulatorLatency: config.simulatorLatency,
    formatTime: zonedTimeFormatter(config.timeZone),
    publicUrl: config.publicUrl,
    // A test of the link sends nothing, so no file is asked for.
    readFile: async () => undefined,
    objects: () => [],
  });
  const isSettled = Promise.withResolvers<void>();
  const look = () => {
    const { state } = carrier.status();
    if (state === 'up' || state === 'down') isSettled.resolve();
  };
  // Receipts that come by this link are for the gateway: refused here, they are sent again to it.
  const receive = () => Promise.reject(new Error('a probe settles nothing'));
  await carrier.start({
    receive,
    receiveInbound: receive,
    confirmInbound: async () => {},
    statusChanged: look,
    noticed: () => {},
    answeredLate: () => {},
    knownRefs: async () => new Map(),
    partlyTaken: () => {},
    refused: () => {},
    submitRest: (_attemptId, _parts, submit) => submit(),
    silent: async () => [],
    mayPoll: async () => false,
    leavePolling: async () => {},
  });
  look();
  await isSettled.promise;
  const result = await carrier.test();
  await carrier.close(0);
  return result;
}
