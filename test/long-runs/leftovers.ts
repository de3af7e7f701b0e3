/**
 * Messages that are not finished when all trouble is over.
 *
 * Unknown: submitted without an answer, and never accepted on the other side. The submit was lost on the wire, or with a node
 * that was killed. No report will come and the gateway may not send it again, so it ends at its deadline. Stuck: anything
 * else that does not end by itself, also if the answer was lost but the other side accepted it, because its report tells.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface Leftover {
  readonly msgKey: string;
  readonly recipient: string;
  readonly state: string;
  readonly step: number;
  readonly attempt: number;
  /** As it is stored, for people. */
  readonly history: string;
}

export interface Left<Each extends Leftover> {
  readonly unknown: readonly Each[];
  readonly stuck: readonly Each[];
}

export interface Look<Each extends Leftover> {
  readonly left: readonly Each[];
  readonly isUnknown: (each: Each) => boolean;
  /** How long nothing may move before the rest is stuck: longer than the longest wait of the gateway. */
  readonly patienceMs: number;
}

/** With only unknown messages left: a report, or what a frozen node held, may still come. */
const SURE_MS = 3_000;

/** Waits until only unknown messages are left or nothing moves any more. */
export async function settled<Each extends Leftover>(
  look: () => Promise<Look<Each>>,
  tell: (left: number) => void = () => {},
): Promise<Left<Each>> {
  let seen = '';
  let changedAt = performance.now();
  for (;;) {
    const { left, isUnknown, patienceMs } = await look();
    tell(left.length);
    const unknown = left.filter(isUnknown);
    const stuck = left.filter(each => !isUnknown(each));
    const now = left
      .map(({ msgKey, step, state, attempt }) => [msgKey, step, state, attempt].join(' '))
      .join();
    if (now !== seen) {
      seen = now;
      changedAt = performance.now();
    }
    const stillMs = performance.now() - changedAt;
    if (stillMs > (stuck.length === 0 ? SURE_MS : patienceMs)) return { unknown, stuck };
    await pause(250);
  }
}
