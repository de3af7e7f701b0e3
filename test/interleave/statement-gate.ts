/** A proxy before PostgreSQL that holds each statement back until it is let through: a test decides their order. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { Client } from 'pg';

/** A message of the protocol as it was, with its type; the first of a client has none. */
type OnMessage = (type: string, message: Buffer) => void;
/** What a statement is replaced by; as long as it was, so that the protocol stays in step. */
export type Change = (statement: string) => string;

/** What a session sent up to the point where the server answers: one statement, or several in one text. */
export interface Held {
  readonly node: string;
  readonly text: string;
  readonly pass: () => void;
}

/** What the client does after an answer takes it some turns of the event loop; each trip over the network is at least one. */
const QUIET_TRIPS = 4;
/** A shorter limit may end a wait for a lock while it is watched. */
const LONG_LIMIT_MS = 10_000;

export class StatementGate {
  readonly #target: URL;
  readonly #change: Change;
  readonly #watcher: Client;
  readonly #echo = new Socket().setNoDelay();
  readonly #servers: Server[] = [];
  readonly #sessions = new Set<Session>();
  #isOpen = true;
  #events = 0;
  #next = Promise.withResolvers<void>();

  private constructor(url: string, change: Change) {
    this.#target = new URL(url);
    this.#change = change;
    this.#watcher = new Client(url);
  }

