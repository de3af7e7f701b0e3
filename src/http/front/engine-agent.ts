/**
 * Connections to the engine's own HTTP server. While the engine is at work it takes nobody in. The system lets only so many wait for
 * that and turns away who comes then (EAGAIN), though nothing is wrong: a thousand clients may poll in the same second. Those
 * wait here, in their order.
 */
import type { AgentOptions, ClientRequestArgs } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { Agent } from '../../platform/node-http.ts';

const ASK_AGAIN_MS = 10;
/** Each time. All of them at once would be turned away again, over and over, while the engine has much to do. */
const ASK_TOGETHER = 50;

/** Node looks at the socket only where there is no error. */
type Connected = (error: Error | null, socket: Duplex) => void;

export class EngineAgent extends Agent {
  readonly #socketPath: string;
  readonly #turnedAway: Connected[] = [];
  #askingAgain: NodeJS.Timeout | undefined;

  constructor(socketPath: string, options: AgentOptions) {
    super(options);
    this.#socketPath = socketPath;
  }

  override createConnection(_options: ClientRequestArgs, connected: Connected = () => {}): undefined {
    if (this.#turnedAway.length > 0) this.#wait(connected);
    else this.#connect(connected);
  }

  #connect(connected: Connected): void {
    const socket = connect(this.#socketPath);
    const fail = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EAGAIN') this.#wait(connected);
      else connected(error, socket);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      connected(null, socket);
    });
  }

  #wait(connected: Connected): void {
    this.#turnedAway.push(connected);
    this.#askAgainLater();
  }

  #askAgainLater(): void {
    this.#askingAgain ??= setTimeout(() => {
      this.#askingAgain = undefined;
      for (const next of this.#turnedAway.splice(0, ASK_TOGETHER)) this.#connect(next);
      if (this.#turnedAway.length > 0) this.#askAgainLater();
    }, ASK_AGAIN_MS);
  }
}
