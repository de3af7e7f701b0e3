import { Problem } from '../../domain/request/problem.ts';
import { RESERVATION_MOVES, type ReservationMove } from '../../domain/reservation/reservation.ts';
import type { SightOf } from '../../operate/masking.ts';
import { parseLimit, parseObjectBody, parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const ONE = '/admin/v1/reservations/:resvKey';

/** `/admin/v1/reservations…`: sends of all accounts that wait for their time. */
export function operatorReservationsRoutes(deps: {
  readonly route: OperatorRoute;
  readonly sightOf: SightOf;
}): void {
  const { route, sightOf } = deps;

  route('GET', '/admin/v1/reservations', 'viewer', async ({ query }, { operatorReservations }) => {
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const [account, status, cursor] = ['account', 'status', 'cursor'].map(name => parseText(query, name));
    return operatorReservations.list({ account, status, cursor }, limit);
  });

  route('GET', ONE, 'viewer', async ({ params }, { operatorReservations }, { role }) => {
    return operatorReservations.show(params.resvKey ?? '', sightOf(role));
  });

  route(
    'GET',
    `${ONE}/recipients`,
    'viewer',
    async ({ params, query }, { operatorReservations }, { role }) => {
      const limit = parseLimit(query.limit);
      if (limit instanceof Problem) return limit;
      const page = { cursor: parseText(query, 'cursor'), limit };
      return operatorReservations.recipients(params.resvKey ?? '', page, sightOf(role));
    },
  );

  route('PATCH', ONE, 'operator', async (request, { operatorReservations }) => {
    const body = parseObjectBody(request);
    return body instanceof Problem ? body : operatorReservations.change(request.params.resvKey ?? '', body);
  });

  for (const move of Object.keys(RESERVATION_MOVES) as ReservationMove[]) {
    route('POST', `${ONE}/${move}`, 'operator', async ({ params }, { operatorReservations }) => {
      return operatorReservations.move(params.resvKey ?? '', move);
    });
  }
}
