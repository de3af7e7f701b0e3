/**
 * Whether anything is still going on that does not wait for the clock. The program under test has no I/O here: what it
 * does between two moments of the clock is over when nothing was begun or ended for two turns of the event loop.
 */
const MOST_TURNS = 20_000;

export class Activity {
  #underWay = 0;
  #count = 0;

  began(): void {
    this.#underWay++;
    this.#count++;
  }

  ended(): void {
    this.#underWay--;
    this.#count++;
  }

  /** Resolves when all is quiet; false if it never is. */
  async quiet(): Promise<boolean> {
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const before = this.#count;
      await turn();
      await turn();
      if (this.#underWay === 0 && this.#count === before) return true;
    }
    return false;
  }
}

function turn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}
