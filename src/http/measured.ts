import type { FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import type { FastHistogram, Series } from '../platform/histogram.ts';

type Handler<G extends RouteGenericInterface> = (
  request: FastifyRequest<G>,
  reply: FastifyReply,
) => Promise<FastifyReply>;

export type Measured = <G extends RouteGenericInterface>(route: string, handle: Handler<G>) => Handler<G>;

/** Measures handlers by wrapping them, because an onResponse hook costs 7 µs more. */
export function createMeasured(histogram: FastHistogram): Measured {
  return (route, handle) => {
    const seriesOfStatus = new Map<number, Series>();
    return async (request, reply) => {
      const startedAt = performance.now();
      const answered = await handle(request, reply);
      const status = reply.raw.statusCode;
      let series = seriesOfStatus.get(status);
      if (!series) {
        series = histogram.series({ route, status: String(status) });
        seriesOfStatus.set(status, series);
      }
      series.observe((performance.now() - startedAt) / 1000);
      return answered;
    };
  };
}
