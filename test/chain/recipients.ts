/** Numbers that nobody else has: a recipient names its message, at the edge and in the core. */

/** Last four digits that the simulated network gives a fate of their own. */
export type Fate = '0001' | '0002' | '0003' | '0004' | '0005' | '0007' | '0008';

/** Endings from 0010 on are delivered. */
const FIRST_PLAIN = 10;
const PLAIN_ENDINGS = 10_000 - FIRST_PLAIN;

export class Recipients {
  readonly #taken = new Map<string, number>();

  /** A domestic number that is delivered to, or one with a fate. */
  domestic(fate?: Fate): string {
    return `010${this.#next(fate, 4)}`;
  }

  abroad(fate?: Fate): string {
    return `+1212${this.#next(fate, 3)}`;
  }

  #next(fate: Fate | undefined, digits: number): string {
    const kind = `${fate} ${digits}`;
    const count = this.#taken.get(kind) ?? 0;
    this.#taken.set(kind, count + 1);
    const [head, tail] =
      fate === undefined
        ? [Math.floor(count / PLAIN_ENDINGS), String(FIRST_PLAIN + (count % PLAIN_ENDINGS)).padStart(4, '0')]
        : [count, fate];
    const middle = String(head).padStart(digits, '0');
    if (middle.length > digits) throw new Error('there are no numbers left');
    return `${middle}${tail}`;
  }
}
