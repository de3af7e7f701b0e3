/** Messages to the three SMSCs, each to a number of its own; a seventh is international, and half of those have two parts. */
import { SeededRandom } from '../../simulation/seeded-random.ts';
import { type SendOrder, type Sent, toldBy } from '../senders.ts';
import { ABROAD, DOMESTIC, HEADS } from './network-file.ts';

/** By the message's reference. */
export interface SentToSmsc extends Sent {
  /** As the SMSC sees it: digits only. */
  readonly recipient: string;
  readonly hasKey: boolean;
}

const LONG_TEXT = 'A text of several parts. '.repeat(9);

export function messagesOf(seed: number, nodes: number): (count: number) => SendOrder<SentToSmsc> {
  const random = new SeededRandom(`${seed}/senders`);
  return count => {
    const ref = `chaos-${count}`;
    const carrier = random.weighted({ quick: 4, slow: 3, narrow: 3 });
    const isAbroad = random.chance(0.15);
    const hasKey = random.chance(0.5);
    // Also different in the last eight digits, by which numbers are compared.
    const to = `${isAbroad ? ABROAD : DOMESTIC}${HEADS[carrier]}${String(count).padStart(7, '0')}`;
    const text = isAbroad && count % 2 === 0 ? LONG_TEXT : 'hello';
    return {
      path: `/v1/send/${isAbroad ? 'international' : 'sms'}`,
      body: { from: '0212345678', to, text, ref },
      node: random.below(nodes),
      idempotencyKey: hasKey ? ref : undefined,
      toldBy: answer => [[ref, { recipient: to.replace('+', ''), hasKey, ...toldBy(answer) }]],
    };
  };
}
