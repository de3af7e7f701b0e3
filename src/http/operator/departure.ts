/** Whether anybody still waits for an answer. A caller may leave during any `await`, also before anybody listens for that. */
import type { FastifyReply, FastifyRequest } from 'fastify';

type Asked = Pick<FastifyRequest, 'raw'>;

export function hasLeft({ raw }: Asked): boolean {
  return raw.socket.destroyed;
}

/**
 * Aborts when the caller leaves; at once if that was before. It aborts after a complete answer too. The connection itself is not
 * listened to: it serves other requests later.
 */
export function departureOf({ raw, request }: Pick<FastifyReply, 'raw' | 'request'>): AbortSignal {
  if (hasLeft(request)) return AbortSignal.abort();
  const left = new AbortController();
  raw.once('close', () => left.abort());
  return left.signal;
}
