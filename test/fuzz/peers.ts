/** The carriers of the fuzzed gateway: an SMSC with many links, and a provider. */
import { AnsweringServer } from './answering-server.ts';
import { FuzzingSmsc } from './fuzzing-smsc.ts';
import type { AnswerInput } from './http-answers.ts';
import { bytesOf } from './http-input.ts';

/** A link that is lost comes back after a while; the others go on. */
const LINKS = 16;
export const PROVIDER_SECRET = 'secret-of-the-fuzzed-provider';
/** A submit that does not come in this time was put off, because the carrier pauses. */
const PATIENCE_MS = 300;

export class Peers {
  readonly smsc: FuzzingSmsc;
  readonly provider: Provider;

  private constructor(smsc: FuzzingSmsc, provider: Provider) {
    this.smsc = smsc;
    this.provider = provider;
  }

  static async start(): Promise<Peers> {
    return new Peers(await FuzzingSmsc.start(), await Provider.start());
  }

  /** Messages to 0107… go to the SMSC, to 0108… to the provider. */
  get yaml(): string {
    const names = Array.from({ length: LINKS }, (_, index) => `smsc-${index}`);
    const smsc = `{ kind: smpp, host: 127.0.0.1, port: ${this.smsc.port}, systemId: fuzz, responseTimeout: 3s, bindTimeout: 3s, receiptIds: auto }`;
    return [
      'carriers:',
      ...names.map(name => `  ${name}: ${smsc}`),
      '  acme:',
      '    kind: http',
      '    allowPrivate: true',
      '    timeout: 3s',
      '    breaker: { failures: 1000, pause: 1s, longestPause: 1s }',
      `    submit: { url: "${this.provider.url}/messages", json: { to: "{{to}}", text: "{{text}}", callback: "{{callbackUrl}}" } }`,
      '    channels: { sms: {} }',
      '    outcomes:',
      '      - { status: 2xx, pointer: /id, result: accepted, id: /id }',
      '      - { status: 422, result: permanent, reportCode: "23014", code: /code }',
      '      - { status: 429, result: temporary, retryAfter: /retryAfter }',
      '    reportCodes: { blocked: "23012" }',
      '    receipt: { id: /id, status: /state, code: /code, to: /to, statuses: { done: delivered, undone: failed, later: intermediate }, reportCode: "23014" }',
      `    callback: { urlSecret: ${PROVIDER_SECRET}, publicUrl: "http://gateway.invalid", token: { header: x-token, value: ${PROVIDER_SECRET} } }`,
      'routes:',
      ...names.map(name => `  - { channel: sms, prefix: ["0107"], via: [${name}], weight: 1 }`),
      '  - { channel: sms, prefix: ["0108"], via: [acme] }',
      '',
    ].join('\n');
  }

  async close(): Promise<void> {
    this.provider.close();
    await this.smsc.close();
  }
}

/** Answers each submit with the next odd answer, or with a good one if there is none. */
class Provider {
  readonly #server: AnsweringServer;
  readonly #answers: { readonly input: AnswerInput; readonly taken: () => void }[] = [];
  #count = 0;
  /** Called with the path of a callback that is signed for an attempt. */
  onAttempt: (path: string) => void = () => {};

  private constructor(server: AnsweringServer) {
    this.#server = server;
    server.answer = ({ body }) => {
      const attempt = /\/receipts\/([^"\\]+)"/.exec(body)?.[1];
      if (attempt !== undefined) this.onAttempt(attempt);
      const next = this.#answers.shift();
      next?.taken();
      return next
        ? { bytes: bytesOf(next.input.answer), isKept: next.input.isKept }
        : { bytes: goodAnswer(`p-${this.#count++ % 50}`), isKept: true };
    };
  }

  static async start(): Promise<Provider> {
    return new Provider(await AnsweringServer.start());
  }

  get url(): string {
    return this.#server.url;
  }

  /** Resolves when a submit got the answer, or when no submit came in time. */
  nextAnswer(input: AnswerInput): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE_MS);
    const taken = () => {
      clearTimeout(timer);
      resolve();
    };
    this.#answers.push({ input, taken });
    return promise;
  }

  close(): void {
    this.#server.close();
  }
}

function goodAnswer(id: string): Buffer {
  const body = JSON.stringify({ id });
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}
