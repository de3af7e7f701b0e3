/** What a client is told when answering its request failed: that the store is busy, or A999 with an id that the log has, too. */
import { Problem } from '../domain/request/problem.ts';
import type { Events } from '../observe/events.ts';
import { problemOfFault } from '../store/store-problem.ts';

export interface Failure {
  readonly problem: Problem;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly route: string | undefined;
}

export type ExplainFailure = (error: unknown, request: FailedRequest) => Failure;

export function createExplainFailure(events: Pick<Events, 'storeFailed' | 'failed'>): ExplainFailure {
  return (error, request) => {
    const busy = problemOfFault(error);
    if (busy) {
      events.storeFailed('http', error);
      return { problem: busy };
    }
    events.failed('http', error, { ...request });
    return { problem: new Problem('A999'), headers: { 'x-request-id': request.requestId } };
  };
}
