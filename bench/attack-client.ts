/**
 * The clients of `npm run bench attack`, each in a process of its own, over bare sockets, so that they take little from the
 * gateway's core.
 *
 * Usage: attack-client.ts '<JSON of AttackOrder>'. It prints `ready`, works, and answers each line that it reads with the JSON
 * of what it has counted since the line before.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export type AttackOrder =
  /** Connections that say nothing, and such that send a byte of a request each second. */
  | { readonly kind: 'hold'; readonly port: number; readonly idle: number; readonly slow: number }
  /** Each connection sends its next request when it has an answer. `{n}` in the request is a number that grows. */
  | {
      readonly kind: 'storm';
      readonly port: number;
      readonly connections: number;
      readonly requests: readonly string[];
    }
  /** So many requests a second, in turns, whatever the answers do: what a quiet account does. */
  | {
      readonly kind: 'quiet';
      readonly port: number;
      readonly perSecond: number;
      readonly requests: readonly string[];
    };

/** When a request was due, in milliseconds since 1970, and how long it took until its answer was there. */
export type Timed = readonly [at: number, tookMs: number];

export interface Counted {
  /** Answers by result code. */
  readonly codes: Readonly<Record<string, number>>;
  /** Connections that the gateway closed. */
  readonly closed: number;
  /** Connections that are open. */
  readonly open: number;
  /** Of each request of a quiet account, in the order of the requests. */
  readonly answers: readonly (readonly Timed[])[];
}

const AGAIN_MS = 1000;
/** Another address than that of the quiet account; Linux has them all. */
const ATTACKER = '127.0.0.66';
const OWN = '127.0.0.1';
const QUIET_CONNECTIONS = 8;

let codes: Record<string, number> = {};
let closed = 0;
let open = 0;
let answers: Timed[][] = [];
let number = 0;

const order = JSON.parse(process.argv[2] ?? '{}') as AttackOrder;
if (order.kind === 'hold') hold(order);
else if (order.kind === 'storm') for (let count = 0; count < order.connections; count++) storm(order);
else quiet(order);
process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ codes, closed, open, answers } satisfies Counted)}\n`);
  codes = {};
  closed = 0;
  answers = [];
}

function hold({ port, idle, slow }: Extract<AttackOrder, { kind: 'hold' }>): void {
  const slowOnes = new Set<Socket>();
  // A few at a time: the queue of connections to accept is short.
  let wanted = idle + slow;
  setInterval(() => {
    for (let count = 0; count < 100 && wanted > 0; count++, wanted--) add(slowOnes.size < slow);
  }, 20);
  setInterval(() => {
    for (const socket of slowOnes) socket.write('x');
  }, 1000);

  function add(isSlow: boolean): void {
    const socket = opened(port, ATTACKER, () => {
      slowOnes.delete(socket);
      setTimeout(() => wanted++, AGAIN_MS);
    });
    // Without reading it would not learn that the gateway has closed it.
    socket.resume();
    if (!isSlow) return;
    slowOnes.add(socket);
    socket.write('POST /v1/send/sms HTTP/1.1\r\nhost: gateway\r\nx-slow: ');
  }
}

function storm({ port, requests }: Extract<AttackOrder, { kind: 'storm' }>): void {
  const begin = () => {
    const socket = opened(port, ATTACKER, () => setTimeout(begin, AGAIN_MS));
    const next = () => {
      number++;
      socket.write((requests[number % requests.length] ?? '').replaceAll('{n}', String(number)));
    };
    onAnswers(socket, next);
    socket.on('connect', next);
  };
  begin();
}

/** Over a few connections that stay open, as a client with a pool has them. A request waits for a free one; that counts. */
function quiet({ port, perSecond, requests }: Extract<AttackOrder, { kind: 'quiet' }>): void {
  const due: { readonly kind: number; readonly at: number }[] = [];
  const free: ((next: { readonly kind: number; readonly at: number }) => void)[] = [];
  for (let count = 0; count < QUIET_CONNECTIONS; count++) begin();
  setInterval(() => {
    due.push({ kind: number++ % requests.length, at: performance.now() });
    serve();
  }, 1000 / perSecond);

  function serve(): void {
    while (due.length > 0 && free.length > 0) {
      const next = due.shift();
      // In turns, so that none is idle for long enough to be closed.
      if (next) free.shift()?.(next);
    }
  }

  function begin(): void {
    const socket = opened(port, OWN, () => {
      const place = free.indexOf(send);
      if (place >= 0) free.splice(place, 1);
      setTimeout(begin, AGAIN_MS);
    });
    let current = { kind: 0, at: 0 };
    const send = (next: typeof current) => {
      current = next;
      socket.write(requests[next.kind] ?? '');
    };
    onAnswers(socket, () => {
      answers[current.kind] ??= [];
      answers[current.kind]?.push([performance.timeOrigin + current.at, performance.now() - current.at]);
      free.push(send);
      serve();
    });
    socket.on('connect', () => free.push(send));
  }
}

function opened(port: number, localAddress: string, onClosed: () => void): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  open++;
  socket.on('error', () => {});
  socket.on('close', () => {
    open--;
    closed++;
    onClosed();
  });
  return socket;
}

/** One answer at a time; its code is in its first kilobyte. */
function onAnswers(socket: Socket, next: () => void): void {
  let start = '';
  let received = 0;
  socket.on('data', chunk => {
    received += chunk.length;
    if (start.length < 1000) start += chunk.toString('latin1', 0, 1000);
    const headEnd = start.indexOf('\r\n\r\n') + 4;
    const length = Number(/content-length: (\d+)/i.exec(start)?.[1]);
    if (headEnd < 4 || received < headEnd + length) return;
    const code = /"code":"(\w+)"/.exec(start)?.[1] ?? start.slice(9, 12);
    codes[code] = (codes[code] ?? 0) + 1;
    start = '';
    received = 0;
    next();
  });
}
