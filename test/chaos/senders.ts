/**
 * Clients that send at a steady rate through both nodes, each message to a number of its own, and write down what they
 * were told. Half of them use an Idempotency-Key and, as careful clients do, repeat until they are answered.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { SeededRandom } from '../simulation/seeded-random.ts';
import type { GatewayNode } from './gateway-node.ts';
import { ABROAD, DOMESTIC, HEADS } from './network-file.ts';
import { postSend } from './post-send.ts';

/**
 * refused: for certain, and so it must not be sent. doubtful: told that nobody knows, or not answered at all; it may be
 * sent, once. odd: an answer that no fault excuses.
 */
export type Told = 'accepted' | 'refused' | 'doubtful' | 'odd';

export interface Sent {
  /** As the SMSC sees it: digits only. */
  readonly recipient: string;
  readonly hasKey: boolean;
  readonly told: Told;
  readonly msgKey?: string;
  /** The answer, where it is not a success. */
  readonly answer?: string;
}

const MOST_UNANSWERED = 300;
const ANSWER_WITHIN_MS = 30_000;
const REPEAT_AFTER_MS = 200;
const LONG_TEXT = 'A text of several parts. '.repeat(9);

interface Answer {
  readonly code: string;
  readonly result: string;
  readonly msgKey?: string;
}

export class Senders {
  /** By reference. */
  readonly sent = new Map<string, Sent>();
  readonly #nodes: readonly GatewayNode[];
  readonly #token: string;
  readonly #random: SeededRandom;
  readonly #underWay = new Set<Promise<void>>();
  #count = 0;
  #accepted = 0;
  #isOver = false;

  constructor(nodes: readonly GatewayNode[], token: string, seed: number) {
    this.#nodes = nodes;
    this.#token = token;
    this.#random = new SeededRandom(`${seed}/senders`);
  }

  get accepted(): number {
    return this.#accepted;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Sends until `stop`, as many a second, whether or not those before are answered. */
  async run(rate: number): Promise<void> {
    const startedAt = performance.now();
    for (let due = 0; !this.#isOver; due++) {
      const waitMs = startedAt + (1000 * due) / rate - performance.now();
      if (waitMs > 0) await pause(waitMs);
      if (this.#underWay.size >= MOST_UNANSWERED) continue;
      const sending = this.#send(this.#count++).finally(() => this.#underWay.delete(sending));
      this.#underWay.add(sending);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Every send is answered, or will never be. */
  async areDone(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #send(count: number): Promise<void> {
    const ref = `chaos-${count}`;
    const carrier = this.#random.weighted({ quick: 4, slow: 3, narrow: 3 });
    const isAbroad = this.#random.chance(0.15);
    const hasKey = this.#random.chance(0.5);
    const node = this.#random.below(this.#nodes.length);
    // Unique also in the last eight digits, by which numbers are compared.
    const to = `${isAbroad ? ABROAD : DOMESTIC}${HEADS[carrier]}${String(count).padStart(7, '0')}`;
    const text = isAbroad && count % 2 === 0 ? LONG_TEXT : 'hello';
    const body = JSON.stringify({ from: '0212345678', to, text, ref });
    const recipient = to.replace('+', '');
    for (let attempt = 0; ; attempt++) {
      const url = await this.#urlFor(node + attempt);
      const path = isAbroad ? 'international' : 'sms';
      const answer = await this.#post(`${url}/v1/send/${path}`, body, hasKey ? ref : undefined);
      const sent = { recipient, hasKey, ...toldBy(answer) };
      if (sent.told === 'accepted') this.#accepted++;
      if (hasKey && (sent.told === 'refused' || sent.told === 'doubtful')) {
        await pause(REPEAT_AFTER_MS);
        continue;
      }
      this.sent.set(ref, sent);
      return;
    }
  }

  /** The node's address, or another's while it is down. */
  async #urlFor(index: number): Promise<string> {
    for (;;) {
      const { length } = this.#nodes;
      const url = this.#nodes[index % length]?.url ?? this.#nodes[(index + 1) % length]?.url;
      if (url !== undefined) return url;
      await pause(50);
    }
  }

  #post(url: string, body: string, idempotencyKey: string | undefined): Promise<Answer | undefined> {
    const token = this.#token;
    return postSend<Answer>({ url, token, body, idempotencyKey, withinMs: ANSWER_WITHIN_MS });
  }
}

function toldBy(answer: Answer | undefined): Pick<Sent, 'told' | 'msgKey' | 'answer'> {
  if (answer === undefined) return { told: 'doubtful', answer: 'none' };
  const { code, result, msgKey } = answer;
  if (code === 'A000' && msgKey !== undefined) return { told: 'accepted', msgKey };
  const text = `${code} ${result}`;
  if (code !== 'A920') return { told: 'odd', answer: text };
  return { told: /not known/.test(result) ? 'doubtful' : 'refused', answer: text };
}
