/** A whole gateway for a test: fresh store, simulated network, a clock turned by hand, HTTP without a port. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { type Gateway, type GatewayOptions, openGateway } from '../../src/composition/gateway.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type AccountSettings, completeSettings } from '../../src/domain/account/account.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { hashPassword } from '../../src/platform/password.ts';
import { freshStore } from './engines.ts';
import { watchStore } from './store-calls.ts';
import { until } from './until.ts';
import { watchedLog } from './watched-log.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: {
    readonly code: string;
    readonly result: string;
    readonly msgKey?: string;
    readonly ref?: string;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into data freely; the contract tests pin its shape.
    readonly data?: any;
  };
  readonly text: string;
}

export interface Report {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly reportCode: string;
  readonly ref?: string;
  readonly [member: string]: string | undefined;
}

export const ADMIN_TOKEN = 'admin-token-for-all-tests';
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
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
    url: string,
    options: { headers?: Record<string, string>; body?: string | Buffer | object } = {},
  ): Promise<Answer> {
    const { headers = {}, body } = options;
    const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
    const response = await this.gateway.http.inject({
      method,
      url,
      headers: { ...(isObject && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: isObject ? JSON.stringify(body) : body }),
    });
    return answerOf(response);
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

  call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: string | Buffer | object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.#gateway.request(method, url, {
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  sms(fields: Readonly<Record<string, unknown>> = {}, headers: Record<string, string> = {}): Promise<Answer> {
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

function answerOf(response: LightMyRequestResponse): Answer {
  const { statusCode, headers, body } = response;
  return {
    status: statusCode,
    headers,
    text: body,
    body: parsed(String(headers['content-type']), body),
  };
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
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    ...env,
  };
  const config = loadConfig(settings, CHANNELS);
  const gateway = await openGateway(config, { clock, log: watchedLog(t), ...parts });
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
