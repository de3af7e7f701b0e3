import { Simulator } from '../../../src/carriers/simulator/simulator.ts';
import { NO_CHAOS } from '../../../src/domain/delivery/chaos.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { testCarrier } from '../contract/carrier-contract.ts';

const sms: Step = { channel: 'sms', from: '021112222', text: 'hello' };
const alimtalk = { channel: 'alimtalk' } as Step;

for (const [kind, chaos] of [
  ['simulator', NO_CHAOS],
  ['simulator in parts', { ...NO_CHAOS, partLength: 2 }],
] as const) {
  testCarrier(kind, async () => {
    const clock = new ManualClock();
    const carrier = new Simulator('simulator', { minMs: 0, maxMs: 0 }, clock, systemRandomness());
    carrier.disturb(chaos);
    return {
      carrier,
      samples: {
        delivered: { to: '01012340000', message: sms },
        permanent: { to: '01012340003', message: alimtalk },
        temporary: { to: '01012340005', message: sms },
        lost: { to: '01012340009', message: sms },
      },
      clock,
    };
  });
}
