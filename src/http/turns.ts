/**
 * Which requests may begin: whoever sends many must not hold up whoever sends few. It is decided before the body is read, so
 * that what waits costs little, and a client that waits for its answer sends no more meanwhile.
 *
 * Accounts take turns with each other, in each turn of the event loop. Requests without a token that we have seen (guesses at
 * passwords and tokens, paths that do not exist) take turns by address, so many times a second: each time an address begins two,
 * however many connections it has. Receipts of carriers come without such a token and may be
 * many: an address that brings them takes turns with the accounts.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressBlock } from '../platform/address-block.ts';
import type { Clock } from '../platform/clock.ts';
import { FairTurns } from '../platform/fair-turns.ts';
import { CALLBACK_PATH, INBOUND_PATH } from './service/carrier-callback.ts';

/** As many as fill a batch of the store well. */
const FILLS_A_BATCH = 64;
const MOST_OF_ONE_ADDRESS = 2;
const STRANGERS_TURN_MS = 10;

export interface TurnRequest {
  readonly authorization: string | undefined;
  readonly address: string;
  /** It brings receipts of a carrier. */
  readonly bringsReceipts?: boolean;
}

/** Calls `begin` when the request may begin, with what tells that it has been answered. */
export type Turns = (request: TurnRequest, begin: (end: () => void) => void) => void;

/** Whose token the header holds, if it was seen before. */
type Recognise = (authorization: string | undefined) => string | undefined;

export function createTurns(deps: {
  readonly clock: Clock;
  readonly recognise: Recognise;
  /** Requests of an account that begin in one turn while no other asks. */
  readonly mostOfOneAccount?: number;
  /**
   * Requests of an account that another thread works on at the same time, while others ask who have few. Where all who ask have
   * many, nobody gains by small batches, and they share one that is filled well.
   */
  readonly mostUnderWay?: number;
  /** Between two turns of requests without a token that we have seen; a default is set. */
  readonly strangersTurnMs?: number;
}): Turns {
  const { mostOfOneAccount: mostAlone = FILLS_A_BATCH, mostUnderWay } = deps;
  const { strangersTurnMs = STRANGERS_TURN_MS } = deps;
  const accounts = new FairTurns(deps.clock, {
    onNextTurn: setImmediate,
    mostAlone,
    ...(mostUnderWay !== undefined && {
      mostUnderWay: (company, askers) => {
        if (company === 'none') return Number.POSITIVE_INFINITY;
        const share = company === 'busy' ? Math.floor(FILLS_A_BATCH / askers) : 0;
        return Math.max(mostUnderWay, share);
      },
    }),
  });
  const strangers = new FairTurns(deps.clock, {
    // In real time, because it is about real work.
    onNextTurn: begin => setTimeout(begin, strangersTurnMs),
    mostAlone: MOST_OF_ONE_ADDRESS,
  });
  return ({ authorization, address, bringsReceipts }, begin) => {
    const beginAsKnown = () => {
      const account = deps.recognise(authorization);
      if (account !== undefined) accounts.enter(account, begin);
      return account !== undefined;
    };
    if (beginAsKnown()) return;
    const block = addressBlock(address);
    if (bringsReceipts) accounts.enter(`receipts from ${block}`, begin);
    // Of a burst with a new token the first shows whose it is.
    else strangers.enter(block, begin, beginAsKnown);
  };
}

/**
 * For requests that go on to the engine. An account whose token we know has a few under way, and so has an address with all
 * others: one client may try as many tokens as it likes. All together have as many as there is room for.
 */
export function createPassedOnTurns(deps: {
  readonly clock: Clock;
  readonly recognise: Recognise;
  readonly mostOfOne: number;
  readonly mostInAll: number;
}): Turns {
  const { clock, recognise, mostOfOne, mostInAll } = deps;
  const callers = new FairTurns(clock, {
    onNextTurn: setImmediate,
    mostAlone: mostOfOne,
    mostUnderWay: () => mostOfOne,
    mostInAll,
  });
  return ({ authorization, address }, begin) => {
    const beginAsKnown = () => {
      const account = recognise(authorization);
      if (account !== undefined) callers.enter(account, begin);
      return account !== undefined;
    };
    if (!beginAsKnown()) callers.enter(`from ${addressBlock(address)}`, begin, beginAsKnown);
  };
}

export function limitTurns(app: FastifyInstance, turns: Turns): void {
  app.addHook('onRequest', (request: FastifyRequest, _reply, done) => {
    const { url } = request.routeOptions;
    const bringsReceipts = url?.startsWith(CALLBACK_PATH) || url === INBOUND_PATH;
    turns({ authorization: request.headers.authorization, address: request.ip, bringsReceipts }, () => {
      // Its client may have gone while it waited; later even the store may have.
      if (!request.raw.socket.destroyed) done();
    });
  });
}
