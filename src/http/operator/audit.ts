import { Problem } from '../../domain/request/problem.ts';
import type { Audit } from '../../operate/audit.ts';
import { parseLimit, parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/audit`: who changed what. */
export function operatorAuditRoutes({
  route,
  audit,
}: {
  readonly route: OperatorRoute;
  readonly audit: Audit;
}): void {
  route('GET', '/admin/v1/audit', 'viewer', async ({ query }) => {
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const cursor = parseText(query, 'cursor');
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
      return new Problem('A300', '"cursor" must be the "next" of an earlier answer');
    }
    const before = cursor === undefined ? undefined : Number(cursor);
    return audit.list({ limit, before, name: parseText(query, 'operator') });
  });
}
