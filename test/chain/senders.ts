/**
 * Clients of the edge that send at a steady rate and write down what they were told, recipient by recipient. Half of them
 * use an Idempotency-Key and, as careful clients do, repeat until they are answered.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayNode } from '../chaos/gateway-node.ts';
import { postSend } from '../chaos/post-send.ts';
import type { Told } from '../chaos/senders.ts';
import { filePart, image, MULTIPART_TYPE, multipart } from '../harness/images.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { nextOrder, type Order, type UploadedFiles } from './messages.ts';
import { Recipients } from './recipients.ts';

export interface Sent {
  readonly told: Told;
  readonly flow: readonly string[];
  readonly msgKey?: string;
  /** The answer, where it is not a success. */
  readonly answer?: string;
}

interface Destination {
  readonly to: string;
  readonly msgKey: string | null;
  readonly code: string;
  readonly result: string;
}

interface Answer {
  readonly code: string;
  readonly result: string;
  readonly msgKey?: string;
  readonly data?: { readonly destinations: readonly Destination[] };
}

const MOST_UNANSWERED = 100;
const ANSWER_WITHIN_MS = 20_000;
const REPEAT_AFTER_MS = 200;

export class Senders {
  /** By recipient. */
  readonly sent = new Map<string, Sent>();
  readonly #edge: GatewayNode;
  readonly #token: string;
  readonly #random: SeededRandom;
  readonly #recipients = new Recipients();
  readonly #files: UploadedFiles;
  readonly #underWay = new Set<Promise<void>>();
  #count = 0;
  #isOver = false;

  constructor(edge: GatewayNode, token: string, seed: number, files: UploadedFiles) {
    this.#edge = edge;
    this.#token = token;
    this.#random = new SeededRandom(`${seed}/senders`);
    this.#files = files;
  }

  get accepted(): number {
    let count = 0;
    for (const { told } of this.sent.values()) if (told === 'accepted') count++;
    return count;
  }

  /** Sends until `stop`, as many requests a second, whether or not those before are answered. */
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

  /** Resolves when every send is answered, or will never be. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#underWay);
  }

  async #send(count: number): Promise<void> {
    const order = nextOrder({ random: this.#random, recipients: this.#recipients, files: this.#files });
    const key = this.#random.chance(0.5) ? `chain-${count}` : undefined;
    const body = JSON.stringify({ ...order.body, ref: `chain-${count}` });
    for (;;) {
      const url = await this.#edge.isUp();
      const told = toldBy(order, await this.#post(`${url}${order.path}`, body, key));
      if (key !== undefined && told.some(([, each]) => each.told === 'refused' || each.told === 'doubtful')) {
        await pause(REPEAT_AFTER_MS);
        continue;
      }
      for (const [recipient, each] of told) this.sent.set(recipient, each);
      return;
    }
  }

  #post(url: string, body: string, idempotencyKey: string | undefined): Promise<Answer | undefined> {
    const token = this.#token;
    return postSend<Answer>({ url, token, body, idempotencyKey, withinMs: ANSWER_WITHIN_MS });
  }
}

function toldBy({ recipients, flow }: Order, answer: Answer | undefined): [string, Sent][] {
  const all = (sent: Omit<Sent, 'flow'>) => recipients.map((to): [string, Sent] => [to, { ...sent, flow }]);
  if (answer === undefined) return all({ told: 'doubtful', answer: 'none' });
  const { code, result, msgKey, data } = answer;
  const text = `${code} ${result}`;
  if (code === 'A920') return all({ told: /not known/.test(result) ? 'doubtful' : 'refused', answer: text });
  if (code !== 'A000') return all({ told: 'odd', answer: text });
  if (!data) return all(msgKey === undefined ? { told: 'odd', answer: text } : { told: 'accepted', msgKey });
  return data.destinations.map(each => [
    each.to,
    each.msgKey === null
      ? { told: 'odd', answer: `${each.code} ${each.result}`, flow }
      : { told: 'accepted', msgKey: each.msgKey, flow },
  ]);
}

/** One image for each channel that has some. */
export async function uploadFiles(url: string, token: string): Promise<UploadedFiles> {
  const upload = async (path: string, width: number, height: number) => {
    const response = await fetch(`${url}/v1/file/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': MULTIPART_TYPE },
      body: new Uint8Array(multipart(filePart(image('jpg', width, height)))),
    });
    const { code, result, data } = (await response.json()) as Answer & { readonly data?: unknown };
    if (code !== 'A000') throw new Error(`an image for ${path} was refused: ${code} ${result}`);
    return data as unknown as UploadedFiles;
  };
  const { fileKey } = await upload('MMS', 640, 480);
  const { media } = await upload('RCS', 568, 336);
  const { imgUrl } = await upload('FRIENDTALK/FI', 600, 400);
  return { fileKey, media, imgUrl };
}
