/**
 * Hands a request on to the engine's own HTTP server, through a socket in a directory that only this user may enter, and its
 * answer back, as both come: uploads, live events and pages are never held whole.
 */
import type { ClientRequest, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { pipeline as pipelineThen } from 'node:stream/promises';
import { Problem } from '../../domain/request/problem.ts';
import { request as requestTo } from '../../platform/node-http.ts';
import type { IsProxy } from '../../platform/trusted-proxies.ts';
import type { Caller } from '../contract/caller.ts';
import { endWhenRead, problemAnswer, writeAnswer } from '../envelope.ts';
import { callerAddress } from './caller-address.ts';
import { EngineAgent } from './engine-agent.ts';
import type { Turns } from './turns.ts';

const MOST_IDLE = 64;
const CONTRACT = '/v1/';
const FORWARDED_FOR = 'x-forwarded-for';
const FORWARDED_PROTO = 'x-forwarded-proto';
/** They are about one connection, and there are two. */
const OF_ONE_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect', FORWARDED_FOR]);
/** What a proxy says of the request that reached it. Without one it is the caller who says it, and the engine believes us. */
const WORD_OF_A_PROXY = ['x-forwarded-host', FORWARDED_PROTO, 'x-forwarded-port', 'forwarded'];
const DROPPED_OF_CALLERS = new Set([...OF_ONE_CONNECTION, ...WORD_OF_A_PROXY]);

export function createPassOn(options: {
  readonly socketPath: string;
  readonly isProxy: IsProxy;
  readonly turns: Turns;
  /** Whether callers speak TLS with this thread. */
  readonly isSecure: boolean;
  /** Whether connections end with the answer under way. */
  readonly isClosing: () => boolean;
  /** The engine did what the caller asked by the contract. */
  readonly onSuccess: (caller: Caller) => void;
  /** This thread answered, and not the engine. */
  readonly noteRefusal: (code: Problem['code']) => void;
}): RequestListener {
  const { socketPath, isProxy, turns, isSecure, isClosing } = options;
  const agent = new EngineAgent(socketPath, { keepAlive: true, maxFreeSockets: MOST_IDLE });

  return (request, response) => {
    const { authorization } = request.headers;
    const address = callerAddress(request.socket, request.headers[FORWARDED_FOR], isProxy);
    const caller = { authorization, address };
    turns(caller, end => {
      // Its client may have gone while it waited.
      if (request.socket.destroyed) return end();
      response.once('close', end);
      passOn(caller, request, response);
    });
  };

  function passOn(caller: Caller, request: IncomingMessage, response: ServerResponse): void {
    const onward = open(request, caller.address);
    if (onward instanceof Problem) {
      refuse(onward);
      return;
    }
    let isAnswered = false;
    onward.on('response', answer => {
      isAnswered = true;
      const isSuccess = answer.statusCode !== undefined && answer.statusCode < 400;
      if (isSuccess && request.url?.startsWith(CONTRACT)) options.onSuccess(caller);
      passBack(answer, response, () => request.unpipe(onward));
    });
    onward.on('error', () => {
      // It may refuse a body without reading it to the end: then its answer is here, and the rest is not wanted.
      request.unpipe(onward);
      request.resume();
      if (!isAnswered && !response.destroyed) {
        refuse(new Problem('A920', undefined, { retryAfterSeconds: 1 }));
      }
    });
    response.on('close', () => onward.destroy());
    // The head goes at once where a body follows: it may be refused before that comes.
    if (hasBody(request)) onward.flushHeaders();
    request.pipe(onward);

    function refuse(problem: Problem): void {
      options.noteRefusal(problem.code);
      writeAnswer(response, problemAnswer(problem, request.headers['accept-language']));
    }
  }

  function open(request: IncomingMessage, address: string): ClientRequest | Problem {
    const { method, url: path } = request;
    const isOfProxy = isProxy(request.socket.remoteAddress ?? '', 0);
    const headers = kept(request.rawHeaders, isOfProxy ? OF_ONE_CONNECTION : DROPPED_OF_CALLERS);
    headers.push(FORWARDED_FOR, address);
    // A proxy in front may have said it, and it knows better.
    const isSaid = isOfProxy && request.headers[FORWARDED_PROTO] !== undefined;
    if (isSecure && !isSaid) headers.push(FORWARDED_PROTO, 'https');
    try {
      return requestTo({ socketPath, agent, method, path, headers, setHost: false });
    } catch {
      // Node reads some characters that it does not write.
      return new Problem('A300', 'The request is not well-formed HTTP');
    }
  }

  function passBack(answer: IncomingMessage, response: ServerResponse, stopSending: () => void): void {
    const headers = kept(answer.rawHeaders, OF_ONE_CONNECTION);
    if (isClosing() || answer.headers.connection === 'close') headers.push('connection', 'close');
    response.writeHead(answer.statusCode ?? 500, headers);
    // The head may be all that comes for a while, as with live events. Where the length is known, both go in one packet.
    if (answer.headers['content-length'] === undefined) response.flushHeaders();
    if (response.req.complete) {
      pipeline(answer, response, () => {});
      return;
    }
    // It was refused before all of it had come. Node sends nothing more once it has the whole answer, so the rest ends here.
    pipelineThen(answer, response, { end: false }).then(
      () => {
        stopSending();
        endWhenRead(response);
      },
      () => response.destroy(),
    );
  }

  function kept(raw: readonly string[], dropped: ReadonlySet<string>): string[] {
    const headers: string[] = [];
    for (let at = 0; at < raw.length; at += 2) {
      const [name = '', value = ''] = raw.slice(at, at + 2);
      if (!dropped.has(name.toLowerCase())) headers.push(name, value);
    }
    return headers;
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}
