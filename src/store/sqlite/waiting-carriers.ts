import { READY } from '../phase.ts';

/** Carriers that steps wait for, and the oldest of each: the index is jumped through, not read. */
export const WAITING_CARRIERS = `
  WITH RECURSIVE awaited (carrier) AS (
    SELECT min(carrier) FROM job WHERE phase = ${READY}
    UNION ALL
    SELECT (SELECT min(carrier) FROM job WHERE phase = ${READY} AND carrier > awaited.carrier)
      FROM awaited WHERE awaited.carrier IS NOT NULL
  )
  SELECT carrier,
         (SELECT min(due_at) FROM job WHERE phase = ${READY} AND job.carrier = awaited.carrier) AS oldest
    FROM awaited WHERE carrier IS NOT NULL`;
