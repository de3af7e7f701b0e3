import type { OperatorRoute } from './route.ts';

const CARRIER = '/admin/v1/carriers/:name';

/** `/admin/v1/carriers…` and `/admin/v1/routes…`: carriers, their state, and why a message takes one of them. */
export function operatorCarriersRoutes({ route }: { readonly route: OperatorRoute }): void {
  route('GET', '/admin/v1/carriers', 'viewer', async (_request, { carriers }) => ({
    carriers: await carriers.list(),
  }));
  route('POST', `${CARRIER}/pause`, 'operator', async ({ params: { name = '' } }, { carriers }) => {
    return (await carriers.pause(name)) ?? { name };
  });
  route('POST', `${CARRIER}/resume`, 'operator', async ({ params: { name = '' } }, { carriers }) => {
    return (await carriers.resume(name)) ?? { name };
  });
  route('POST', `${CARRIER}/reconnect`, 'operator', async ({ params: { name = '' } }, { carriers }) => {
    return (await carriers.reconnect(name)) ?? { name };
  });
  route('POST', `${CARRIER}/test`, 'operator', ({ params: { name = '' } }, { carriers }) =>
    carriers.test(name),
  );
  route('GET', '/admin/v1/routes', 'viewer', async (_request, { carriers }) => carriers.routes());
  route('GET', '/admin/v1/routes/explain', 'viewer', async ({ query }, { carriers }) =>
    carriers.explain(query),
  );
}
