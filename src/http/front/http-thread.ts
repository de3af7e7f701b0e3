/**
 * A thread that speaks HTTP: parses, recognises callers, reads sends and writes answers. What needs the store goes to the
 * engine's thread; what is not a send goes there as it came.
 */
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { collectGarbageOfStart } from '../../platform/garbage.ts';
import { watchLoop } from '../../platform/loop-watch.ts';
import { ThreadBell } from '../../platform/thread-bell.ts';
import { ThreadCaller } from '../../platform/thread-calls.ts';
import { createIsProxy } from '../../platform/trusted-proxies.ts';
import { BACKLOG } from '../connections.ts';
import { createNodeServer, renewCertificate } from '../node-server.ts';
import { createPassedOnTurns, createTurns } from '../turns.ts';
import { createFrontListener } from './front-listener.ts';
import { createFrontRoutes } from './front-routes.ts';
import { CLOSE, type HttpThreadData, type HttpThreadNews, type HttpThreadOrder } from './http-thread-talk.ts';
import { createObservedNotes } from './observed-notes.ts';
import type { PackedNote } from './packed-calls.ts';
import { createPassOn } from './pass-on.ts';
import { createPlainRules } from './plain-answers.ts';
import { createRemoteDesk, explainInThread } from './remote-desk.ts';

/**
 * Few, so that the engine works on some while the next are read: with 64, all connections of a client wait for the same
 * batch, and one of the two threads is always idle (a sixth less accepts).
 */
const MOST_OF_ONE_ACCOUNT = 16;
/** While others ask: they wait for the batch of the engine in which these are. */
const MOST_WITH_THE_ENGINE = 4;
/**
 * Between two turns of sends and requests for tokens by strangers. A guess takes two thirds of a millisecond of both threads; nobody
 * else needs a hundred tokens a second.
 */
const STRANGERS_TURN_MS = 20;
/** Of one caller. Answers of any length pass through this thread, a piece a turn for each that is under way. */
const MOST_PASSED_ON = 2;
/** Of more calls that wait the engine makes larger batches, which is better for all of them. */
const WORTH_RINGING = 8;

// Its program is loaded while the engine opens the store, and then it waits to be told what to do.
parentPort?.once('message', (data: HttpThreadData) => listen(data, parentPort as MessagePort));

function listen(data: HttpThreadData, boss: MessagePort): void {
  const bell = new ThreadBell(data.bell);
  const engine = new ThreadCaller(data.calls, data.mostWaiting, waiting => {
    if (waiting > 0 && waiting <= WORTH_RINGING) bell.ring();
  });
  const note = (kind: PackedNote, ...values: (string | number)[]) => engine.note([kind, ...values]);
  const tell = (news: HttpThreadNews) => boss.postMessage(news);
  const desk = createRemoteDesk(engine);
  watchLoop((lagSeconds, busySeconds) => note('load', data.name, lagSeconds, busySeconds));
  const isProxy = createIsProxy(data.proxies);
  let closing = false;
  const isClosing = () => closing;
  const front = {
    routes: createFrontRoutes({
      desk,
      headerPrefixes: data.headerPrefixes,
      observe: createObservedNotes(values => engine.note(values)),
      noteRefusal: (route, code) => note('refused', route, code),
      explainFailure: explainInThread(note),
    }),
    turns: createTurns({
      clock: systemClock,
      recognise: desk.recognise,
      mostOfOneAccount: MOST_OF_ONE_ACCOUNT,
      mostUnderWay: MOST_WITH_THE_ENGINE,
      strangersTurnMs: STRANGERS_TURN_MS,
    }),
    isProxy,
    isClosing,
  };
  const listener = createFrontListener(
    front,
    createPassOn({
      ...data,
      isProxy,
      turns: createPassedOnTurns({
        clock: systemClock,
        recognise: desk.recognise,
        mostOfOne: MOST_PASSED_ON,
        mostInAll: data.mostPassedOn,
      }),
      onSuccess: desk.learn,
      isSecure: data.certificate !== undefined,
      isClosing,
      noteRefusal: code => note('refused', 'none', code),
    }),
  );
  const { server, endConnections } = createNodeServer(
    data,
    {
      broken: () => note('refused', 'none', 'A300'),
      busy: () => note('refused', 'none', 'A020'),
      closed: count => note('closed', count),
    },
    listener,
    createPlainRules(front),
    data.certificate,
  );
  server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
    tell({ kind: 'cannotListen', code, message }),
  );
  const { host, port, isShared: reusePort } = data;
  server.listen({ host, port, reusePort, backlog: BACKLOG }, () => {
    tell({ kind: 'listening', address: server.address() as AddressInfo });
    // Each thread has its own; see bin/start.js.
    flushCompileCache();
    collectGarbageOfStart();
  });
  boss.on('message', (order: HttpThreadOrder) => {
    if (order !== CLOSE) {
      renewCertificate(server, order);
      return;
    }
    closing = true;
    server.close(() => tell({ kind: 'closed' }));
    endConnections(data.shutdownTimeoutMs);
  });
}
