/** Whether the other side is still there: after a silence it is asked, and must answer within as long again. */
import type { Clock } from '../../platform/clock.ts';

export class Heartbeat {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #answerMs: number;
  readonly #ask: () => number;
  #lastReadAt: number;
  #asked: { readonly at: number; readonly sequence: number } | undefined;
  #probes: ((isAlive: boolean) => void)[] = [];

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

  /** Something was read, whatever it was. */
  heard(): void {
    this.#lastReadAt = this.#clock.monotonic();
  }

  /** enquire_link was answered; even a refusal of it is a sign of life. False where it was not asked. */
  answered(sequence: number): boolean {
    if (this.#asked?.sequence !== sequence) return false;
    this.#asked = undefined;
    this.#settleProbes(true);
    return true;
  }

  /** Asks now; false where the session ends before an answer. */
  probe(): Promise<boolean> {
    return new Promise(resolve => {
      this.#probes.push(resolve);
      this.#asked ??= { at: this.#clock.monotonic(), sequence: this.#ask() };
    });
  }

  /** Called now and then; false says that the other side is gone. */
  beat(): boolean {
    const now = this.#clock.monotonic();
    if (this.#asked) return now - this.#asked.at < this.#answerMs;
    if (now - this.#lastReadAt >= this.#silenceMs) this.#asked = { at: now, sequence: this.#ask() };
    return true;
  }

  stop(): void {
    this.#settleProbes(false);
  }

  #settleProbes(isAlive: boolean): void {
    const probes = this.#probes;
    this.#probes = [];
    for (const resolve of probes) resolve(isAlive);
  }
}
