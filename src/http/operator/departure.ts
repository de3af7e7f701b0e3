/** Whether anybody still waits for an answer. A caller may leave during any `await`, also before anybody listens for that. */
import type { FastifyRequest } from 'fastify';

type Asked = Pick<FastifyRequest, 'raw'>;

export function hasLeft({ raw }: Asked): boolean {
  return raw.socket.destroyed;
}

/** Aborts when the caller leaves; at once if that was before. */
export function departureOf(request: Asked): AbortSignal {
  if (hasLeft(request)) return AbortSignal.abort();
  const left = new AbortController();
  request.raw.socket.once('close', () => left.abort());
  return left.signal;
}
