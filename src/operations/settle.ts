/** The one door: every outcome of every step enters here. */
import type { DeadlineSettings } from '../domain/deadlines.ts';
import type { ReportRecord } from '../domain/report.ts';
import { type Route, settleStep } from '../domain/settlement.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { QueueEvent, Settled, Store } from '../store/store.ts';
import type { Events } from './events.ts';

/** Resolves to what became of each event, in their order. */
export type Settle = (events: readonly QueueEvent[]) => Promise<readonly Settled[]>;

export function createSettle(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Events;
  readonly route: Route;
  readonly deadlines: DeadlineSettings;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  /** Tells whoever hands records over that there are some. */
  readonly noticeReports: (reports: readonly ReportRecord[]) => void;
}): Settle {
  const { store, clock, random, events, route, deadlines, wake, noticeReports } = deps;

  return async queueEvents => {
    const { settled, reports, enqueued } = await store.queue.settle(queueEvents, (live, event) =>
      settleStep(live, event, { now: clock.now(), deadlines, route, jitter: random.fraction() }),
    );
    if (enqueued) wake();
    for (const report of reports) events.ended(report);
    noticeReports(reports);
    for (const [index, event] of queueEvents.entries()) {
      if (event.kind === 'receipt')
        events.receiptSettled(event.carrier, event.ref, settled[index] ?? 'ignored');
    }
    return settled;
  };
}
