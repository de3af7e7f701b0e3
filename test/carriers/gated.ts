/** The gate of a lane before a carrier without a gateway: it hears the answers, and says whether more may be submitted. */
import type { Carrier, SubmitAnswer } from '../../src/carriers/carrier.ts';
import { tellGate } from '../../src/deliver/answer-event.ts';
import { CarrierGate } from '../../src/deliver/carrier-gate.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import type { RecordingHost } from './recording-host.ts';

interface Gated {
  readonly carrier: Carrier;
  readonly clock: ManualClock;
  readonly host: RecordingHost;
}

export function gated({ carrier, clock, host }: Gated) {
  const told: string[] = [];
  const gate = new CarrierGate({
    status: () => carrier.status(),
    underWay: () => 0,
    submitted: () => 0,
    changed: notice => told.push(notice),
    breaker: carrier.capabilities.breaker,
    now: clock.monotonic(),
  });
  host.onRefused = reason => gate.refused(reason, clock.monotonic());
  return {
    gate,
    told,
    /** Answers to submits of this moment. */
    hear(...answers: readonly SubmitAnswer[]): void {
      const now = clock.monotonic();
      for (const answer of answers) tellGate(gate, answer, now, now);
    },
    room: () => gate.room(clock.monotonic()),
    isAvailable: () => gate.isAvailable(clock.monotonic()),
    status: () => gate.status(clock),
  };
}
