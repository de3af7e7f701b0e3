/**
 * HTTP calls to addresses that somebody configured: bounded in time and size, no redirects, and no way into the
 * network behind the gateway unless that is allowed.
 *
 * A call that failed says whether it surely did not reach the other side. That is not read from error codes, of which there
 * are too many: undici reports when it puts a request on a connected socket, after the TLS handshake. A call that fails
 * before that has sent no byte; one that fails after it may have arrived.
 *
 * Names are resolved here and the address that was checked is the one connected to, so a name cannot resolve to another
 * address in between.
 */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from './clock.ts';
import { readableBody } from './http-text.ts';

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly timeoutMs: number;
  /** Bytes of the answer; more is a failure. */
  readonly maxBytes: number;
}

/** When, after its start, a call came how far: milliseconds, null where it did not. */
export interface OutboundTiming {
  /** The request was on a connected socket. */
  readonly sentMs: number | null;
  /** The head of the answer was there. */
  readonly answeredMs: number | null;
}

export const NOT_SENT: OutboundTiming = { sentMs: null, answeredMs: null };

export type OutboundAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly timing: OutboundTiming;
    }
  /** `isUnsent`: the request surely had no effect. `reason` is for people and holds no secret. */
  | {
      readonly kind: 'failed';
      readonly isUnsent: boolean;
      readonly reason: string;
      readonly timing: OutboundTiming;
    };

export interface Outbound {
  call(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
export function createOutbound(options: {
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  /** Connections to one origin. */
  readonly connections?: number;
  /** Certificates to trust besides the system's, in PEM. */
  readonly ca?: string;
}): Outbound {
  const { clock, allowPrivate, connections = 64, ca } = options;
  // Loaded by the first call: it takes a tenth of a second, and a command that makes no call need not wait for it.
  let opening: Promise<{ agent: Agent; request: typeof import('undici').request }> | undefined;
  const open = async () => {
    const undici = await import('undici');
    const agent = new undici.Agent({
      connections,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        ...(ca !== undefined && { ca }),
        ...(!allowPrivate && { lookup: publicLookup }),
      },
      // Our own timeout follows the gateway's clock and bounds the whole call.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { agent, request: undici.request };
  };
  const opened = () => {
    // Without a descriptor to spare nothing can be loaded; the next call may have one.
    opening ??= open().catch(error => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  return {
    async call({ method, url, headers, body, timeoutMs, maxBytes }) {
      const target = URL.parse(url);
      if (!target || !/^https?:$/.test(target.protocol)) return unsent('the address is not an http(s) URL');
      const ours = allowPrivate ? undefined : privateHost(target);
      if (ours !== undefined) return unsent(privateReason(ours));
      const progress = new Progress(clock);
      const controller = new AbortController();
      const { promise: timedOut, resolve: giveUp } = Promise.withResolvers<OutboundAnswer>();
      const cancel = clock.schedule(timeoutMs, () => {
        // A request that waits for its connection ends only when the connection is there, but is then not written.
        const missing = progress.isOnTheWire ? 'answer' : 'connection';
        giveUp(failed(progress, `no ${missing} within ${timeoutMs} ms`));
        controller.abort();
      });
      const exchange = async (): Promise<OutboundAnswer> => {
        try {
          const { agent, request } = await opened();
          const answer = await request(target, {
            method: method as Dispatcher.HttpMethod,
            headers: { ...headers },
            body: body ?? null,
            dispatcher: agent.compose(watching(progress)),
            signal: controller.signal,
          });
          const octets = await readBounded(answer.body, maxBytes);
          if (octets === undefined) return failed(progress, `the answer is longer than ${maxBytes} bytes`);
          const { statusCode: status } = answer;
          const plain = plainHeaders(answer.headers);
          const text = readableBody(plain, octets, maxBytes);
          return { kind: 'answered', status, headers: plain, body: text, timing: progress.timing };
        } catch (error) {
          const { code = '', message } = error as NodeJS.ErrnoException;
          const isCodeNew = code && code !== 'EPRIVATE' && !message.includes(code);
          return failed(progress, isCodeNew ? `${code}: ${message}` : message);
        }
      };
      try {
        return await Promise.race([exchange(), timedOut]);
      } finally {
        cancel();
      }
    },
    async close() {
      await opening?.then(
        ({ agent }) => agent.destroy(),
        () => {},
      );
    },
  };
}

function unsent(reason: string): OutboundAnswer {
  return { kind: 'failed', isUnsent: true, reason, timing: NOT_SENT };
}

class Progress {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #timing = NOT_SENT;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** The request was given to a connected socket: from here on it may have arrived. */
  get isOnTheWire(): boolean {
    return this.#timing.sentMs !== null;
  }

  get timing(): OutboundTiming {
    return this.#timing;
  }

  sent(): void {
    this.#timing = { sentMs: this.#elapsedMs(), answeredMs: null };
  }

  answered(): void {
    this.#timing = { ...this.#timing, answeredMs: this.#elapsedMs() };
  }

  #elapsedMs(): number {
    return Math.round(this.#clock.monotonic() - this.#startedAt);
  }
}

function failed({ isOnTheWire, timing }: Progress, reason: string): OutboundAnswer {
  return { kind: 'failed', isUnsent: !isOnTheWire, reason, timing };
}

/** Notes when a request begins; undici calls `onRequestStart` right before it writes the head. */
function watching(progress: Progress): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        // A request that was given up in the meantime is aborted there, and nothing of it is written.
        if (!controller.aborted) progress.sent();
      },
      onResponseStart(...event) {
        progress.answered();
        handler.onResponseStart?.(...event);
      },
      onResponseData: (...event) => handler.onResponseData?.(...event),
      onResponseEnd: (...event) => handler.onResponseEnd?.(...event),
      onResponseError: (...event) => handler.onResponseError?.(...event),
    });
}

/** Loopback, private, link-local, shared, documentation, multicast and reserved ranges of IPv4. */
const PRIVATE_V4 = rangesOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** All that IPv6 gives to the public network. Everything else is private, also ways to write IPv4 that nobody thought of. */
const GLOBAL_V6 = rangesOf('ipv6', ['2000::/3']);
/** Within it: protocols (Teredo among them), documentation, 6to4, which reaches any IPv4 address. */
const PRIVATE_V6 = rangesOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const MAPPED_V4 = rangesOf('ipv6', ['::ffff:0:0/96']);

function rangesOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}

/** Whether an IP address lies in a range that is not the public network. IPv4 mapped into IPv6 counts as what it is. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  if (family === 4) return PRIVATE_V4.check(address, 'ipv4');
  // The list of IPv4 ranges knows mapped addresses.
  if (MAPPED_V4.check(address, 'ipv6')) return PRIVATE_V4.check(address, 'ipv6');
  return !GLOBAL_V6.check(address, 'ipv6') || PRIVATE_V6.check(address, 'ipv6');
}

/** The host of an address that is never called unless private ones are allowed, as far as can be told without resolving it. */
export function privateHost({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isOurs = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : isPrivateAddress(host);
  return isOurs ? host : undefined;
}

function privateReason(address: string): string {
  return `${address} is not a public address`;
}

/** Resolves a name to public addresses only. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    const open = addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (!first) {
      const found = addresses[0]?.address ?? 'nothing';
      const refusal = Object.assign(new Error(`${hostname} is ${privateReason(found)}`), {
        code: 'EPRIVATE',
      });
      return callback(refusal, '');
    }
    if (options.all) return callback(null, open);
    callback(null, first.address, first.family);
  });
};

async function readBounded(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    plain[name] = String(Array.isArray(value) ? value[0] : value);
  return plain;
}
