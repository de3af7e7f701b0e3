/** A whole gateway for a test: fresh store, simulated network, a clock turned by hand, HTTP without a port. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { type Gateway, type GatewayOptions, openGateway } from '../../src/composition/gateway.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type AccountSettings, completeSettings } from '../../src/domain/account/account.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/operator/role.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { hashPassword } from '../../src/platform/password.ts';
import { ADMIN_TOKEN, bearer } from './credentials.ts';
import { freshStore } from './engines.ts';
import { Multipart } from './multipart.ts';
import { watchStore } from './store-calls.ts';
import { until } from './until.ts';
import { watchedLog } from './watched-log.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
type Headers = Readonly<Record<string, string>>;
type Body = string | Buffer | Multipart | object;

interface AnswerBody {
  readonly code: string;
  readonly result: string;
  readonly msgKey?: string;
  readonly ref?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data freely; the contract tests pin its shape.
  readonly data?: any;
}

export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: AnswerBody;

  constructor({ statusCode, headers, body }: LightMyRequestResponse) {
    this.status = statusCode;
    this.headers = headers;
    this.text = body;
    this.body = parsed(String(headers['content-type']), body);
  }

  /** Status, code and result of an answer that says nothing else. */
  get refusal(): [status: number, code: string, result: string] {
    assert.deepEqual(Object.keys(this.body), ['code', 'result']);
    return [this.status, this.body.code, this.body.result];
  }
}

interface Report {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly reportCode: string;
  readonly ref?: string;
  readonly [member: string]: string | undefined;
}

/** An account in webhook mode whose calls never leave the gateway: the address is refused. */
export const WEBHOOK_ON_LOOPBACK = { reportMode: 'webhook', webhookUrl: 'http://127.0.0.1:9/' } as const;
export const PASSWORD = 'correct horse battery staple';
/** A real hash would be most of the work of a short test. */
const CHEAPEST = { N: 2, r: 1, p: 1 };

export class TestGateway {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly dataDir: string;

  constructor(gateway: Gateway, clock: ManualClock, dataDir: string) {
    this.gateway = gateway;
    this.clock = clock;
    this.dataDir = dataDir;
  }

  async request(
    method: Method,
    url: string,
    options: { headers?: Headers; body?: Body } = {},
  ): Promise<Answer> {
    const { type, payload } = written(options.body);
    const response = await this.gateway.http.inject({
      method,
      url,
      headers: { ...(type && { 'content-type': type }), ...options.headers },
      ...(payload !== undefined && { payload }),
    });
    return new Answer(response);
  }

  /** Calls `/admin/v1…` with the admin token, or with these headers in its place. */
  readonly operator = (method: Method, path: string, body?: Body, headers: Headers = bearer(ADMIN_TOKEN)) =>
    this.request(method, `/admin/v1${path}`, { headers, ...(body !== undefined && { body }) });

  /** Signs in as the console does; resolves to the cookie. */
  async signIn(proof: object = { token: ADMIN_TOKEN }): Promise<string> {
    const answer = await this.request('POST', '/admin/v1/session', { body: proof });
    return String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  }

  async addOperator(name: string, role: Role, lifetimeDays = 90) {
    const answer = await this.operator('POST', '/operators', { name, role, lifetimeDays });
    const { id, token }: Record<'id' | 'token', string> = answer.body.data;
    return { id, token, headers: bearer(token) };
  }

  /** What operators see of a message. */
  async message(msgKey: string | null | undefined) {
    return (await this.operator('GET', `/messages/${msgKey}`)).body.data;
  }

  /** What is accepted from now on waits in the queue. */
  holdQueue(): Promise<void> {
    return this.#simulator('pause');
  }

  releaseQueue(): Promise<void> {
    return this.#simulator('resume');
  }

  async #simulator(order: 'pause' | 'resume'): Promise<void> {
    const { status, text } = await this.operator('POST', `/carriers/simulator/${order}`);
    assert.equal(status, 200, text);
  }

  /** Puts an account into webhook mode, to an address that nobody may call, and sends; resolves to the delivery. */
  async failingDelivery(client: Client): Promise<string> {
    await this.gateway.accounts.change(client.id as AccountId, { settings: WEBHOOK_ON_LOOPBACK });
    await client.sms();
    return until('there is a delivery', async () => {
      // The gateway learns by the clock that the account is in webhook mode.
      this.clock.advance(1000);
      const { deliveries } = (await this.operator('GET', '/webhooks?state=retrying')).body.data;
      return deliveries[0]?.id;
    });
  }

  /** Closes the gateway, turning the clock so that whatever waits by it comes to its end. */
  async close(): Promise<void> {
    let isClosed = false;
    const closing = this.gateway.close().finally(() => {
      isClosed = true;
    });
    await until('the gateway is closed', () => {
      this.clock.advance(1000);
      return isClosed;
    });
    await closing;
  }

  async account(id: string, settings: Partial<AccountSettings> = {}): Promise<Client> {
    await this.gateway.store.accounts.create({
      id: id as AccountId,
      passwordHash: await hashPassword(PASSWORD, CHEAPEST),
      blocked: false,
      tokenEpoch: 0,
      createdAt: this.clock.now(),
      settings: completeSettings(settings),
    });
    return new Client(this, id, await this.token(id));
  }

  async token(id: string, password = PASSWORD): Promise<string> {
    const headers = { 'x-svc-client-id': id, 'x-svc-client-passwd': password };
    const answer = await this.request('POST', '/v1/auth/token', { headers });
    return answer.body.data?.token ?? '';
  }
}

