/**
 * Clients that send at a steady rate and record what they were told. As careful clients do, those with an Idempotency-Key
 * repeat a send until it is answered for certain, at the next node each time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { postSend, type SendAnswer } from '../harness/load.ts';
import type { GatewayNode } from './gateway-node.ts';

/**
 * refused: certainly, so it must not be sent. doubtful: not answered, or the answer says that the outcome is not known; it
 * may be sent once. odd: an answer that no fault explains.
 */
export type Told = 'accepted' | 'refused' | 'doubtful' | 'odd';

/** What the client of one message was told. */
export interface Sent {
  readonly told: Told;
  readonly msgKey?: string;
  /** The answer, if it is not a success. */
  readonly answer?: string;
}

export interface SendOrder<Each extends Sent> {
  readonly path: string;
  readonly body: object;
  /** Index of the node that gets it first. */
  readonly node?: number;
  readonly idempotencyKey: string | undefined;
  /** What the answer says about each message, by the message's name. */
  toldBy(answer: SendAnswer | undefined): readonly (readonly [string, Each])[];
}

export interface SendersOptions<Each extends Sent> {
  readonly nodes: readonly GatewayNode[];
  readonly token: string;
  /** The order with this number, counted from 0. */
  readonly nextOrder: (count: number) => SendOrder<Each>;
  readonly mostUnanswered: number;
  /** How long a client waits for an answer: without a key, and with one. */
  readonly answerWithinMs: number;
  readonly keyedAnswerWithinMs: number;
}

const REPEAT_AFTER_MS = 200;

export class Senders<Each extends Sent> {
  /** By the name of the message. */
  readonly sent = new Map<string, Each>();
  readonly #options: SendersOptions<Each>;
  readonly #sends = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();
  #isOver = false;
  accepted = 0;

  constructor(options: SendersOptions<Each>) {
    this.#options = options;
  }

  /** Sends until `stop`, this many a second, whether or not earlier sends are answered. */
  start(rate: number): void {
    this.#loop = this.#run(rate);
  }

  /** Resolves when every send is answered or was given up. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#loop;
    await Promise.all(this.#sends);
  }

  async #run(rate: number): Promise<void> {
    const startedAt = performance.now();
    let count = 0;
    for (let due = 0; !this.#isOver; due++) {
      const waitMs = startedAt + (1000 * due) / rate - performance.now();
      if (waitMs > 0) await pause(waitMs);
      if (this.#sends.size >= this.#options.mostUnanswered) continue;
      const sending = this.#send(this.#options.nextOrder(count++)).finally(() => this.#sends.delete(sending));
      this.#sends.add(sending);
    }
  }

  async #send(order: SendOrder<Each>): Promise<void> {
    const { token, answerWithinMs, keyedAnswerWithinMs } = this.#options;
    const { path, idempotencyKey, node = 0 } = order;
    const body = JSON.stringify(order.body);
    const withinMs = idempotencyKey === undefined ? answerWithinMs : keyedAnswerWithinMs;
    for (let attempt = 0; ; attempt++) {
      const url = `${await this.#urlFor(node + attempt)}${path}`;
      const told = order.toldBy(await postSend({ url, token, body, idempotencyKey, withinMs }));
      const isCertain = told.every(([, each]) => each.told === 'accepted' || each.told === 'odd');
      if (idempotencyKey === undefined || isCertain) {
        for (const [name, each] of told) {
          this.sent.set(name, each);
          if (each.told === 'accepted') this.accepted++;
        }
        return;
      }
      await pause(REPEAT_AFTER_MS);
    }
  }

  /** The node's address, or another's while it is down. */
  async #urlFor(index: number): Promise<string> {
    const { nodes } = this.#options;
    for (;;) {
      const url = nodes[index % nodes.length]?.url ?? nodes[(index + 1) % nodes.length]?.url;
      if (url !== undefined) return url;
      await pause(50);
    }
  }
}

/** What an answer says about a send to one recipient. */
export function toldBy(answer: SendAnswer | undefined): Sent {
  if (answer === undefined) return { told: 'doubtful', answer: 'none' };
  const { code, result, msgKey } = answer;
  if (code === 'A000' && msgKey !== undefined) return { told: 'accepted', msgKey };
  const text = `${code} ${result}`;
  if (code !== 'A920') return { told: 'odd', answer: text };
  return { told: /not known/.test(result) ? 'doubtful' : 'refused', answer: text };
}
