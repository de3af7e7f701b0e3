/** A gateway whose carriers the test plays, and whose store it makes fail. */
import type { TestContext } from 'node:test';
import type { AccountSettings } from '../../src/domain/account/account.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { ADMIN_TOKEN, type Client, type TestGateway, testGateway } from './gateway.ts';
import { configFile } from './scratch.ts';
import { ScriptedCarrier } from './scripted-carrier.ts';
import { until } from './until.ts';

/** SMS by sky, or by sea while sky is down. */
export const SKY_AND_SEA = `
carriers:
  sky: { kind: simulator }
  sea: { kind: simulator }
routes:
  - { channel: sms, via: [sky, sea] }
`;

export interface NetworkOptions {
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly carriers?: readonly ScriptedCarrier[];
  readonly clock?: ManualClock;
  readonly account?: Partial<AccountSettings>;
}

export class Network {
  readonly gateway: TestGateway;
  readonly client: Client;
  readonly #carriers: readonly ScriptedCarrier[];

  constructor(gateway: TestGateway, client: Client, carriers: readonly ScriptedCarrier[]) {
    this.gateway = gateway;
    this.client = client;
    this.#carriers = carriers;
  }

  get store() {
    return this.gateway.gateway.store;
  }

  carrier(name: string): ScriptedCarrier {
    const found = this.#carriers.find(carrier => carrier.name === name);
    if (!found) throw new Error(`there is no carrier ${name}`);
    return found;
  }

  /** Turns the clock, a tenth of a second at a time, until something is so. */
  inTime<T>(what: string, isSo: () => T | Promise<T>, stepMs = 100) {
    return until(what, async () => {
      this.gateway.clock.advance(stepMs);
      return isSo();
    });
  }

  /** Lets time pass, with room for work in between. */
  async pass(seconds: number): Promise<void> {
    for (let tick = 0; tick < seconds; tick++) {
      this.gateway.clock.advance(1000);
      await this.gateway.request('GET', '/healthz');
    }
  }

  async message(msgKey: string | undefined) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    return (await this.gateway.request('GET', `/admin/v1/messages/${msgKey}`, { headers })).body.data;
  }

  /** Waits, in time, until a message has so many records; resolves to their codes. */
  async codes(msgKey: string | undefined, count = 1): Promise<string[]> {
    const records = await this.inTime(`${msgKey} has ${count} records`, async () => {
      const found = await this.client.inquire(msgKey);
      return found.length >= count && found;
    });
    return records.map(({ reportCode }) => reportCode);
  }
}

export async function networked(t: TestContext, options: NetworkOptions = {}): Promise<Network> {
  const { carriers = [new ScriptedCarrier('sky'), new ScriptedCarrier('sea')], file = SKY_AND_SEA } = options;
  const path = configFile(file);
  const env = { BONGSU_CONFIG: path, ...options.env };
  const gateway = await testGateway(t, env, options.clock ?? new ManualClock(), {
    createCarrier: ({ name }) => carriers.find(carrier => carrier.name === name) ?? new ScriptedCarrier(name),
  });
  return new Network(gateway, await gateway.account('shop', options.account), carriers);
}

export type Failure = 'before' | 'after';

/** The next calls of a method of the store fail: before anything happened, or after it was done. */
export function failNext<Part extends object, Name extends keyof Part>(
  part: Part,
  name: Name,
  failures: readonly Failure[],
): { readonly left: number } {
  const original = part[name] as (...given: unknown[]) => Promise<unknown>;
  const queue = [...failures];
  const failing = async (...given: unknown[]) => {
    const failure = queue.shift();
    if (failure === 'before') throw new StoreFault('didNotHappen', 'the store is away');
    const result = await original.apply(part, given);
    if (failure === 'after') throw new StoreFault('mayHaveHappened', 'the answer of the store was lost');
    return result;
  };
  Object.assign(part, { [name]: failing });
  return {
    get left() {
      return queue.length;
    },
  };
}