/** One account's view of the gateway. */
export class Client {
  readonly #gateway: TestGateway;
  readonly id: string;
  readonly token: string;

  constructor(gateway: TestGateway, id: string, token: string) {
    this.#gateway = gateway;
    this.id = id;
    this.token = token;
  }

  call(method: Method, url: string, body?: Body, headers: Headers = {}): Promise<Answer> {
    return this.#gateway.request(method, url, {
      headers: { ...bearer(this.token), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Uploads an image to one of the places of `/v1/file/`, which takes it. */
  async upload(place: string, content: Buffer): Promise<{ fileKey: string; media: string; imgUrl: string }> {
    const answer = await this.call('POST', `/v1/file/${place}`, Multipart.ofFile(content));
    assert.equal(answer.body.code, 'A000', answer.text);
    return answer.body.data;
  }

  sms(fields: Readonly<Record<string, unknown>> = {}, headers: Headers = {}): Promise<Answer> {
    const body = { from: '0212345678', to: '01012345678', text: 'hello', ...fields };
    return this.call('POST', '/v1/send/sms', body, headers);
  }

  international(fields: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const body = { from: '0212345678', to: '+14155550123', text: 'hello', ...fields };
    return this.call('POST', '/v1/send/international', body);
  }

  poll(): Promise<Answer> {
    return this.call('GET', '/v1/report/polling');
  }

  async inquire(msgKey: string | undefined): Promise<Report[]> {
    const answer = await this.call('GET', `/v1/report/inquiry/${msgKey}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.report;
  }

  /** Waits until a message has as many records as it should have. */
  async reportsOf(msgKey: string | undefined, count = 1): Promise<Report[]> {
    return until(`${msgKey} has ${count} records`, async () => {
      const records = await this.inquire(msgKey);
      return records.length >= count && records;
    });
  }
}

function written(body?: Body): { readonly type?: string; readonly payload?: string | Buffer } {
  if (body instanceof Multipart) return { type: Multipart.TYPE, payload: body.bytes };
  if (typeof body !== 'object' || Buffer.isBuffer(body)) return body === undefined ? {} : { payload: body };
  return { type: 'application/json', payload: JSON.stringify(body) };
}

/** Of long work the last line; of a file nothing. */
function parsed(contentType: string, body: string) {
  const [type] = contentType.split(';');
  if (type === 'application/x-ndjson') return JSON.parse(body.trimEnd().split('\n').at(-1) ?? '');
  return type === 'application/json' && body !== '' ? JSON.parse(body) : undefined;
}

/** Opens a gateway with these settings; it is closed when the test ends. */
export async function testGateway(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
  clock = new ManualClock(),
  parts: GatewayOptions = {},
): Promise<TestGateway> {
  const settings = {
    ...(env.BONGSU_DATABASE_URL === undefined && (await freshStore(t))),
    BONGSU_SIMULATOR_LATENCY: '0',
    BONGSU_HTTP_THREADS: '0',
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    ...env,
  };
  const config = loadConfig(settings, CHANNELS);
  const gateway = await openGateway(config, {
    clock,
    databaseTime: () => clock.now(),
    log: watchedLog(t),
    ...parts,
  });
  watchStore(gateway.store);
  await gateway.start();
  const running = new TestGateway(gateway, clock, config.dataDir);
  // A port would keep the process alive. Without it Node may end in the middle of a test, and calls that a success.
  const alive = setInterval(() => {}, 60_000);
  t.after(async () => {
    await running.close();
    clearInterval(alive);
  });
  return running;
}

export interface AccountOptions extends GatewayOptions {
  readonly settings?: Partial<AccountSettings>;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: ManualClock;
}

/** A gateway with one account, `shop`. */
export async function testAccount(
  t: TestContext,
  { settings, env, clock, ...parts }: AccountOptions = {},
): Promise<{ readonly gateway: TestGateway; readonly client: Client }> {
  const gateway = await testGateway(t, env, clock, parts);
  return { gateway, client: await gateway.account('shop', settings) };
}
