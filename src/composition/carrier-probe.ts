/** `bongsu carrier test`: a link of its own to a carrier. */
import { createCarrier } from '../carriers/create-carrier.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandomness } from '../platform/randomness.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { settingsOf } from './configured-network.ts';
import { assertCarriers } from './running-network.ts';

/** Connects by a link of its own, asks for a sign of life, and leaves. */
export async function probeCarrier(config: Config, name: string): Promise<{ isOk: boolean; detail: string }> {
  const settings = settingsOf(config).find(carrier => carrier.name === name);
  if (!settings) return { isOk: false, detail: 'it is not configured' };
  assertCarriers(config);
  const random = systemRandomness();
  const formatTime = zonedTimeFormatter(config.timeZone);
  const parts = { ...config, clock: systemClock, random, formatTime, readFile: async () => undefined };
  const carrier = createCarrier(settings, parts);
  const isSettled = Promise.withResolvers<void>();
  const look = () => {
    const { state } = carrier.status();
    if (state === 'up' || state === 'down') isSettled.resolve();
  };
  // Receipts that come by this link are for the gateway: refused here, they come again there.
  const receive = () => Promise.reject(new Error('a probe settles nothing'));
  await carrier.start({
    receive,
    statusChanged: look,
    noticed: () => {},
    answeredLate: () => {},
    knownRefs: async () => new Map(),
    throttled: () => {},
  });
  look();
  await isSettled.promise;
  const result = await carrier.test();
  await carrier.close();
  return result;
}
