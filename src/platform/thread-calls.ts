/**
 * Calls between two threads, in batches: what one turn of the event loop asks goes over in one message, as a flat list of
 * plain values. A message costs as much as copying ten calls, and an object for each call as much again.
 */
import type { MessagePort } from 'node:worker_threads';

export type PlainValue = string | number | null | Uint8Array;
export type PlainValues = readonly PlainValue[];

/** Like a port of `node:worker_threads`: a worker's own, or a worker seen from outside. */
export type Port = Pick<MessagePort, 'postMessage' | 'on'>;

/** Numbers that a call or an answer begins with: whose it is, how many values follow. */
const HEAD = 2;
/** Instead of the number of a call: nobody waits for an answer. */
const NOTE = 0;

/** Gathers values until it is time to send them. */
class Batch {
  readonly #port: Port;
  readonly #later: (send: () => void) => void;
  readonly #onSent: () => void;
  #values: PlainValue[] = [];

  constructor(port: Port, later: (send: () => void) => void, onSent: () => void = () => {}) {
    this.#port = port;
    this.#later = later;
    this.#onSent = onSent;
  }

  add(id: number, values: PlainValues): void {
    if (this.#values.length === 0) this.#later(() => this.#send());
    this.#values.push(id, values.length, ...values);
  }

  #send(): void {
    const values = this.#values;
    this.#values = [];
    this.#port.postMessage(values);
    this.#onSent();
  }
}

function eachOf(batch: PlainValues, take: (id: number, values: PlainValues) => void): void {
  for (let at = 0; at < batch.length; ) {
    const count = batch[at + 1] as number;
    const end = at + HEAD + count;
    take(batch[at] as number, batch.slice(at + HEAD, end));
    at = end;
  }
}

/** The side that asks. */
export class ThreadCaller {
  readonly #batch: Batch;
  readonly #waiting = new Map<number, (answer: PlainValues) => void>();
  readonly #mostWaiting: number;
  #made = NOTE;

  /** `onSent` takes how many calls wait for their answers when some are on their way. */
  constructor(port: Port, mostWaiting: number, onSent: (waiting: number) => void = () => {}) {
    // When the turn ends: it has read what came on all connections.
    this.#batch = new Batch(port, setImmediate, () => onSent(this.#waiting.size));
    this.#mostWaiting = mostWaiting;
    port.on('message', (answers: PlainValues) =>
      eachOf(answers, (id, values) => {
        const answer = this.#waiting.get(id);
        this.#waiting.delete(id);
        answer?.(values);
      }),
    );
  }

  /** True if as many calls wait for their answers as may. */
  get isFull(): boolean {
    return this.#waiting.size >= this.#mostWaiting;
  }

  /** Never rejects: a thread that ends takes the process with it. */
  call(values: PlainValues): Promise<PlainValues> {
    return new Promise(resolve => {
      const id = ++this.#made;
      this.#waiting.set(id, resolve);
      this.#batch.add(id, values);
    });
  }

  /** Tells something that needs no answer. */
  note(values: PlainValues): void {
    this.#batch.add(NOTE, values);
  }
}

/** The side that answers. Neither function may throw. */
export function answerThread(
  port: Port,
  answer: (values: PlainValues) => Promise<PlainValues>,
  take: (note: PlainValues) => void,
): void {
  // As soon as nothing else follows from what made the answers, as a rule a commit: the next piece of work may be long.
  const batch = new Batch(port, process.nextTick);
  port.on('message', (calls: PlainValues) =>
    eachOf(calls, (id, values) => {
      if (id === NOTE) take(values);
      else void answer(values).then(answered => batch.add(id, answered));
    }),
  );
}
