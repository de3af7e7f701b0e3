import type { OperatorRoute } from './route.ts';

const NODE = '/admin/v1/nodes/:node';

/** `/admin/v1/nodes…`: the nodes of the cluster, in what they differ, draining one, and forgetting one that is gone. */
export function operatorNodesRoutes({ route }: { readonly route: OperatorRoute }): void {
  route('GET', '/admin/v1/nodes', 'viewer', (_request, { nodes }) => nodes.list());
  route('POST', `${NODE}/drain`, 'operator', ({ params: { node = '' } }, { nodes }) => nodes.drain(node));
  route('POST', `${NODE}/resume`, 'operator', ({ params: { node = '' } }, { nodes }) => nodes.resume(node));
  route('POST', `${NODE}/forget`, 'operator', ({ params: { node = '' } }, { nodes }) => nodes.forget(node));
}
