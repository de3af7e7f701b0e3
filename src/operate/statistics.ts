/** What operators read of the statistics. */
import { Problem } from '../domain/request/problem.ts';
import type { Statistics } from '../observe/statistics.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { statistics as declared } from '../operations/statistics.ts';
import type { Clock } from '../platform/clock.ts';
import type { Handlers } from './perform.ts';

const HOUR_MS = 3_600_000;
const MOST_BUCKETS = 1500;

export function statisticsHandlers({
  statistics,
  clock,
}: {
  readonly statistics: Statistics;
  readonly clock: Clock;
}): Handlers<OperationsOf<typeof declared>> {
  return {
    async 'GET /statistics'({ from, until, bucket = 60 }) {
      const now = clock.now();
      const [start, end, bucketMs] = [from ?? now - HOUR_MS, until ?? now, bucket * 1000];
      if ((end - start) / bucketMs > MOST_BUCKETS) {
        return new Problem(
          'A300',
          `"bucket" is too small: the answer would have more than ${MOST_BUCKETS} buckets`,
        );
      }
      return { buckets: await statistics.read(start, end, bucketMs) };
    },
  };
}
