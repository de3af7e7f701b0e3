/**
 * One bind to the SMSC that is kept up: a session, and after its end another one, with growing delays.
 *
 * A refused bind means that our account is wrong, or that the SMSC still holds our last session: trying every second
 * would get us locked out, so those delays begin long.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../platform/clock.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type { SmppOptions } from './options.ts';
import type { BindPdu } from './pdu.ts';
import { Session, type SessionEnd, type SessionHandlers } from './session.ts';
import { describeStatus, meaningOf, type StatusClass } from './statuses.ts';

export type LinkState = 'connecting' | 'bound' | 'waiting' | 'closed';

export interface LinkHandlers extends Pick<SessionHandlers, 'received' | 'noticed'> {
  changed(): void;
}

interface Delays {
  readonly firstMs: number;
  readonly longestMs: number;
}

const AFTER_LOSS: Delays = { firstMs: 1000, longestMs: 60_000 };
const AFTER_REFUSAL: Delays = { firstMs: 30_000, longestMs: 600_000 };
/** A refused bind that says nothing about our account is retried as after a lost link. */
const BUSY: readonly StatusClass[] = ['throttle', 'full'];
/** A bind that held this long was good: delays begin anew. */
const STABLE_MS = 30_000;

const INTERFACE_VERSIONS: Readonly<Record<SmppOptions['interfaceVersion'], number>> = {
  '3.3': 0x33,
  '3.4': 0x34,
  '5.0': 0x50,
};

export class Link {
  readonly #command: BindPdu['command'];
  readonly #options: SmppOptions;
  readonly #clock: Clock;
  readonly #random: Randomness;
  readonly #handlers: LinkHandlers;
  #state: LinkState = 'closed';
  #session: Session | undefined;
  #failures = 0;
  /** Those of them that the other side refused. */
  #refusals = 0;
  #boundAt = 0;
  /** When the first attempt failed, or the bind was lost, since it was last bound. */
  #awaySince: number | undefined;
  #reason = 'not started';
  #cancelRetry: () => void = () => {};
  /** While it connects. */
  #attempt: PromiseWithResolvers<void> | undefined;

  constructor(deps: {
    readonly command: BindPdu['command'];
    readonly options: SmppOptions;
    readonly clock: Clock;
    readonly random: Randomness;
    readonly handlers: LinkHandlers;
  }) {
    this.#command = deps.command;
    this.#options = deps.options;
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#handlers = deps.handlers;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Attempts that failed since the last stable bind. */
  get failures(): number {
    return this.#failures;
  }

  /** For people: why it is not bound. */
  get reason(): string {
    return this.#reason;
  }

  /** The session, while it is bound. */
  get session(): Session | undefined {
    return this.#session?.isBound ? this.#session : undefined;
  }

  open(): void {
    this.#state = 'connecting';
    this.#attempt ??= Promise.withResolvers();
    const { bindTimeout, responseTimeout, enquireLink, window, tls } = this.#options;
    let socket: Socket;
    try {
      socket = this.#connect();
    } catch (error) {
      // Only what is read from disk can fail here: certificates.
      this.#ended({ reason: error instanceof Error ? error.message : String(error), unanswered: 0 });
      return;
    }
    this.#session = new Session({
      socket,
      connected: tls ? 'secureConnect' : 'connect',
      bind: this.#bindRequest(),
      options: {
        window,
        bindTimeoutMs: bindTimeout,
        responseTimeoutMs: responseTimeout,
        enquireLinkMs: enquireLink,
      },
      clock: this.#clock,
      handlers: {
        ...this.#handlers,
        bound: () => {
          this.#state = 'bound';
          this.#boundAt = this.#clock.monotonic();
          this.#attemptEnded();
          this.#noteBound();
          this.#handlers.changed();
        },
        ended: end => this.#ended(end),
      },
    });
    this.#handlers.changed();
  }

  /** Does not wait for the next attempt. Should this one fail, the delays begin anew. */
  reconnect(): void {
    if (this.#state !== 'waiting') return;
    this.#cancelRetry();
    this.#failures = 0;
    this.#refusals = 0;
    this.open();
  }

  /** Resolves when an attempt in progress has ended. */
  async settled(): Promise<void> {
    await this.#attempt?.promise;
  }

  #attemptEnded(): void {
    this.#attempt?.resolve();
    this.#attempt = undefined;
  }

  /** Leaves politely and stays away. */
  async close(): Promise<void> {
    this.#cancelRetry();
    this.#attemptEnded();
    const session = this.#session;
    this.#state = 'closed';
    this.#reason = 'closed';
    await session?.leave();
  }

  #connect(): Socket {
    const { host, port, tls, ca, cert, key, servername } = this.#options;
    if (!tls) return connect({ host, port });
    // Read for every connection: certificates are renewed while we run.
    return connectTls({
      host,
      port,
      ...(ca !== undefined && { ca: readFileSync(ca) }),
      ...(cert !== undefined && { cert: readFileSync(cert) }),
      ...(key !== undefined && { key: readFileSync(key) }),
      ...(servername !== undefined && { servername }),
    });
  }

  #bindRequest() {
    const { systemId, password, systemType, interfaceVersion, addressRange } = this.#options;
    return {
      command: this.#command,
      systemId,
      password,
      systemType,
      interfaceVersion: INTERFACE_VERSIONS[interfaceVersion],
      addressTon: 0,
      addressNpi: 0,
      addressRange,
    };
  }

  #noteBound(): void {
    if (this.#awaySince === undefined) return;
    const awayMs = Math.round(this.#boundAt - this.#awaySince);
    this.#awaySince = undefined;
    this.#handlers.noticed('boundAgain', { bind: this.#command, awayMs });
  }

  #ended({ reason, bindStatus, unanswered }: SessionEnd): void {
    const wasStable = this.#state === 'bound' && this.#clock.monotonic() - this.#boundAt >= STABLE_MS;
    const wasBound = this.#state === 'bound';
    this.#session = undefined;
    this.#attemptEnded();
    if (this.#state === 'closed') return;
    this.#state = 'waiting';
    this.#reason = reason;
    this.#failures = wasStable ? 0 : this.#failures + 1;
    if (wasStable) this.#refusals = 0;
    const delayMs = this.#delayMs(bindStatus);
    this.#awaySince ??= this.#clock.monotonic();
    this.#handlers.noticed(wasBound ? 'linkLost' : 'bindFailed', {
      bind: this.#command,
      ...(wasBound && { unanswered }),
      reason: bindStatus === undefined ? reason : describeStatus(bindStatus),
      retryMs: delayMs,
    });
    this.#cancelRetry = this.#clock.schedule(delayMs, () => this.open());
    this.#handlers.changed();
  }

  #delayMs(bindStatus: number | undefined): number {
    const isRefused = bindStatus !== undefined && meaningOf(bindStatus).class !== 'temporary';
    const isBusy = bindStatus !== undefined && BUSY.includes(meaningOf(bindStatus).class);
    const isLocking = isRefused && !isBusy;
    if (isLocking) this.#refusals++;
    const { firstMs, longestMs } = isLocking ? AFTER_REFUSAL : AFTER_LOSS;
    // A refusal after an outage is the first: the other side may only hold our last session.
    const times = isLocking ? this.#refusals : this.#failures;
    const grown = Math.min(longestMs, firstMs * 2 ** Math.max(0, times - 1));
    // A little longer by chance, so that many links do not come back at the same moment.
    return Math.round(grown * (1 + 0.25 * this.#random.fraction()));
  }
}
