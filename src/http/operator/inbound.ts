import { Problem } from '../../domain/request/problem.ts';
import type { SightOf } from '../../operate/masking.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseLimit, parseObjectBody } from './list-query.ts';
import { parseReason } from './messages.ts';
import type { OperatorRoute } from './route.ts';

const INBOUND = '/admin/v1/inbound';

/** `/admin/v1/inbound…`: what people send, what is nobody's, and a handset of the simulated network. */
export function operatorInboundRoutes({
  route,
  sightOf,
}: {
  readonly route: OperatorRoute;
  readonly sightOf: SightOf;
}): void {
  route('GET', INBOUND, 'viewer', async ({ query }, { inboundDesk }, { role }) => {
    const limit = parseLimit(query.limit);
    return limit instanceof Problem ? limit : inboundDesk.list(query, limit, sightOf(role));
  });
  route('POST', `${INBOUND}/:inboundKey/reveal`, 'operator', async (request, { inboundDesk, record }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const reason = parseReason(body.reason);
    if (reason instanceof Problem) return reason;
    const message = await inboundDesk.find(request.params.inboundKey ?? '', 'clear');
    if (message instanceof Problem) return message;
    // First the log, then the content: if the one cannot be written, the other is not shown.
    await record('personal.reveal', message.msgKey, message.account ?? '', reason);
    return message;
  });
  route('POST', `${INBOUND}/:inboundKey/assign`, 'operator', async (request, { inboundDesk }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const { account } = body;
    if (typeof account !== 'string') return new Problem('A300', '"account" must be the id of an account');
    return inboundDesk.assign(request.params.inboundKey ?? '', account);
  });
  route('POST', '/admin/v1/simulator/inbound', 'operator', async (request, { inboundDesk }) => {
    const body = parseJsonBody(request);
    return body instanceof Problem ? body : inboundDesk.simulate(body.json);
  });
}
