/** A provider behind an HTTP carrier: what it calls back with, and what it answers to submits. */
import { API_OPERATIONS } from '../../../src/http/openapi/document.ts';
import { bearer } from '../../harness/credentials.ts';
import type { SeededRandom } from '../../simulation/seeded-random.ts';
import { type AnswerInput, oddAnswer } from '../http-answers.ts';
import { contentOf, type HttpInput } from '../http-input.ts';
import { jsonText, mutatedTree } from '../mutation.ts';
import { oddText } from '../oddities.ts';
import { PROVIDER_SECRET } from '../peers.ts';
import { requestFor } from '../requests.ts';
import type { Input, Target } from '../target.ts';
import { HttpSender } from './http.ts';

const CALLBACKS = API_OPERATIONS.filter(({ path }) => path.startsWith('/carriers/'));
const SUBMITS = 0.15;

export const carrierCallbacks: Target = {
  name: 'callback',
  concurrency: 6,
  async prepare(room) {
    const sender = new HttpSender(room);
    const callbacks = sender.target(callback);
    room.peers.provider.onAttempt = path => void room.known.set('attempt', path);
    const token = bearer(room.known.get('token') ?? '');
    return {
      next: (random, corpus) =>
        random.chance(SUBMITS)
          ? oddAnswer(random, { id: `p-${random.below(50)}`, code: 'x' })
          : callback(random, corpus),
      async run(input) {
        if (!('answer' in input)) return callbacks.run(input);
        const isTaken = room.peers.provider.nextAnswer(input as AnswerInput);
        const message = { from: '0212345678', to: '01087654321', text: 'by the provider' };
        const { code } = await room.call('POST', '/v1/send/sms', message, token);
        await isTaken;
        return { label: `submit ${code}`, ...(code === 'A999' && { finding: 'A999' }) };
      },
      close: () => callbacks.close(),
    };
  },
};

function callback(random: SeededRandom, corpus: readonly Input[]): HttpInput {
  const saved = corpus.filter(input => !('answer' in input)) as HttpInput[];
  if (saved.length > 0 && random.chance(0.3)) return withReceipt(random, random.pick(saved));
  const request = requestFor(random, random.pick(CALLBACKS));
  const path = request.path
    .replace(/^\/carriers\/[^/]*/, random.chance(0.97) ? '/carriers/acme' : '/carriers/nobody')
    // A place that the gateway itself named for an attempt.
    .replace(/receipts\/.*/, random.chance(0.7) ? 'receipts/{{attempt}}' : '$&');
  return withReceipt(random, { ...request, path });
}

function withReceipt(random: SeededRandom, input: HttpInput): HttpInput {
  const receipt = {
    id: `p-${random.below(50)}`,
    state: random.pick(['done', 'undone', 'later']),
    code: 'blocked',
    to: '01087654321',
  };
  const odd = mutatedTree(random, random.chance(0.3) ? [receipt, receipt] : receipt);
  const secret = random.chance(0.97)
    ? PROVIDER_SECRET
    : oddText(random)
        .replaceAll(/[\r\n\0]/g, '')
        .slice(0, 2000);
  const headers: [string, string][] = [['x-token', secret]];
  if (input.method === 'GET') {
    const query = new URLSearchParams({
      ...receipt,
      [oddText(random).slice(0, 50)]: oddText(random).slice(0, 500),
    });
    return { ...input, headers, path: `${input.path.split('?')[0]}?${query}` };
  }
  const isForm = random.chance(0.2);
  const form = new URLSearchParams({ ...receipt, state: oddText(random) }).toString();
  headers.push([
    'content-type',
    isForm ? 'application/x-www-form-urlencoded' : random.pick(['application/json', 'text/xml', 'x']),
  ]);
  return { ...input, headers, body: contentOf(isForm ? form : jsonText(random, odd)) };
}
