/** A gateway whose carriers the test plays, and whose store it makes fail. */
import type { TestContext } from 'node:test';
import { StoreFault } from '../../src/store/store-fault.ts';
import { type AccountOptions, type Client, type TestGateway, testAccount } from './gateway.ts';
import { configFile } from './scratch.ts';
import { ScriptedCarrier } from './scripted-carrier.ts';
import { pass } from './settled.ts';
import { until } from './until.ts';

interface NetworkOptions extends Omit<AccountOptions, 'createCarrier'> {
  readonly file?: string;
  readonly carriers?: readonly ScriptedCarrier[];
}

export class Network {
  /** SMS by sky, or by sea while sky is down. */
  static readonly SKY_AND_SEA = `
carriers:
  sky: { kind: simulator }
  sea: { kind: simulator }
routes:
  - { channel: sms, via: [sky, sea] }
`;
  readonly gateway: TestGateway;
  readonly client: Client;
  readonly #carriers: readonly ScriptedCarrier[];

  private constructor(gateway: TestGateway, client: Client, carriers: readonly ScriptedCarrier[]) {
    this.gateway = gateway;
    this.client = client;
    this.#carriers = carriers;
  }

  static async open(
    t: TestContext,
    {
      file = Network.SKY_AND_SEA,
      carriers = [new ScriptedCarrier('sky'), new ScriptedCarrier('sea')],
      env,
      ...options
    }: NetworkOptions = {},
  ): Promise<Network> {
    const { gateway, client } = await testAccount(t, {
      ...options,
      env: { BONGSU_CONFIG: configFile(file), ...env },
      createCarrier: ({ name }) =>
        carriers.find(carrier => carrier.name === name) ?? new ScriptedCarrier(name),
    });
    return new Network(gateway, client, carriers);
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

  pass(seconds: number): Promise<void> {
    return pass(seconds, this.gateway);
  }

  message(msgKey: string | undefined) {
    return this.gateway.message(msgKey);
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

type Failure = 'before' | 'after';

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
