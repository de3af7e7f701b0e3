/**
 * The HTTP boundary. Every request is answered with one of nine statuses and the result envelope in JSON, also
 * for unknown paths and methods, oversized bodies, broken requests and our own faults alike.
 */
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Problem } from '../domain/request/problem.ts';
import { authorOf } from '../operate/audit.ts';
import { auditedTools } from '../operate/audited-tools.ts';
import type { Certificate } from '../platform/certificate.ts';
import { hasDotSegments } from './clear-path.ts';
import { createAnswerReport } from './contract/answer-report.ts';
import { createCallers } from './contract/caller.ts';
import { createDesk } from './contract/desk.ts';
import type { HttpDependencies, RouteDependencies } from './dependencies.ts';
import { JSON_TYPE, sendProblem } from './envelope.ts';
import { createExplainFailure } from './failure.ts';
import { dropForwardedPorts } from './front/caller-address.ts';
import { Connections } from './front/connections.ts';
import { createFrontRoutes } from './front/front-routes.ts';
import { createFront, type Front } from './front/front-server.ts';
import { HeldBytes, MOST_HELD_BYTES } from './front/held-bytes.ts';
import { createNodeServer, type NodeServer } from './front/node-server.ts';
import { createTurns, limitTurns } from './front/turns.ts';
import { BODY_LIMIT_BYTES, replaceMalformedType } from './json-body.ts';
import { type AnswerFailure, createMeasured, createObserve } from './measured.ts';
import { declaredRoutes } from './operator/declared-routes.ts';
import { createOperatorGuard } from './operator/guard.ts';
import { refuseUnknownNames } from './operator/known-names.ts';
import { operatorRoute } from './operator/route.ts';
import { refuseRepeatedParameters } from './repeated-parameters.ts';
import { ROUTES } from './resources.ts';
import { consoleRoutes } from './service/console.ts';
import { docsRoutes } from './service/docs.ts';

/** The route label in metrics of requests that match no route. */
const NO_ROUTE = 'none';
const CONSOLE = '/console/';
/** As long as a request line may be: an id that is too long is an unknown id, not an unknown path. */
const MAX_PARAM_LENGTH = 16 * 1024;

/** Fields have tables of their own. The framework would load its compilers of schemas, which takes 40 ms, for no route at all. */
const noSchemas = () => {
  throw new Error('routes have no schemas');
};

export interface HttpServer {
  readonly http: FastifyInstance;
  /** Owns a port in this thread, answers most calls itself and hands the others to `http`, which has to listen by then. */
  createFront(certificate: Certificate | undefined): Front;
}

export function createHttpServer(deps: HttpDependencies): HttpServer {
  const { events, metrics } = deps;
  const observe = createObserve(metrics.requests);
  const measured = createMeasured(observe, (...failed) => answerError(...failed));
  const explainFailure = createExplainFailure(events);
  const callers = createCallers(deps.access, deps.limiter);
  const desk = createDesk({ ...deps, callers, answerReport: createAnswerReport(deps.reports) });
  const port = {
    connections: new Connections(deps.maxConnections, count => metrics.connectionsClosed.inc(count)),
    held: new HeldBytes(MOST_HELD_BYTES),
    requestTimeoutMs: deps.requestTimeoutMs,
    onBroken: () => events.refused(NO_ROUTE, 'A300'),
    onBusy: () => events.refused(NO_ROUTE, 'A020'),
  };
  let behind: NodeServer | undefined;
  let front: Front | undefined;
  const turns = createTurns(deps.access.recognise);
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: listener => {
      behind = createNodeServer(port, listener);
      return behind.server;
    },
    // The server has its own.
    clientErrorHandler: () => {},
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    trustProxy: (address: string | undefined, hop: number) => deps.isProxy(address ?? '', hop),
    routerOptions: {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAM_LENGTH,
    },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors(error, request, reply) {
      const { method, url = '' } = request.raw;
      if (method !== 'GET' || !url.startsWith(CONSOLE)) return answerError(error, request, reply);
      // The console tells that there is no such page.
      pages.showPage(reply).catch((failure: unknown) => answerError(failure, request, reply));
    },
  });

  app.addHook('onRequest', (request, reply, done) => {
    if (front?.isClosing()) reply.raw.setHeader('connection', 'close');
    dropForwardedPorts(request.raw.headers);
    replaceMalformedType(request.raw.headers);
    if (hasDotSegments(request.raw.url ?? '')) sendProblem(reply, unclearPath());
    else done();
  });
  limitTurns(app, turns);
  app.decorate('noteRefusal', (route, code) => events.refused(route ?? NO_ROUTE, code));
  // Bodies of every content type are read as bytes; each route decides what it accepts.
  app.removeAllContentTypeParsers();
  // Naming the common type besides the catch-all saves a search on every request.
  app.addContentTypeParser([JSON_TYPE, '*'], { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  refuseRepeatedParameters(app);
  refuseUnknownNames(app);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200);
    const problem = new Problem('A300', `There is no ${request.method} ${path}`, { status: 404 });
    return sendProblem(reply, problem);
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  const guard = createOperatorGuard(deps.operatorAccess, deps.publicUrl);
  const route = operatorRoute({
    app,
    guard,
    measured,
    explainFailure,
    clock: deps.clock,
    toolsOf: operator => auditedTools(deps, deps.audit.recordBy(authorOf(operator))),
  });
  const routeDeps: RouteDependencies = {
    ...deps,
    app,
    measured,
    callers,
    desk,
    guard,
    route,
    operations: declaredRoutes({ ...deps, route }),
  };
  for (const declare of Object.values(ROUTES)) declare(routeDeps);
  docsRoutes(app, deps);
  const pages = consoleRoutes(app);
  return { http: app, createFront: openFront };

  function openFront(certificate: Certificate | undefined): Front {
    if (!behind) throw new Error('the framework has made no server');
    const { isProxy, headerPrefixes, shutdownTimeoutMs } = deps;
    const noteRefusal = events.refused;
    const routes = createFrontRoutes({ desk, headerPrefixes, observe, noteRefusal, explainFailure });
    front = createFront({ ...port, routes, turns, isProxy, behind, shutdownTimeoutMs, certificate });
    return front;
  }

  function unclearPath(): Problem {
    return new Problem('A300', 'A path must not have segments of dots (".", "..", "%2e")');
  }

  function answerError(...[error, request, reply]: Parameters<AnswerFailure>): FastifyReply {
    const status = statusOf(error);
    if (status === 413) {
      return sendProblem(reply, new Problem('A300', `The body is larger than ${BODY_LIMIT_BYTES} bytes`));
    }
    if (status === 404)
      return sendProblem(reply, new Problem('A300', 'There is no such path', { status: 404 }));
    if (status < 500) return sendProblem(reply, new Problem('A300', 'The request is not well-formed HTTP'));
    const { problem, headers } = explainFailure(error, {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
    });
    return sendProblem(reply, problem, headers);
  }
}

/** The framework says by a status what is wrong with a request. */
function statusOf(error: unknown): number {
  const isOfFramework = error instanceof Error && 'statusCode' in error;
  return isOfFramework && typeof error.statusCode === 'number' ? error.statusCode : 500;
}
