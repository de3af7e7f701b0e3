/**
 * The `ref` of our sends, by which reports name the attempt even if the send had no answer.
 *
 *   <attempt id>     a single send
 *   d-<attempt id>   one destination of a combined send, for services that return the reference of each
 *   1-<attempt id>   the whole of a combined send with one destination
 *   n-<attempt id>   the whole of one with several: it names the first of them, and says nothing of the one reported
 *
 * Which of the last three comes back in a report shows whether the service keeps the references of destinations.
 */
import { parseAttemptId } from '../../domain/ids.ts';

export const destinationRef = (attemptId: string): string => `d-${attemptId}`;

export function requestRef(attemptIds: readonly string[]): string {
  return `${attemptIds.length === 1 ? '1' : 'n'}-${attemptIds[0] ?? ''}`;
}

export type ReportedRef =
  | { readonly place: 'single' | 'destination' | 'request'; readonly attemptId: string }
  | { readonly place: 'severalInRequest' };

/** undefined for a reference that is not ours. */
export function parseRef(ref: string): ReportedRef | undefined {
  const [, place = '', attemptId = ''] = /^(?:([d1n])-)?(.+)$/s.exec(ref) ?? [];
  if (!parseAttemptId(attemptId)) return undefined;
  switch (place) {
    case 'd':
      return { place: 'destination', attemptId };
    case '1':
      return { place: 'request', attemptId };
    case 'n':
      return { place: 'severalInRequest' };
    default:
      return { place: 'single', attemptId };
  }
}
