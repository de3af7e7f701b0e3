/**
 * The event loop of a simulation. The program under test has no I/O here: what it does between two moments of the clock is
 * promises and `setImmediate`, so all of it is over when no promise is left to go on and no immediate waits. Immediates are
 * kept and run here, because a turn of the real event loop costs more than most of what a turn does.
 */
const MOST_TURNS = 100_000;

export class Activity {
  readonly #real = globalThis.setImmediate;
  readonly #immediates: (() => void)[] = [];
  #isRunning = false;

  /** From now on this is the event loop. */
  begin(): void {
    setGlobal((task: () => void) => {
      this.#immediates.push(task);
      if (this.#isRunning) return;
      this.#isRunning = true;
      this.#goOn();
    });
  }

  end(): void {
    setGlobal(this.#real);
  }

  /** Resolves when all is quiet; false if it never is. */
  async quiet(): Promise<boolean> {
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      await new Promise<void>(resolve => {
        whenPromisesWentOn(resolve);
      });
      if (!this.#isRunning) return true;
    }
    return false;
  }

  #goOn(): void {
    whenPromisesWentOn(() => {
      const task = this.#immediates.shift();
      this.#isRunning = task !== undefined;
      if (!task) return;
      task();
      this.#goOn();
    });
  }
}

/** A tick that a promise asks for comes when no promise is left to go on. */
function whenPromisesWentOn(task: () => void): void {
  queueMicrotask(() => process.nextTick(task));
}

function setGlobal(value: unknown): void {
  Object.defineProperty(globalThis, 'setImmediate', { value, configurable: true, writable: true });
}
