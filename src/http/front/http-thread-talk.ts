/** What the engine and a thread that speaks HTTP tell each other, besides calls. */
import type { AddressInfo } from 'node:net';
import type { MessagePort } from 'node:worker_threads';
import type { Certificate } from '../../platform/certificate.ts';
import type { ProxySettings } from '../../platform/trusted-proxies.ts';

/** The first that the engine tells the thread: it is to listen. */
export interface HttpThreadData {
  /** Of the thread, in metrics. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Several threads listen on one port. */
  readonly isShared: boolean;
  readonly maxConnections: number;
  /** Requests that may be with the engine, of all callers together. */
  readonly mostPassedOn: number;
  readonly requestTimeoutMs: number;
  /** How long requests may take to end when the thread closes. */
  readonly shutdownTimeoutMs: number;
  readonly proxies: ProxySettings;
  /** Of the headers that hold credentials. */
  readonly headerPrefixes: readonly string[];
  /** With it callers speak TLS. */
  readonly certificate: Certificate | undefined;
  /** Of the engine's own HTTP server. */
  readonly socketPath: string;
  /** Of the thread's own private HTTP server, which takes what the front hands off. */
  readonly ownSocketPath: string;
  /** Calls that may wait for the engine before more are refused. */
  readonly mostWaiting: number;
  readonly calls: MessagePort;
  /** By which the engine learns of calls while it is at work. */
  readonly bell: SharedArrayBuffer;
}

/** What the thread says of itself. */
export type HttpThreadNews =
  | { readonly kind: 'listening'; readonly address: AddressInfo }
  | { readonly kind: 'cannotListen'; readonly code: string | undefined; readonly message: string }
  | { readonly kind: 'closed' };

export const CLOSE = 'close';
/** What the engine tells the thread later: to close, or the certificate from now on. */
export type HttpThreadOrder = typeof CLOSE | Certificate;
