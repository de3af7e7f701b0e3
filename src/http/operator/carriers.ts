import type { Carriers } from '../../deliver/carriers.ts';
import type { Problem } from '../../domain/request/problem.ts';
import type { OperatorRoute } from './route.ts';

/** `/admin/v1/carriers…` and `/admin/v1/routes…`: the ways out, their state, and why a message takes one of them. */
export function operatorCarriersRoutes({
  route,
  carriers,
}: {
  readonly route: OperatorRoute;
  readonly carriers: Carriers;
}): void {
  route('GET', '/admin/v1/carriers', async () => ({ carriers: await carriers.list() }));
  route('POST', '/admin/v1/carriers/:name/pause', ({ params }) => done(params.name, carriers.pause));
  route('POST', '/admin/v1/carriers/:name/resume', ({ params }) => done(params.name, carriers.resume));
  route('POST', '/admin/v1/carriers/:name/test', ({ params }) => carriers.test(params.name ?? ''));
  route('GET', '/admin/v1/routes', async () => carriers.routes());
  route('GET', '/admin/v1/routes/explain', async ({ query }) => carriers.explain(query));
}

async function done(
  name = '',
  change: (name: string) => Promise<Problem | undefined>,
): Promise<object | Problem> {
  return (await change(name)) ?? { name };
}
