/**
 * The HTTP boundary. Every request is answered with one of nine statuses and the result envelope in JSON, also
 * for unknown paths and methods, oversized bodies, broken requests and our own faults alike.
 */
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { Problem } from '../domain/request/problem.ts';
import { authorOf } from '../operate/audit.ts';
import { auditedTools } from '../operate/audited-tools.ts';
import { problemOfFault } from '../store/store-problem.ts';
import { limitConnections } from './connections.ts';
import { createCallers } from './contract/caller.ts';
import { createSendDesk } from './contract/send-desk.ts';
import type { HttpDependencies, RouteDependencies } from './dependencies.ts';
import { ANSWER_HEADERS, JSON_TYPE, problemBody, sendProblem } from './envelope.ts';
import { BODY_LIMIT_BYTES } from './json-body.ts';
import { createMeasured } from './measured.ts';
import { createOperatorGuard } from './operator/guard.ts';
import { operatorRoute } from './operator/route.ts';
import { RESOURCES } from './resources.ts';
import { consoleRoutes } from './service/console.ts';
import { docsRoutes } from './service/docs.ts';
import { limitTurns } from './turns.ts';

/** A connection on which no byte moves for this long is closed, also while its client does not read an answer. */
const SILENCE_MS = 120_000;
/** How long a client whose request was refused by the parser may take to read that, and to close the connection. */
const FAREWELL_MS = 1_000;
/** Node looks for requests that take too long twice in the time they have, but neither more often nor less than this. */
const LOOK_FOR_LATE_MS = { min: 100, max: 5_000 };
/** The route label in metrics of requests that match no route. */
const NO_ROUTE = 'none';
/** As long as a request line may be: an id that is too long is an unknown id, not an unknown path. */
const MAX_PARAM_LENGTH = 16 * 1024;

export function createHttpServer(deps: HttpDependencies): FastifyInstance {
  const { events, requestTimeoutMs } = deps;
  const { min, max } = LOOK_FOR_LATE_MS;
  const lookForLateMs = Math.max(min, Math.min(max, Math.ceil(requestTimeoutMs / 2)));
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: SILENCE_MS,
    http: {
      // Without this, Node itself refuses a request without a Host header, and not in JSON.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: lookForLateMs,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    trustProxy: (_address: string, hop: number) => hop < deps.proxyHops,
    routerOptions: {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
    },
    clientErrorHandler: (error, socket) => {
      if (answerBrokenRequest(error, socket)) events.refused(NO_ROUTE, 'A300');
    },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  });

  limitConnections(app.server, deps.maxConnections, count => deps.metrics.connectionsClosed.inc(count));
  limitTurns(app, deps);
  app.decorate('noteRefusal', (route, code) => events.refused(route ?? NO_ROUTE, code));
  // Bodies of every content type are read as bytes; each route decides what it accepts.
  app.removeAllContentTypeParsers();
  // Naming the common type besides the catch-all saves a search on every request.
  app.addContentTypeParser([JSON_TYPE, '*'], { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200);
    const problem = new Problem('A300', `There is no ${request.method} ${path}`, { status: 404 });
    return sendProblem(reply, problem);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply));
  app.server.on('checkExpectation', (_request, response) => {
    events.refused(NO_ROUTE, 'A300');
    const body = problemBody(new Problem('A300', 'Only "Expect: 100-continue" is understood'));
    const length = Buffer.byteLength(body);
    response.writeHead(400, { ...ANSWER_HEADERS, 'content-length': length, connection: 'close' });
    response.end(body);
  });

  const measured = createMeasured(deps.metrics.requests);
  const guard = createOperatorGuard(deps.operatorAccess, deps.publicUrl);
  const routeDeps: RouteDependencies = {
    ...deps,
    app,
    measured,
    callers: createCallers(deps.access, deps.limiter),
    sendDesk: createSendDesk(deps.access, deps.send),
    guard,
    route: operatorRoute({
      app,
      guard,
      measured,
      toolsOf: operator => auditedTools(deps, deps.audit.recordBy(authorOf(operator))),
    }),
  };
  for (const { routes } of RESOURCES) routes(routeDeps);
  docsRoutes(app, deps);
  consoleRoutes(app);
  return app;

  function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const busy = problemOfFault(error);
    if (busy) {
      events.storeFailed(error);
      return sendProblem(reply, busy);
    }
    const status = error.statusCode ?? 500;
    if (status === 413) {
      return sendProblem(reply, new Problem('A300', `The body is larger than ${BODY_LIMIT_BYTES} bytes`));
    }
    if (status === 404)
      return sendProblem(reply, new Problem('A300', 'There is no such path', { status: 404 }));
    if (status < 500) return sendProblem(reply, new Problem('A300', 'The request is not well-formed HTTP'));
    events.failed('http', error, {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
    });
    return sendProblem(reply, new Problem('A999'), { 'x-request-id': request.id });
  }
}

/**
 * Answers what Node's parser rejects, by hand, since it never becomes a request; also a request that did not arrive in
 * time. The connection is not only ended but closed: a peer that stays would keep its descriptor. False if the client is
 * gone.
 */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): boolean {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return false;
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const text = isLate ? 'The request did not arrive in time' : 'The request is not well-formed HTTP';
  const body = problemBody(new Problem('A300', text));
  const headers = { ...ANSWER_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that is still sending loses the answer if its connection is closed at once; one that is late sends nothing.
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`, () => {
    if (isLate) socket.destroy();
  });
  const farewell = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.once('close', () => clearTimeout(farewell));
  return true;
}
