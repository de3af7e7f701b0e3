/**
 * Settles every outcome of every step.
 *
 * While the store is away a call rejects, and the caller tries again. An event that the store can never write is found by
 * halving its batch, so that the others are settled, and is set aside with the reason. A step whose answer was set aside
 * is unknown: it may have been sent.
 */
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import type { ChooseRoute } from '../domain/delivery/routing.ts';
import { type StepEvent, settleStep } from '../domain/delivery/settlement.ts';
import type { ReportRecord } from '../domain/reports/report-record.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { QueueEvent, Settled, Store } from '../store/store.ts';
import { StoreFault } from '../store/store-fault.ts';

/** Resolves to the result of each event, in their order. */
export type Settle = (events: readonly QueueEvent[]) => Promise<readonly Settled[]>;

const LONGEST_REASON = 500;
/** Events of one call to the store, which may settle several calls together; many are settled in pieces that others get between. */
export const MOST_SETTLED_AT_ONCE = 50;

export function createSettle(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Events;
  readonly route: ChooseRoute;
  readonly deadlines: DeadlineSettings;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  /** Report records were written. */
  readonly onReports: (reports: readonly ReportRecord[]) => void;
}): Settle {
  const { store, clock, random, events, route, deadlines, wake, onReports } = deps;
  const isInDoubt = () => clock.trusted() === undefined;

  return async queueEvents => {
    if (queueEvents.length <= MOST_SETTLED_AT_ONCE) return settleOrSetAside(queueEvents);
    const pieces: Promise<readonly Settled[]>[] = [];
    for (let start = 0; start < queueEvents.length; start += MOST_SETTLED_AT_ONCE) {
      pieces.push(settleOrSetAside(queueEvents.slice(start, start + MOST_SETTLED_AT_ONCE)));
    }
    // All have ended before the caller may try again: what is settled by then is not settled twice.
    const ended = await Promise.allSettled(pieces);
    return ended.flatMap(piece => {
      if (piece.status === 'rejected') throw piece.reason;
      return piece.value;
    });
  };

  async function settleOrSetAside(queueEvents: readonly QueueEvent[]): Promise<readonly Settled[]> {
    try {
      return await settle(queueEvents);
    } catch (error) {
      if (error instanceof StoreFault) throw error;
      const [only] = queueEvents;
      if (only && queueEvents.length === 1) return [await setAside(only, error)];
      const half = Math.ceil(queueEvents.length / 2);
      // One after the other: the order of events is the order in which they happened.
      const first = await settleOrSetAside(queueEvents.slice(0, half));
      return [...first, ...(await settleOrSetAside(queueEvents.slice(half)))];
    }
  }

  async function settle(queueEvents: readonly QueueEvent[]): Promise<readonly Settled[]> {
    const holders = new Map<StepEvent, string>();
    const { settled, reports, late, enqueued } = await store.queue.settle(queueEvents, (live, event, now) => {
      holders.set(event, live.carrier);
      return settleStep(live, event, { now, isInDoubt, deadlines, route, jitter: random.fraction() });
    });
    if (enqueued) wake();
    for (const report of reports) events.ended(report);
    for (const record of late) events.lateDelivery(record);
    onReports([...reports, ...late]);
    for (const [index, event] of queueEvents.entries()) {
      if (event.kind !== 'receipt') continue;
      // One that names the attempt may have come by another carrier than that which has the step.
      const holder = holders.get(event.event) ?? event.carrier;
      const carrier = event.receiptsOf?.includes(holder) ? holder : event.carrier;
      events.receiptSettled({ ...event, carrier }, settled[index] ?? 'ignored');
    }
    return settled;
  }

  async function setAside(event: QueueEvent, error: unknown): Promise<Settled> {
    const reason = writable(error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
    await store.queue.setAside({ at: clock.now(), reason, event: writable(JSON.stringify(event)) });
    events.setAside(event, error);
    if (event.kind === 'step') {
      const { msgKey, step, attempt, claim } = event;
      const asked = claim === undefined ? {} : { claim };
      await settle([{ kind: 'step', msgKey, step, attempt, event: { name: 'lost' }, ...asked }]);
    }
    return 'setAside';
  }
}

/** Text that every store takes, whatever made the event unwritable. */
function writable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return text.replace(/[\u0000-\u001f]|\\u0000/g, ' ').toWellFormed();
}
