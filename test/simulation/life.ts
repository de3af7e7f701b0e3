/**
 * The life of a simulated node. Everything that reaches the node from outside (an answer of the store, of a carrier, of
 * the clock) passes through here: a frozen node gets it when it thaws, a dead one never. So what a dead node had in
 * memory is gone, and what it was waiting for never continues.
 */
import type { Clock } from '../../src/platform/clock.ts';

export class Life {
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #held: (() => void)[] = [];
  /** It ended before it had finished what it was doing. */
  wasKilled = false;

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isFrozen(): boolean {
    return this.#state === 'frozen';
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  pass(task: () => void): void {
    if (this.#state === 'running') task();
    else if (this.#state === 'frozen') this.#held.push(task);
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    const held = this.#held;
    this.#held = [];
    for (const task of held) this.pass(task);
  }

  end(isFinished: boolean): void {
    this.#state = 'dead';
    this.wasKilled = !isFinished;
    this.#held = [];
  }
}

/** The clock as a node sees it; its wall clock may be wrong by `wallOffset()`. */
export function clockOf(clock: Clock, life: Life, wallOffset: () => number): Clock {
  return {
    now: () => clock.now() + wallOffset(),
    trusted: () => clock.now() + wallOffset(),
    monotonic: () => clock.monotonic(),
    uptime: () => clock.uptime(),
    schedule(delayMs, task) {
      let isCancelled = false;
      const cancel = clock.schedule(delayMs, () =>
        life.pass(() => {
          if (!isCancelled) task();
        }),
      );
      return () => {
        isCancelled = true;
        cancel();
      };
    },
  };
}
