/**
 * The load generator: keep-alive connections, one request at a time on each, over bare sockets. In a closed loop the answer to
 * one request begins the next. With `perSecond` the loop is open: requests are due at that rate whether others were answered or
 * not, and the time of each counts from the moment when it was due.
 *
 * Run as a process of its own so that it takes nothing from the server's core. Written by hand because a client
 * library costs more per request than the server does, and would be what is measured.
 *
 * Usage: load-client.ts '<JSON of LoadOrder>'; prints the JSON of LoadResult.
 */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';

export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Values of the header `authorization` that connections take in turns. */
  readonly authorizations?: readonly string[];
  /** Where the message keys of all answers go, one a line. */
  readonly keysFile?: string;
  readonly method?: 'GET' | 'POST';
  /** The status that counts as success; 200 if it is not named. */
  readonly success?: number;
  readonly connections: number;
  /** A number in the body whose last eight digits are others in each request. */
  readonly counted?: string;
  /** Requests before the measurement begins. */
  readonly warmUp: number;
  /** Requests that are measured. */
  readonly requests: number;
  /** Makes the loop open. */
  readonly perSecond?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers with another status. */
  readonly failures: number;
}

function run(order: LoadOrder): Promise<LoadResult> {
  const { port, connections, warmUp, requests, keysFile, success = 200, perSecond } = order;
  const tokens = order.authorizations ?? [];
  const keys: string[] = [];
  const latencies = new Float64Array(requests);
  const total = warmUp + requests;
  let sent = 0;
  let received = 0;
  let failures = 0;
  let startedAt = warmUp === 0 ? performance.now() : 0;
  /** For an open loop: idle connections, and the due times of requests that wait for one. */
  const idle: ((dueAt: number) => void)[] = [];
  const due: number[] = [];

  return new Promise((resolve, reject) => {
    if (perSecond !== undefined) beginAtRate(perSecond);
    for (let index = 0; index < connections; index++) {
      const authorization = tokens[index % tokens.length];
      const headers = { ...order.headers, ...(authorization !== undefined && { authorization }) };
      open(requestBytes({ ...order, headers }));
    }

    function open(request: Buffer): void {
      const socket = connect(port, '127.0.0.1');
      const countedAt =
        order.counted === undefined ? -1 : request.indexOf(order.counted) + order.counted.length - 8;
      socket.setNoDelay(true);
      let sentAt = 0;
      let expected = 0;
      let buffered = '';
      const send = (at: number) => {
        sent++;
        sentAt = at;
        socket.write(countedAt < 0 ? request : numbered(request, countedAt, sent));
      };
      const next = () => {
        if (perSecond !== undefined) {
          const dueAt = due.shift();
          if (dueAt === undefined) idle.push(send);
          else send(dueAt);
        } else if (sent < total) send(performance.now());
      };
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('data', chunk => {
        // Answers are small: one chunk nearly always holds a whole one.
        buffered += chunk.toString('latin1');
        if (expected === 0) {
          const head = buffered.indexOf('\r\n\r\n');
          if (head < 0) return;
          const length = /content-length: (\d+)/i.exec(buffered.slice(0, head));
          expected = head + 4 + Number(length?.[1]);
        }
        if (buffered.length < expected) return;
        const isSuccess = buffered.startsWith(`HTTP/1.1 ${success}`);
        if (keysFile !== undefined) keepKeys(buffered);
        buffered = '';
        expected = 0;
        finish(isSuccess, performance.now() - sentAt);
        next();
      });
    }

    function beginAtRate(perSecond: number): void {
      const beganAt = performance.now();
      let begun = 0;
      const timer = setInterval(() => {
        const target = Math.min(total, Math.floor(((performance.now() - beganAt) / 1000) * perSecond));
        for (; begun < target; begun++) {
          const dueAt = beganAt + ((begun + 1) / perSecond) * 1000;
          const send = idle.pop();
          if (send) send(dueAt);
          else due.push(dueAt);
        }
        if (begun === total) clearInterval(timer);
      }, 1);
    }

    function keepKeys(answer: string): void {
      for (let at = answer.indexOf(KEY); at >= 0; at = answer.indexOf(KEY, at)) {
        at += KEY.length;
        keys.push(answer.slice(at, answer.indexOf('"', at)));
      }
    }

    function finish(isSuccess: boolean, latencyMs: number): void {
      received++;
      if (!isSuccess) failures++;
      if (received === warmUp) startedAt = performance.now();
      if (received > warmUp) latencies[received - warmUp - 1] = latencyMs;
      if (received < total) return;
      const seconds = (performance.now() - startedAt) / 1000;
      latencies.sort();
      if (keysFile !== undefined) writeFileSync(keysFile, keys.join('\n'));
      const at = (share: number) => latencies[Math.floor((requests - 1) * share)] ?? 0;
      resolve({ perSecond: requests / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failures });
    }
  });
}

/** Ends as no number does that the simulated network treats in a way of its own. */
const PLAIN_END = '55';

/** A copy: the socket may still hold the one before. */
function numbered(request: Buffer, at: number, count: number): Buffer {
  const copy = Buffer.from(request);
  copy.write(`${String(count % 1_000_000).padStart(6, '0')}${PLAIN_END}`, at, 'latin1');
  return copy;
}

/** Before the key of a message in an answer. */
const KEY = '"msgKey":"';

function requestBytes({ path, headers, body, method = 'POST' }: LoadOrder): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

const result = await run(JSON.parse(process.argv[2] ?? '{}') as LoadOrder);
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
