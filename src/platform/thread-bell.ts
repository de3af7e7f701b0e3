/** By which one thread tells another that it has something for it, while that one is at work and hears no messages. */
export class ThreadBell {
  /** For the other thread, which makes its own bell of it. */
  readonly memory: SharedArrayBuffer;
  readonly #rung: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#rung = new Int32Array(memory);
  }

  ring(): void {
    Atomics.store(this.#rung, 0, 1);
  }

  /** What it was rung for has arrived. */
  silence(): void {
    Atomics.store(this.#rung, 0, 0);
  }

  get isRinging(): boolean {
    return Atomics.load(this.#rung, 0) !== 0;
  }
}
