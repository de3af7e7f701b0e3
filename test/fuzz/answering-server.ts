/** A server for the calls of the gateway that answers with any bytes. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface Called {
  readonly path: string;
  readonly body: string;
}

export interface OddAnswer {
  readonly bytes: Buffer;
  /** The gateway may use the connection again, and finds there what is left of the answer. */
  readonly isKept: boolean;
}

export class AnsweringServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  answer: (called: Called) => OddAnswer = () => ({ bytes: Buffer.from(''), isKept: false });

  private constructor() {
    this.#server = createServer(socket => this.#serve(socket));
  }

  static async start(): Promise<AnsweringServer> {
    const server = new AnsweringServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** What the gateway writes is sound, and its requests tell their length. */
  #serve(socket: Socket): void {
    let unread = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', chunk => {
      unread = Buffer.concat([unread, chunk]);
      const end = unread.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = unread.toString('latin1', 0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (unread.length < end + 4 + length) return;
      const body = unread.toString('utf8', end + 4, end + 4 + length);
      unread = unread.subarray(end + 4 + length);
      const { bytes, isKept } = this.answer({ path: head.split(' ')[1] ?? '', body });
      if (isKept) socket.write(bytes);
      else socket.end(bytes);
    });
  }
}
