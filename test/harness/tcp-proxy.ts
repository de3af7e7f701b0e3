/** A TCP proxy that does to a connection what networks do: cuts it, cuts it within an answer, stalls, delays, refuses. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

function hold({ client, server }: Pair): void {
  client.pause();
  server.pause();
}

export class TcpProxy {
  readonly #server: Server;
  #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();
  #mode: 'pass' | 'refuse' = 'pass';
  #isStalled = false;
  #delayMs = 0;
  /** What each socket is still to be written, in its order. */
  readonly #delayed = new WeakMap<Socket, Promise<void>>();
  /** Bytes of answers until everything is cut. */
  #bytesLeft = Number.POSITIVE_INFINITY;
  #stallAt: string | undefined;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
    this.#server = createServer(client => this.#serve(client));
  }

  /** Stands in for the host and port of a URL; closed when the test ends. */
  static async before(t: Pick<TestContext, 'after'>, url: string): Promise<{ proxy: TcpProxy; url: string }> {
    const address = new URL(url);
    const proxy = new TcpProxy(placeOf(address));
    await new Promise<void>(resolve => proxy.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => proxy.close());
    const own = proxy.#server.address();
    if (own === null || typeof own === 'string') throw new Error('a TCP server has a port');
    address.host = `127.0.0.1:${own.port}`;
    return { proxy, url: address.href };
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** New connections go to the host and port of this URL. */
  aim(url: string): void {
    this.#target = placeOf(new URL(url));
  }

  /** Every connection is reset. */
  cut(): void {
    for (const pair of this.#pairs) this.#cutPair(pair);
  }

  /** Every connection is reset when this many more bytes of answers have passed. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /** No byte passes in either direction. */
  stall(): void {
    this.#isStalled = true;
    for (const pair of this.#pairs) hold(pair);
  }

  /** No byte passes on these connections; others pass, and new ones do. */
  stallSome(isChosen: () => boolean): void {
    for (const pair of this.#pairs) if (isChosen()) hold(pair);
  }

  /** A connection stalls as soon as a request with this text has passed. */
  stallAt(text: string): void {
    this.#stallAt = text;
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** New connections are reset. */
  refuse(): void {
    this.#mode = 'refuse';
  }

  /** Everything passes again; what was stalled goes on. */
  heal(): void {
    this.#mode = 'pass';
    this.#isStalled = false;
    this.#delayMs = 0;
    this.#bytesLeft = Number.POSITIVE_INFINITY;
    this.#stallAt = undefined;
    for (const { client, server } of this.#pairs) {
      client.resume();
      server.resume();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #serve(client: Socket): void {
    client.on('error', () => {});
    if (this.#mode === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const server = dial(this.#target);
    server.on('error', () => {});
    const pair = { client, server };
    this.#pairs.add(pair);
    client.on('data', bytes => {
      if (this.#stallAt !== undefined && bytes.includes(this.#stallAt)) hold(pair);
      this.#pass(bytes, server);
    });
    server.on('data', bytes => {
      this.#bytesLeft -= bytes.length;
      if (this.#bytesLeft >= 0) {
        this.#pass(bytes, client);
        return;
      }
      client.write(bytes.subarray(0, Math.max(0, bytes.length + this.#bytesLeft)), () => this.cut());
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
    if (this.#isStalled) hold(pair);
  }

  #pass(bytes: Buffer, to: Socket): void {
    const before = this.#delayed.get(to);
    if (this.#delayMs === 0 && !before) {
      to.write(bytes);
      return;
    }
    // Nothing overtakes what was delayed before, also when the delay is over.
    const written = Promise.all([before, pause(this.#delayMs)]).then(() => {
      to.write(bytes);
      if (this.#delayed.get(to) === written) this.#delayed.delete(to);
    });
    this.#delayed.set(to, written);
  }

  #cutPair(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.destroy();
  }
}

function placeOf({ hostname, port }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname, port: Number(port) };
}
