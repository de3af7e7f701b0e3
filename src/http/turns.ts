/**
 * Which requests may begin: whoever sends many must not hold up whoever sends few. It is decided before the body is read, so
 * that what waits costs little, and a client that waits for its answer sends no more meanwhile.
 *
 * Accounts take turns with each other, in each turn of the event loop. Requests without a token that we have seen (guesses at
 * passwords and tokens, paths that do not exist) take turns by address, a hundred times a second: about 900 a second for
 * an address, and not more however many connections it has.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../accept/access.ts';
import { addressBlock } from '../platform/address-block.ts';
import type { Clock } from '../platform/clock.ts';
import { FairTurns } from '../platform/fair-turns.ts';

/** As many as fill a batch of the store well. */
const MOST_OF_ONE_ACCOUNT = 64;
const MOST_OF_ONE_ADDRESS = 8;
const STRANGERS_TURN_MS = 10;

export function limitTurns(
  app: FastifyInstance,
  deps: { readonly clock: Clock; readonly access: Pick<Access, 'recognise'> },
): void {
  const accounts = new FairTurns(deps.clock, { onNextTurn: setImmediate, mostAlone: MOST_OF_ONE_ACCOUNT });
  const strangers = new FairTurns(deps.clock, {
    // In real time, because it is about real work.
    onNextTurn: begin => setTimeout(begin, STRANGERS_TURN_MS),
    mostAlone: MOST_OF_ONE_ADDRESS,
  });
  app.addHook('onRequest', (request: FastifyRequest, _reply, done) => {
    const account = deps.access.recognise(request.headers.authorization);
    if (account !== undefined) accounts.enter(account, done);
    else strangers.enter(addressBlock(request.ip), done);
  });
}
