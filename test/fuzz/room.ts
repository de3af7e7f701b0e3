/** One engine, a gateway on it, and what the fuzzer knows about them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import type { TestPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
import { GatewayProcess } from './gateway-process.ts';
import { Peers } from './peers.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

const PASSWORD = 'a long password of the fuzzer';

// biome-ignore lint/suspicious/noExplicitAny: the contract tests pin the shapes.
type Body = { readonly code: string; readonly msgKey?: string; readonly data?: any };

export class Room {
  readonly engine: Engine;
  readonly gateway: GatewayProcess;
  readonly peers: Peers;
  readonly #directory: string;
  /** By the names between double braces in inputs. */
  readonly known = new Map<string, string>();

  private constructor(engine: Engine, gateway: GatewayProcess, peers: Peers, directory: string) {
    this.engine = engine;
    this.gateway = gateway;
    this.peers = peers;
    this.#directory = directory;
  }

  /** Messages without a route to the fuzzer's carriers go to the simulated network. */
  static async open(engine: Engine, postgres: TestPostgres | undefined): Promise<Room> {
    const directory = mkdtempSync(join(tmpdir(), `bongsu-fuzz-${engine}-`));
    const configFile = join(directory, 'bongsu.yaml');
    const peers = await Peers.start();
    writeFileSync(configFile, peers.yaml);
    const gateway = await GatewayProcess.start({
      BONGSU_PORT: '0',
      BONGSU_LOG: 'warn',
      BONGSU_DATA_DIR: join(directory, 'data'),
      BONGSU_CONFIG: configFile,
      BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
      BONGSU_DEMO_ACCOUNT: `fuzz:${PASSWORD}`,
      BONGSU_SIMULATOR_LATENCY: '0',
      BONGSU_WEBHOOK_PRIVATE: 'allow',
      ...(postgres && {
        BONGSU_DATABASE_URL: await postgres.createDatabase('migrated'),
        BONGSU_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
        BONGSU_STORE_TIMEOUT: '60s',
      }),
    });
    const room = new Room(engine, gateway, peers, directory);
    room.known.set('adminToken', ADMIN_TOKEN);
    for (const id of ['healthy', 'victim', 'shop']) await room.createAccount(id);
    room.known.set('token', await room.tokenOf('fuzz'));
    room.known.set('healthyToken', await room.tokenOf('healthy'));
    // No input caused the long turns of the start.
    await gateway.longestTurn();
    gateway.turns.length = 0;
    return room;
  }

  fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => this.known.get(name) ?? whole);

  async createAccount(id: string, settings: object = {}): Promise<void> {
    const answer = await this.operator('POST', '/accounts', { id, password: PASSWORD, settings });
    if (answer.code !== 'A000') throw new Error(`no account ${id}: ${JSON.stringify(answer)}`);
  }

  async tokenOf(id: string): Promise<string> {
    const headers = { 'x-svc-client-id': id, 'x-svc-client-passwd': PASSWORD };
    return (await this.call('POST', '/v1/auth/token', undefined, headers)).data.token;
  }

  operator(method: string, path: string, body?: object): Promise<Body> {
    return this.call(method, `/admin/v1${path}`, body, bearer(ADMIN_TOKEN));
  }

  async call(
    method: string,
    path: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Body> {
    const response = await fetch(`${this.gateway.url}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    return (await response.json()) as Body;
  }

  /** Why the gateway no longer works; undefined if an ordinary message is sent and reported. */
  async illness(): Promise<string | undefined> {
    try {
      await this.operator('DELETE', '/simulator/chaos');
      await this.operator('POST', '/carriers/simulator/resume');
      const headers = bearer(this.known.get('healthyToken') ?? '');
      const body = { from: '0212345678', to: '01012345678', text: 'still alive' };
      const { code, msgKey } = await this.call('POST', '/v1/send/sms', body, headers);
      if (code !== 'A000') return `an ordinary send is answered ${code}`;
      await until('an ordinary message is reported', async () => {
        const { data } = await this.call('GET', `/v1/report/inquiry/${msgKey}`, undefined, headers);
        return data.report.length > 0;
      });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async close(): Promise<void> {
    await this.gateway.stop();
    await this.peers.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
