/** A value that must not be printed by accident: logs, JSON and error texts show `[secret]`, and `reveal` gives the value. */
import { inspect } from 'node:util';

const SHOWN = '[secret]';

export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** For whoever needs it, at the moment that it is needed. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}