  static async before(url: string, change: Change): Promise<StatementGate> {
    const gate = new StatementGate(url, change);
    await gate.#watcher.connect();
    const server = createServer({ noDelay: true }, socket => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    gate.#servers.push(server);
    gate.#echo.connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(gate.#echo, 'connect');
    return gate;
  }

  /** The address of the database for this node. */
  async urlFor(node: string): Promise<string> {
    const server = createServer({ noDelay: true }, client => this.#serve(node, client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#servers.push(server);
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** From now on statements are held back. */
  shut(): void {
    this.#isOpen = false;
  }

  /** Everything passes. */
  open(): void {
    this.#isOpen = true;
    for (const session of this.#sessions) session.passAll();
  }

  /** The next statement of each session that waits for none, in an order that does not depend on the machine. */
  get held(): Held[] {
    const found = [...this.#sessions].flatMap(session => session.next ?? []);
    return found.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  }

  /** Resolves when nothing happens until something is let through: every statement is held, answered or waits for a lock. */
  async quiet(): Promise<void> {
    for (let trips = 0, seen = this.#events; trips < QUIET_TRIPS; trips++) {
      await this.#makeTrip();
      if ([...this.#sessions].some(({ isToAsk }) => isToAsk)) await this.#next.promise;
      const isStill = seen === this.#events && (await this.#areLocked());
      if (!isStill) trips = -1;
      seen = this.#events;
    }
  }

  async close(): Promise<void> {
    this.#echo.destroy();
    for (const server of this.#servers) server.close();
    for (const session of this.#sessions) session.end();
    await this.#watcher.end();
  }

  /** What was written before has arrived when this comes back. */
  async #makeTrip(): Promise<void> {
    this.#echo.write('.');
    await once(this.#echo, 'data');
  }

  /** Locks that a commit gave away are no longer waited for when it is answered. */
  async #areLocked(): Promise<boolean> {
    const running = [...this.#sessions].filter(({ isRunning }) => isRunning);
    if (running.length === 0) return true;
    if (running.some(({ isBrief }) => isBrief)) return false;
    const { rows } = await this.#watcher.query<{ locked: boolean }>(
      'SELECT bool_and(cardinality(pg_blocking_pids(pid)) > 0) AS locked FROM unnest($1::integer[]) AS asked (pid)',
      [running.map(({ pid }) => pid)],
    );
    return rows[0]?.locked === true;
  }

  #serve(node: string, client: Socket): void {
    const { hostname, port } = this.#target;
    const server = connect({ port: Number(port), host: hostname, noDelay: true });
    const session = new Session(node, client, server, this.#change, () => {
      if (this.#isOpen) session.passAll();
      this.#events++;
      this.#next.resolve();
      this.#next = Promise.withResolvers();
    });
    this.#sessions.add(session);
    for (const socket of [client, server]) {
      socket.on('error', () => session.end());
      socket.once('close', () => {
        session.end();
        this.#sessions.delete(session);
      });
    }
  }
}

class Session {
  readonly #node: string;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #change: Change;
  readonly #onEvent: () => void;
  readonly #held: { readonly text: string; readonly octets: Buffer }[] = [];
  readonly #texts = new Map<string, string>();
  #gathered: Buffer[] = [];
  #gatheredText = '';
  #running = 0;
  /** As the server says when it is ready: idle, in a transaction, in one that has failed. */
  #status: 'starting' | 'I' | 'T' | 'E' = 'starting';
  /** The wait for a lock ends soon by itself. */
  isBrief = false;
  pid = 0;

  constructor(node: string, client: Socket, server: Socket, change: Change, onEvent: () => void) {
    this.#node = node;
    this.#client = client;
    this.#server = server;
    this.#change = change;
    this.#onEvent = onEvent;
    onMessages(client, '', (type, message) => this.#said(type, message));
    onMessages(server, 'R', (type, message) => this.#answered(type, message));
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** Its client goes on by itself: it has a transaction, and nothing that it waits for. */
  get isToAsk(): boolean {
    return this.#status !== 'I' && this.#running === 0 && this.#held.length === 0;
  }

  get next(): Held | undefined {
    const [first] = this.#held;
    if (!first || this.isRunning) return undefined;
    return { node: this.#node, text: first.text, pass: () => this.#pass() };
  }

  passAll(): void {
    while (this.#held.length > 0) this.#pass();
  }

  end(): void {
    this.#client.destroy();
    this.#server.destroy();
    this.#onEvent();
  }

  #pass(): void {
    const first = this.#held.shift();
    if (!first) return;
    this.#running++;
    const [, limit] = /lock_timeout = (\d+)/.exec(first.text) ?? [];
    if (first.text.startsWith('BEGIN')) this.isBrief = limit !== undefined && Number(limit) < LONG_LIMIT_MS;
    this.#server.write(first.octets);
  }

  #said(type: string, message: Buffer): void {
    if (this.#status === 'starting' || type === 'X') {
      this.#server.write(message);
      return;
    }
    this.#gathered.push(message);
    const [first = '', second = ''] = textsIn(message);
    if (type === 'P') this.#texts.set(first, second);
    if (type === 'Q') this.#gatheredText += first;
    if (type === 'B') this.#gatheredText += this.#texts.get(second) ?? '';
    const statement = type === 'P' ? second : first;
    if (type === 'P' || type === 'Q') message.write(this.#change(statement), message.indexOf(statement));
    if (type !== 'Q' && type !== 'S') return;
    this.#held.push({ text: this.#gatheredText, octets: Buffer.concat(this.#gathered) });
    this.#gathered = [];
    this.#gatheredText = '';
    this.#onEvent();
  }

  #answered(type: string, message: Buffer): void {
    this.#client.write(message);
    if (type === 'K') this.pid = message.readInt32BE(5);
    if (type !== 'Z') return;
    this.#running = Math.max(0, this.#running - 1);
    this.#status = String.fromCharCode(message[5] ?? 0) as 'I' | 'T' | 'E';
    if (this.#status === 'I') this.isBrief = false;
    this.#onEvent();
  }
}

/** `first`: the type of the first message, or nothing where it has none. */
function onMessages(socket: Socket, first: string, onMessage: OnMessage): void {
  let rest = Buffer.alloc(0);
  let head = first.length;
  socket.on('data', chunk => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= head + 4) {
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      const type = head > 0 ? String.fromCharCode(message[0] ?? 0) : '';
      head = 1;
      onMessage(type, message);
    }
  });
}

/** The texts at the beginning of a message, each of which ends with a zero. */
const textsIn = (message: Buffer): string[] => message.toString('utf8', 5).split('\0', 2);
const nameOf = ({ node, text }: Held): string => `${node} ${text}`;
