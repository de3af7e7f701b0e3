/**
 * A service that speaks the contract, under the control of a test: it keeps tokens, messages and reports as the contract
 * says, records what it is asked, and goes wrong in whatever way a test tells it to.
 */
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { json, type ProviderRequest, type ProviderServer, startProvider } from '../http/provider-server.ts';

export interface TakenMessage {
  readonly msgKey: string;
  readonly channel: string;
  readonly to: string;
  /** What its reports will name. */
  readonly ref: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Json = Readonly<Record<string, unknown>>;

/** Answers in the place of the service; false where the service is to answer itself. */
export type Fault = (request: ProviderRequest, response: ServerResponse) => boolean;

interface Batch {
  readonly reportId: string;
  readonly records: readonly Json[];
}

export class OmniService {
  readonly provider: ProviderServer;
  readonly taken: TakenMessage[] = [];
  readonly deleted: string[] = [];
  /** Reports not handed out yet. */
  readonly waiting: Json[] = [];
  readonly tokens = new Set<string>();
  fault: Fault = () => false;
  /** Whether reports name the reference of the destination. */
  keepsDestinationRefs = true;
  /** Seconds that its clock is ahead. */
  aheadSeconds = 0;
  /** The code of a report that is made as soon as a message is taken; undefined: none is. */
  reportsAtOnce: string | undefined = '10000';
  files = 0;
  readonly #now: () => number;
  #logins = 0;
  #batch: Batch | undefined;
  #batches = 0;

  constructor(provider: ProviderServer, now: () => number) {
    this.provider = provider;
    this.#now = now;
  }

  get url(): string {
    return this.provider.url;
  }

  get logins(): number {
    return this.#logins;
  }

  /** What was asked at a path. */
  at(path: string): ProviderRequest[] {
    return this.provider.at(path);
  }

  /** Bodies of the sends at a path. */
  bodies(path: string): Json[] {
    return this.at(path).map(({ body }) => JSON.parse(body));
  }

  report(message: Pick<TakenMessage, 'msgKey' | 'ref'>, reportCode: string, more: Json = {}): void {
    const { msgKey, ref } = message;
    this.waiting.push({
      msgKey,
      ref,
      reportCode,
      serviceType: 'SMS',
      msgType: 'SM',
      reportType: '0',
      ...more,
    });
  }

  answer(response: ServerResponse, status: number, body: Json, headers = {}): void {
    const date = new Date(this.#now() + this.aheadSeconds * 1000).toUTCString();
    json(response, status, body, { date, ...headers });
  }

  handle(request: ProviderRequest, response: ServerResponse) {
    if (this.fault(request, response)) return;
    const { method, path, headers } = request;
    if (path === '/v1/auth/token') return this.#login(request, response);
    if (!this.tokens.has(headers.authorization ?? '')) {
      return this.answer(response, 401, { code: 'A001', result: 'Expired token' });
    }
    if (path.startsWith('/v1/send/')) return this.#send(request, response);
    if (path.startsWith('/v1/file/')) return this.#upload(path, response);
    if (path.startsWith('/v1/report/inquiry/')) return this.#inquire(path, response);
    if (path === '/v1/report/polling' && method === 'GET') return this.#poll(response);
    if (path.startsWith('/v1/report/polling/')) return this.#delete(path, response);
    this.answer(response, 404, { code: 'A300', result: 'no such path' });
  }

  #login({ headers }: ProviderRequest, response: ServerResponse) {
    if (headers['x-svc-client-id'] !== 'shop' || headers['x-svc-client-passwd'] !== 'secret') {
      return this.answer(response, 401, { code: 'A100', result: 'Invalid authentication information' });
    }
    const token = `token-${++this.#logins}`;
    this.tokens.add(`Bearer ${token}`);
    const expired = new Date(this.#now() + this.aheadSeconds * 1000 + 86_400_000).toISOString();
    this.answer(response, 200, success({ data: { schema: 'Bearer', token, expired } }));
  }

  #send({ path, body }: ProviderRequest, response: ServerResponse) {
    const channel = path.slice('/v1/send/'.length);
    const given: Json = JSON.parse(body);
    const ref = String(given.ref);
    if (channel !== 'omni') {
      const { msgKey } = this.#take(channel, String(given.to), ref, given);
      return this.answer(response, 200, success({ msgKey, ref }));
    }
    const [entry = {}] = given.messageFlow as Json[];
    const [name = ''] = Object.keys(entry);
    const destinations = (given.destinations as Json[]).map(destination => {
      const own = this.keepsDestinationRefs ? (destination.ref ?? ref) : ref;
      const { msgKey, to } = this.#take(name, String(destination.to), String(own), entry[name] as Json);
      return { to, msgKey, ...success({}) };
    });
    this.answer(response, 200, success({ data: { destinations }, ref }));
  }

  #take(channel: string, to: string, ref: string, body: Json): TakenMessage {
    const message = { msgKey: `M${this.taken.length + 1}`, channel, to, ref, body };
    this.taken.push(message);
    if (this.reportsAtOnce !== undefined) this.report(message, this.reportsAtOnce);
    return message;
  }

  #upload(path: string, response: ServerResponse) {
    const fileKey = `file-${++this.files}`;
    const service = path.split('/')[3]?.toUpperCase();
    const expired = new Date(this.#now() + 9 * 3_600_000 + 86_400_000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
    const data = {
      ...(service === 'FRIENDTALK' || service === 'BRANDMESSAGE'
        ? { imgUrl: `https://img.example/${fileKey}` }
        : { fileKey }),
      ...(service === 'RCS' && { media: `maapfile://${fileKey}` }),
      expired,
    };
    this.answer(response, 200, success({ data }));
  }

  #inquire(path: string, response: ServerResponse) {
    const msgKey = path.split('/').at(-1);
    const kept = [...this.waiting, ...(this.#batch?.records ?? [])];
    const report = kept.filter(record => record.msgKey === msgKey);
    this.answer(response, 200, success({ data: { report } }));
  }

  #poll(response: ServerResponse) {
    if (!this.#batch && this.waiting.length > 0) {
      this.#batch = { reportId: `R${++this.#batches}`, records: this.waiting.splice(0, 1000) };
    }
    const { reportId = '', records = null } = this.#batch ?? {};
    this.answer(response, 200, success({ data: { reportId, report: records } }));
  }

  #delete(path: string, response: ServerResponse) {
    const reportId = path.split('/').at(-1) ?? '';
    if (this.#batch?.reportId !== reportId) {
      return this.answer(response, 400, { code: 'A805', result: 'Invalid Report ID(Pull API)' });
    }
    this.deleted.push(reportId);
    this.#batch = undefined;
    this.answer(response, 200, success({}));
  }
}

export function success(members: Json): Json {
  return { code: 'A000', result: 'Success', ...members };
}

export async function startService(t: TestContext, now: () => number = Date.now): Promise<OmniService> {
  const provider = await startProvider(t, () => {});
  const service = new OmniService(provider, now);
  provider.handle = (request, response) => service.handle(request, response);
  return service;
}
