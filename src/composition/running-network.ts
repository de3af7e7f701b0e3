/**
 * The carriers and routes of bongsu.yaml as they are now, and how they change while traffic flows.
 *
 * A carrier whose settings have not changed keeps its link. One that has changed is drained, closed and opened again,
 * since some operators admit one link at a time. Steps that wait for a removed carrier go to another, or are refused.
 */
import type { CallbackReceiver, Carrier } from '../carriers/carrier.ts';
import { type CarrierSettings, carrierProblems } from '../carriers/create-carrier.ts';
import { unavailable } from '../carriers/http/callbacks.ts';
import { HttpCarrier } from '../carriers/http/http-carrier.ts';
import { Simulator } from '../carriers/simulator/simulator.ts';
import { type Config, ConfigProblems } from '../config/config.ts';
import type { Dispatcher } from '../deliver/dispatcher.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import type { Chaos } from '../domain/delivery/chaos.ts';
import type { Network } from '../domain/delivery/routing.ts';
import { sha256 } from '../platform/hashing.ts';
import type { NodeProfile } from '../store/store.ts';
import { type NetworkConfig, networkConfigOf, networkOf, settingsOf } from './configured-network.ts';

export type CreateCarrier = (settings: CarrierSettings) => Carrier;

interface Running {
  readonly settings: string;
  readonly fingerprint: string;
  readonly carrier: Carrier;
}

/** Throws ConfigProblems when a carrier cannot be made of its settings. */
export function assertCarriers(config: Config): void {
  const problems = carriersProblems(config);
  if (problems.length > 0) throw new ConfigProblems(problems);
}

export function carriersProblems(config: Config): string[] {
  return settingsOf(networkConfigOf(config))
    .flatMap(settings => carrierProblems(settings, config.publicUrl))
    .map(problem => `${config.configFile}: ${problem}`);
}

/** Whether a node has these carriers and routes, as far as it tells: settings that may be secret are not compared. */
export function runsAs(config: Config, { carriers, routes }: NodeProfile): boolean {
  const network = networkConfigOf(config);
  const wanted = new Map(settingsOf(network).map(settings => [settings.name, fingerprintOf(settings)]));
  const unread = config.unread.map(({ name }) => name);
  const running = carriers.filter(({ name }) => !unread.includes(name));
  const isSame = running.every(({ name, fingerprint }) => wanted.get(name) === fingerprint);
  const wantedRoutes = fingerprintOfRoutes(networkOf(network, () => true));
  return isSame && running.length === wanted.size && (routes === undefined || routes === wantedRoutes);
}

export class RunningNetwork {
  readonly #create: CreateCarrier;
  readonly #running = new Map<string, Running>();
  #chaos: Chaos | undefined;
  #current: Network;
  #config: NetworkConfig;

  constructor(deps: {
    readonly config: NetworkConfig;
    readonly createCarrier: CreateCarrier;
    readonly isAvailable: Network['isAvailable'];
  }) {
    const { config, isAvailable } = deps;
    this.#create = deps.createCarrier;
    this.#config = config;
    this.#current = networkOf(config, isAvailable);
    for (const settings of settingsOf(config)) this.#open(settings);
  }

  get current(): Network {
    return this.#current;
  }

  get carriers(): Carrier[] {
    return [...this.#running.values()].map(({ carrier }) => carrier);
  }

  /** What this node tells the others of itself. */
  profile(isUp: (carrier: string) => boolean): NodeProfile {
    const carriers = [...this.#running.values()].map(({ carrier, fingerprint }) => {
      const { repeatableForMs: forMs, isForgetful } = carrier.capabilities;
      const { name, kind } = carrier;
      return { name, kind, fingerprint, promise: { forMs, isForgetful }, isUp: isUp(name) };
    });
    const routed = this.#current.rules.map(({ channel }) => channel);
    const channels = this.#current.otherwise === undefined ? [...new Set(routed)] : [...CHANNELS];
    const routes = fingerprintOfRoutes(this.#current);
    return { mode: this.#config.mode, carriers, channels, routes };
  }

  configured(): readonly CarrierSettings[] {
    return settingsOf(this.#config);
  }

  /** The carrier of this name, if its provider calls us. While it is replaced, callers are asked to come again. */
  callbackReceiver(name: string): Omit<CallbackReceiver, 'name'> | undefined {
    const carrier = this.#running.get(name)?.carrier;
    if (carrier instanceof HttpCarrier) return carrier;
    const isChanging =
      !carrier && this.#config.carriers.some(each => each.name === name && each.kind === 'http');
    const later = async () => unavailable();
    return isChanging ? { handleCallback: later, handleInbound: later } : undefined;
  }

  /** A simulated network of this node, where there is one. */
  simulator(): Simulator | undefined {
    return this.carriers.find(carrier => carrier instanceof Simulator);
  }

  applyChaos(chaos: Chaos): void {
    this.#chaos = chaos;
    for (const carrier of this.carriers) if (carrier instanceof Simulator) carrier.disturb(chaos);
  }

  /** Changes to a new configuration; gives the names of carriers that came, went or changed. */
  async reload(
    config: NetworkConfig,
    dispatcher: Dispatcher,
  ): Promise<{ added: string[]; removed: string[] }> {
    const wanted = new Map(settingsOf(config).map(settings => [settings.name, settings]));
    const isSame = (name: string) => this.#running.get(name)?.settings === JSON.stringify(wanted.get(name));
    const removed = [...this.#running.keys()].filter(name => !isSame(name));
    const added = [...wanted.keys()].filter(name => !isSame(name));
    // Routes first: steps that are drained below must not go back to a carrier that is removed.
    this.#config = config;
    this.#current = networkOf(config, this.#current.isAvailable);
    for (const name of removed) this.#running.delete(name);
    await Promise.all(
      [...new Set([...removed, ...added])].map(async name => {
        await dispatcher.remove(name);
        const settings = wanted.get(name);
        if (settings) await dispatcher.add(this.#open(settings));
      }),
    );
    return { added, removed };
  }

  #open(settings: CarrierSettings): Carrier {
    const carrier = this.#create(settings);
    if (this.#chaos && carrier instanceof Simulator) carrier.disturb(this.#chaos);
    this.#running.set(settings.name, {
      settings: JSON.stringify(settings),
      fingerprint: fingerprintOf(settings),
      carrier,
    });
    return carrier;
  }
}

const FINGERPRINT_LENGTH = 12;
const SECRET = /password|secret|token|key|auth|header|query/i;

/** Tells other settings apart; made without whatever may hold a secret, since it is stored. */
function fingerprintOf(settings: CarrierSettings): string {
  const shown = JSON.stringify(settings, (name, value) => (SECRET.test(name) ? null : value));
  return sha256(shown).slice(0, FINGERPRINT_LENGTH);
}

function fingerprintOfRoutes({ rules }: Network): string {
  return sha256(JSON.stringify(rules)).slice(0, FINGERPRINT_LENGTH);
}
