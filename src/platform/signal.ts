/** Wakes a loop that sleeps. A ring while nobody waits is kept for the next wait. */
export class WakeSignal {
  #rung = false;
  #waiter: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#waiter?.();
  }

  /** Resolves at the next ring, at once if it rang since the last wait. */
  async wait(): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>(resolve => {
        this.#waiter = resolve;
      });
    }
    this.#rung = false;
    this.#waiter = undefined;
  }
}
