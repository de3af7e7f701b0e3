import type { FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import type { FastHistogram, Series } from '../platform/histogram.ts';

type Handler<G extends RouteGenericInterface> = (
  request: FastifyRequest<G>,
  reply: FastifyReply,
) => Promise<FastifyReply>;

export type Measured = <G extends RouteGenericInterface>(route: string, handle: Handler<G>) => Handler<G>;

/** Notes how many seconds an answer took. */
export type Observe = (route: string, status: number, seconds: number) => void;

export function createObserve(histogram: FastHistogram): Observe {
  const known = new Map<string, Map<number, Series>>();
  return (route, status, seconds) => {
    const ofRoute = known.get(route) ?? new Map<number, Series>();
    if (ofRoute.size === 0) known.set(route, ofRoute);
    const series = ofRoute.get(status) ?? histogram.series({ route, status: String(status) });
    ofRoute.set(status, series);
    series.observe(seconds);
  };
}

/** Answers a request whose handler has thrown. */
export type AnswerFailure = (
  error: unknown,
  request: Pick<FastifyRequest, 'id' | 'method'> & {
    readonly routeOptions: { readonly url?: string | undefined };
  },
  reply: FastifyReply,
) => FastifyReply;

/**
 * Measures handlers by wrapping them, because an onResponse hook costs 7 µs more. What a handler throws is answered here, or
 * the failures of an outage would be in no measurement.
 */
export function createMeasured(observe: Observe, answerFailure: AnswerFailure): Measured {
  return (route, handle) => async (request, reply) => {
    const startedAt = performance.now();
    let answered: FastifyReply;
    try {
      answered = await handle(request, reply);
    } catch (error) {
      // Half an answer cannot become another one; the framework ends the connection.
      if (reply.raw.headersSent) throw error;
      answered = answerFailure(error, request, reply);
    }
    observe(route, reply.raw.statusCode, (performance.now() - startedAt) / 1000);
    return answered;
  };
}
