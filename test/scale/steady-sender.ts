/** Sends single messages at a steady rate, whatever becomes of those before, and measures each answer. */
import { setTimeout as pause } from 'node:timers/promises';
import { bearer } from '../harness/credentials.ts';

export interface Sent {
  readonly sends: number;
  /** Answers other than 200. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly overSecond: number;
}

export class Sender {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #latencies: number[] = [];
  readonly #open = new Set<Promise<void>>();
  #refused = 0;
  #isOver = false;
  #sending: Promise<void> = Promise.resolve();

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { ...bearer(token), 'content-type': 'application/json' };
  }

  static async begin(
    { url, id, password }: { readonly url: string; readonly id: string; readonly password: string },
    perSecond: number,
  ): Promise<Sender> {
    const headers = { 'x-svc-client-id': id, 'x-svc-client-passwd': password };
    const issued = await fetch(`${url}/v1/auth/token`, { method: 'POST', headers });
    const { data } = (await issued.json()) as { data: { token: string } };
    const sender = new Sender(url, data.token);
    sender.#sending = sender.#send(1000 / perSecond);
    return sender;
  }

  /** Resolves when the last one is answered. */
  async end(): Promise<Sent> {
    this.#isOver = true;
    await this.#sending;
    await Promise.all(this.#open);
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return {
      sends: sorted.length,
      refused: this.#refused,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      longestMs: sorted.at(-1) ?? 0,
      overSecond: sorted.filter(latency => latency > 1000).length,
    };
  }

  async #send(everyMs: number): Promise<void> {
    const startedAt = performance.now();
    for (let number = 0; !this.#isOver; number++) {
      await pause(Math.max(0, startedAt + number * everyMs - performance.now()));
      const one = this.#sendOne(number).finally(() => this.#open.delete(one));
      this.#open.add(one);
    }
  }

  async #sendOne(number: number): Promise<void> {
    const to = `010${String(number % 1e8).padStart(8, '0')}`;
    const body = JSON.stringify({ from: '0212345678', to, text: `message ${number}` });
    const sentAt = performance.now();
    const answer = await fetch(`${this.#url}/v1/send/sms`, { method: 'POST', headers: this.#headers, body });
    await answer.arrayBuffer();
    this.#latencies.push(performance.now() - sentAt);
    if (answer.status !== 200) this.#refused++;
  }
}
