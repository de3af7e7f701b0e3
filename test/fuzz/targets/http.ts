/** Routes of the HTTP API. What an answer must not be is the same for all of them. */

import { RESULT_CODES } from '../../../src/domain/request/result-codes.ts';
import { API_OPERATIONS } from '../../../src/http/openapi/document.ts';
import type { ApiOperation } from '../../../src/http/openapi/operation.ts';
import type { SeededRandom } from '../../simulation/seeded-random.ts';
import { bytesOf, type HttpInput, isSound, PIPELINED, wireBytes } from '../http-input.ts';
import { HttpPeer, type RawAnswer } from '../http-peer.ts';
import { mutatedRequest, requestFor, strayRequest } from '../requests.ts';
import type { Room } from '../room.ts';
import type { Input, Outcome, PreparedTarget, Target } from '../target.ts';

/** A server may close the connection on who sends more than this, before all of it was sent. */
const LARGE_BYTES = 900_000;
const FROM_CORPUS = 0.15;
const STRAY = 0.03;

/** A password is hashed for a quarter of a second and more; nearly all of the time would go there. */
const HASHING: ReadonlySet<string> = new Set(['issueToken', 'createAccount', 'renewPassword']);

const OPERATIONS = API_OPERATIONS.filter(({ request }) => request?.type !== 'multipart/form-data');

const isCallback = ({ path }: ApiOperation) => path.startsWith('/carriers/');
const isOperators = ({ access, path }: ApiOperation) => access === 'operator' || path.startsWith('/admin/');

export const clientRoutes = httpTarget(
  'client',
  OPERATIONS.filter(operation => !isOperators(operation) && !isCallback(operation)),
);
export const operatorRoutes = httpTarget('operator', OPERATIONS.filter(isOperators));

function httpTarget(name: string, operations: readonly ApiOperation[]): Target {
  return {
    name,
    concurrency: 6,
    async prepare(room) {
      const sender = new HttpSender(room);
      return sender.target((random, corpus) => {
        if (corpus.length > 0 && random.chance(FROM_CORPUS)) {
          return mutatedRequest(random, random.pick(corpus) as HttpInput);
        }
        if (random.chance(STRAY)) return strayRequest(random);
        const operation = random.pick(operations);
        const isTaken = !HASHING.has(operation.operationId) || random.chance(0.05);
        return requestFor(random, isTaken ? operation : random.pick(operations));
      });
    },
  };
}

/** What is needed of a room to send requests. */
type Place = Pick<Room, 'known' | 'fill'> & { readonly gateway: { readonly url: string } };

export class HttpSender {
  readonly #room: Place;
  readonly #idle: HttpPeer[] = [];

  constructor(room: Place) {
    this.#room = room;
  }

  target(next: (random: SeededRandom, corpus: readonly Input[]) => HttpInput): PreparedTarget {
    return {
      next,
      run: input => this.send(input as HttpInput),
      close: async () => {
        for (const peer of this.#idle) peer.close();
      },
    };
  }

  async send(input: HttpInput): Promise<Outcome> {
    const peer = this.#idle.pop() ?? new HttpPeer(this.#room.gateway.url);
    const bytes = wireBytes(input, this.#room.fill);
    const sound = isSound(input);
    // A stream of events has no end, and what is behind it in the pipe no answer.
    const count = input.framing === 'pipelined' && input.operation !== 'watchEvents' ? PIPELINED : 1;
    const answers = sound
      ? await peer.exchange(bytes, input.method, count)
      : await peer.provoke(bytes, input.method);
    this.#idle.push(peer);
    for (const answer of answers) this.#remember(answer);
    const [first] = answers;
    if (!first) {
      const isOwed = sound && bytesOf(input.body).length < LARGE_BYTES;
      return {
        label: `${input.operation} no answer`,
        ...(isOwed && { finding: 'a sound request got no answer' }),
      };
    }
    const label = `${input.operation} ${codeOf(first) ?? first.status}`;
    const finding = answers.map(answer => fault(answer, input)).find(each => each !== undefined);
    return { label, ...(finding !== undefined && { finding }) };
  }

  /** Ids that later inputs can use. */
  #remember({ body }: RawAnswer): void {
    if (body.length > 4096) return;
    for (const [, name = '', value = ''] of body
      .toString()
      .matchAll(/"(formId|fileKey|media|msgKey|reportId)":"([^"]+)"/g)) {
      this.#room.known.set(name, value);
    }
  }
}

/** Why an answer is not one of the contract. */
function fault({ status, headers, body }: RawAnswer, { operation }: HttpInput): string | undefined {
  const type = headers.get('content-type') ?? '';
  const code = codeOf({ status, headers, body });
  if (status === 0) return 'the answer is not HTTP/1.1';
  if (code === 'A999') return `A999: ${body.toString().slice(0, 200)}`;
  const known = RESULT_CODES as Readonly<Record<string, { readonly status: number } | undefined>>;
  if (status >= 500) {
    const isTold = API_OPERATIONS.find(({ operationId }) => operationId === operation)?.codes.some(
      each => each === code && RESULT_CODES[each].status === status,
    );
    return isTold || operation === 'checkService' ? undefined : `status ${status} ${code ?? ''}`;
  }
  if (type.startsWith('application/json') && body.length > 0) {
    if (code === undefined && operation !== 'none')
      return `JSON without a code: ${body.toString().slice(0, 200)}`;
    if (code !== undefined && !known[code]) return `an unknown code ${code}`;
  }
  return undefined;
}

function codeOf({ headers, body }: RawAnswer): string | undefined {
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
  return /^\{"code":"([^"]*)"/.exec(body.toString('utf8', 0, 40))?.[1];
}
