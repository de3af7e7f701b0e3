/** Runs work under one name one after another, in the order in which it came. Work that fails does not keep the next from its turn. */
export class OneByOne {
  /** The last of each name; it never rejects. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const result = before ? before.then(work) : work();
    const ended = result.then(
      () => {},
      () => {},
    );
    this.#last.set(name, ended);
    try {
      return await result;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }
}
