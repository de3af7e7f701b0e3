/**
 * A thread that speaks HTTP: parses, recognises callers, reads sends and writes answers. What needs the store goes to the
 * engine's thread; what is not a send goes there as it came.
 */
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { collectGarbageOfStart } from '../../platform/garbage.ts';
import { watchLoop } from '../../platform/loop-watch.ts';
import { ThreadBell } from '../../platform/thread-bell.ts';
import { ThreadCaller } from '../../platform/thread-calls.ts';
import { createIsProxy } from '../../platform/trusted-proxies.ts';
import { Connections } from './connections.ts';
import { createFrontRoutes } from './front-routes.ts';
import { createFront } from './front-server.ts';
import { HeldBytes, MOST_HELD_BYTES } from './held-bytes.ts';
import { CLOSE, type HttpThreadData, type HttpThreadNews, type HttpThreadOrder } from './http-thread-talk.ts';
import { createNodeServer } from './node-server.ts';
import { createObservedNotes } from './observed-notes.ts';
import type { PackedNote } from './packed-calls.ts';
import { createPassOn } from './pass-on.ts';
import { createRemoteDesk, explainInThread } from './remote-desk.ts';
import { createPassedOnTurns, createTurns } from './turns.ts';

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
  const { requestTimeoutMs, shutdownTimeoutMs, certificate, headerPrefixes } = data;
  const port = {
    connections: new Connections(data.maxConnections, count => note('closed', count)),
    held: new HeldBytes(MOST_HELD_BYTES),
    requestTimeoutMs,
    onBroken: () => note('refused', 'none', 'A300'),
    onBusy: () => note('refused', 'none', 'A020'),
  };
  const room = { most: data.mostPassedOn, mostOfOne: MOST_PASSED_ON };
  const behind = createNodeServer(
    port,
    createPassOn({
      socketPath: data.socketPath,
      isProxy,
      turns: createPassedOnTurns(desk.recognise, room),
      onSuccess: desk.learn,
      isSecure: certificate !== undefined,
      isClosing: () => front.isClosing(),
      noteRefusal: code => note('refused', 'none', code),
    }),
  );
  const front = createFront({
    ...port,
    routes: createFrontRoutes({
      desk,
      headerPrefixes,
      observe: createObservedNotes(values => engine.note(values)),
      noteRefusal: (route, code) => note('refused', route, code),
      explainFailure: explainInThread(note),
    }),
    turns: createTurns(desk.recognise),
    isProxy,
    behind,
    shutdownTimeoutMs,
    certificate,
  });
  const { host, port: wanted, isShared: reusePort } = data;
  // The private server first: it listens only to look for late requests.
  behind.server.once('error', cannotListen);
  behind.server.listen(data.ownSocketPath, () => {
    front.listen({ host, port: wanted, reusePort }).then(address => {
      tell({ kind: 'listening', address });
      // Each thread has its own; see bin/start.js.
      flushCompileCache();
      collectGarbageOfStart();
    }, cannotListen);
  });
  boss.on('message', (order: HttpThreadOrder) => {
    if (order !== CLOSE) {
      front.renew(order);
      return;
    }
    void front.close().then(() => behind.server.close(() => tell({ kind: 'closed' })));
  });

  function cannotListen({ code, message }: NodeJS.ErrnoException): void {
    tell({ kind: 'cannotListen', code, message });
  }
}
