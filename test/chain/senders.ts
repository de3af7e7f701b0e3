/** Clients of the edge, and what they were told about each recipient. */

import { bearer } from '../harness/credentials.ts';
import { image } from '../harness/images.ts';
import type { SendAnswer } from '../harness/load.ts';
import type { GatewayNode } from '../long-runs/gateway-node.ts';
import { Senders, type Sent, toldBy } from '../long-runs/senders.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { nextOrder, type Order, type UploadedFiles } from './messages.ts';
import { Recipients } from './recipients.ts';

/** By recipient. */
export interface SentToEdge extends Sent {
  readonly flow: readonly string[];
}

const MOST_UNANSWERED = 100;
const ANSWER_WITHIN_MS = 20_000;

export function clientsOf(
  edge: GatewayNode,
  token: string,
  seed: number,
  files: UploadedFiles,
): Senders<SentToEdge> {
  const random = new SeededRandom(`${seed}/senders`);
  const recipients = new Recipients();
  return new Senders({
    nodes: [edge],
    token,
    nextOrder(count) {
      const order = nextOrder({ random, recipients, files });
      const ref = `chain-${count}`;
      return {
        path: order.path,
        body: { ...order.body, ref },
        idempotencyKey: random.chance(0.5) ? ref : undefined,
        toldBy: answer => toldOf(order, answer),
      };
    },
    mostUnanswered: MOST_UNANSWERED,
    answerWithinMs: ANSWER_WITHIN_MS,
    keyedAnswerWithinMs: ANSWER_WITHIN_MS,
  });
}

function toldOf({ recipients, flow }: Order, answer: SendAnswer | undefined): [string, SentToEdge][] {
  if (answer?.code !== 'A000' || !answer.data) {
    return recipients.map(to => [to, { ...toldBy(answer), flow }]);
  }
  return answer.data.destinations.map(({ to, msgKey, code, result }) => [
    to,
    msgKey === null ? { told: 'odd', answer: `${code} ${result}`, flow } : { told: 'accepted', msgKey, flow },
  ]);
}

/** One image for each channel that has some. */
export async function uploadFiles(url: string, token: string): Promise<UploadedFiles> {
  const upload = async (path: string, width: number, height: number) => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(image('jpg', width, height))]), 'image.jpg');
    const response = await fetch(`${url}/v1/file/${path}`, { method: 'POST', headers: bearer(token), body });
    const { code, result, data } = (await response.json()) as {
      code: string;
      result: string;
      data?: unknown;
    };
    if (code !== 'A000') throw new Error(`an image for ${path} was refused: ${code} ${result}`);
    return data as UploadedFiles;
  };
  const { fileKey } = await upload('MMS', 640, 480);
  const { media } = await upload('RCS', 568, 336);
  const { imgUrl } = await upload('FRIENDTALK/FI', 600, 400);
  return { fileKey, media, imgUrl };
}
