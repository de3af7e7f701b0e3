/**
 * Whose turn it is: requests of an account count for the account, all others for their address. Guesses at passwords and tokens
 * and requests for paths that do not exist have a small room of their own, where each also takes its time: a guess costs more than a
 * send.
 */
import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { addressBlock } from '../../platform/address-block.ts';
import { CALLBACK_PATH, INBOUND_PATH } from '../service/carrier-callback.ts';
import { type Begin, FairCalls } from './fair-calls.ts';

/** Of accounts: one alone has 64 calls in flight, which fill a batch of the store. */
const MOST_CALLS = 128;
const MOST_OF_STRANGERS = 16;
/** An address begins at most eight requests in this time. */
const LEAST_OF_STRANGERS_MS = 40;
/** What takes longer waits for its client or for another machine, and not for us. */
const LONGEST_COUNTED_MS = 200;

export interface TurnRequest {
  readonly authorization: string | undefined;
  readonly address: string;
  /** Of its body. */
  readonly bytes?: number;
  /** It brings receipts of a carrier, which may be many and have no token of an account. */
  readonly bringsReceipts?: boolean;
}

/** Calls `begin` when it is the request's turn. */
export type Turns = (request: TurnRequest, begin: Begin) => void;

/** The account whose token the header holds, if it was seen before. */
type Recognise = (authorization: string | undefined) => string | undefined;

export function createTurns(recognise: Recognise): Turns {
  const accounts = new FairCalls({ most: MOST_CALLS });
  const strangers = new FairCalls({ most: MOST_OF_STRANGERS });

  return (request, begin) => {
    const { authorization, address, bytes = 0, bringsReceipts = false } = request;
    const beginAsKnown = () => {
      const account = recognise(authorization);
      if (account !== undefined) accounts.enter(account, bytes, begin);
      return account !== undefined;
    };
    if (beginAsKnown()) return;
    const block = addressBlock(address);
    if (bringsReceipts) accounts.enter(`receipts from ${block}`, bytes, begin);
    else
      strangers.enter(block, 0, end => {
        // Of several calls with a new token the first one tells whose token it is.
        if (beginAsKnown()) end();
        else begin(atLeast(LEAST_OF_STRANGERS_MS, end));
      });
  };
}

/** For requests that an HTTP thread passes on: each caller has a few, and all together as many as there are descriptors for. */
export function createPassedOnTurns(
  recognise: Recognise,
  room: { readonly most: number; readonly mostOfOne: number },
): Turns {
  const callers = new FairCalls(room);
  return ({ authorization, address }, begin) => {
    const account = recognise(authorization);
    callers.enter(account ?? `from ${addressBlock(address)}`, 0, end => {
      const found = account === undefined ? recognise(authorization) : undefined;
      if (found === undefined) return begin(end);
      end();
      callers.enter(found, 0, begin);
    });
  };
}

/** The turns of requests that the framework answers. */
export function limitTurns(app: FastifyInstance, turns: Turns): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    const bringsReceipts = url?.startsWith(CALLBACK_PATH) || url === INBOUND_PATH;
    const bytes = Number(request.headers['content-length'] ?? 0);
    const { authorization } = request.headers;
    turns({ authorization, address: request.ip, bytes, bringsReceipts }, end => {
      // The client may have gone while the request waited.
      if (request.raw.socket.destroyed) return end();
      const counted = setTimeout(end, LONGEST_COUNTED_MS);
      finished(reply.raw, () => {
        clearTimeout(counted);
        end();
      });
      done();
    });
  });
}

function atLeast(ms: number, end: () => void): () => void {
  const from = performance.now();
  return () => {
    const rest = from + ms - performance.now();
    if (rest <= 0) end();
    else setTimeout(end, rest);
  };
}
