/**
 * Whether the other side is still there: after a silence it is asked by enquire_link, and must send something within as long
 * again. Any PDU is a sign of life. A probe wants the answer itself.
 */
import type { Clock } from '../../platform/clock.ts';

export class Heartbeat {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #answerMs: number;
  readonly #ask: () => number;
  #lastReadAt: number;
  #asked: { readonly at: number; readonly sequence: number } | undefined;
  #probes: ((isAnswered: boolean) => void)[] = [];

  /** `ask` sends enquire_link and returns its sequence number. */
  constructor(
    clock: Clock,
    limits: { readonly silenceMs: number; readonly answerMs: number },
    ask: () => number,
  ) {
    this.#clock = clock;
    this.#silenceMs = limits.silenceMs;
    this.#answerMs = limits.answerMs;
    this.#ask = ask;
    this.#lastReadAt = clock.monotonic();
  }

  /** A PDU was read, whatever it was. */
  heard(): void {
    this.#lastReadAt = this.#clock.monotonic();
  }

  /** enquire_link was answered; a refusal of it counts as well. False where it was not asked. */
  answered(sequence: number): boolean {
    if (this.#asked?.sequence !== sequence) return false;
    this.#endProbes(true);
    return true;
  }

  /** Asks now; false where no answer comes in time, or the session ends before. */
  probe(): Promise<boolean> {
    return new Promise(resolve => {
      this.#probes.push(resolve);
      this.#asked ??= { at: this.#clock.monotonic(), sequence: this.#ask() };
    });
  }

  /** Called now and then; false says that the other side is gone. */
  beat(): boolean {
    const now = this.#clock.monotonic();
    if (!this.#asked) {
      if (now - this.#lastReadAt >= this.#silenceMs) this.#asked = { at: now, sequence: this.#ask() };
      return true;
    }
    if (now - this.#asked.at < this.#answerMs) return true;
    const isAlive = this.#lastReadAt > this.#asked.at;
    this.#endProbes(false);
    return isAlive;
  }

  stop(): void {
    this.#endProbes(false);
  }

  #endProbes(isAnswered: boolean): void {
    this.#asked = undefined;
    const probes = this.#probes;
    this.#probes = [];
    for (const resolve of probes) resolve(isAnswered);
  }
}
