import {
  DEFAULT_LIFETIME_DAYS,
  isLifetime,
  LONGEST_LIFETIME_DAYS,
  OPERATOR_NAME_FORM,
  parseOperatorName,
} from '../../domain/operator/operator-token.ts';
import { parseRole, ROLES } from '../../domain/operator/role.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { NewOperator } from '../../operate/operators.ts';
import { baseUrl } from '../contract/file.ts';
import { parseObjectBody } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const OPERATORS = '/admin/v1/operators';
const INVITATIONS = '/admin/v1/invitations';

/** `/admin/v1/operators…`: named operators: who may use this API, and what for. */
export function operatorOperatorsRoutes({
  route,
  publicUrl,
}: {
  readonly route: OperatorRoute;
  readonly publicUrl: string | undefined;
}): void {
  route('GET', OPERATORS, 'admin', async (_request, { operators }) => ({
    operators: await operators.list(),
  }));

  route('POST', OPERATORS, 'admin', async (request, { operators }, { name }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const operator = newOperatorIn(body);
    return operator instanceof Problem ? operator : operators.add(operator, name);
  });

  route('POST', INVITATIONS, 'admin', async (request, { operators }, { name }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const operator = newOperatorIn(body);
    if (operator instanceof Problem) return operator;
    const invited = await operators.invite(operator, name);
    if (invited instanceof Problem) return invited;
    // After the #: no browser sends it, so it is in the log of no proxy.
    return { ...invited, link: `${baseUrl(request, publicUrl)}/console/#invite=${invited.code}` };
  });

  route('PATCH', `${OPERATORS}/:operatorId`, 'admin', async (request, { operators }, { id }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const role = parseRole(body.role);
    if (role === undefined) return roleProblem();
    const { operatorId = '' } = request.params;
    if (operatorId === id) return new Problem('A300', 'You cannot change your own role: ask another admin');
    return operators.setRole(operatorId, role);
  });

  route('DELETE', `${OPERATORS}/:operatorId`, 'admin', ({ params }, { operators }) =>
    operators.revoke(params.operatorId ?? ''),
  );
}

function newOperatorIn(body: Readonly<Record<string, unknown>>): NewOperator | Problem {
  const name = parseOperatorName(body.name);
  if (name === undefined) return new Problem('A300', `"name" must be ${OPERATOR_NAME_FORM}`);
  const role = parseRole(body.role);
  if (role === undefined) return roleProblem();
  const lifetimeDays = body.lifetimeDays ?? DEFAULT_LIFETIME_DAYS;
  if (!isLifetime(lifetimeDays)) {
    return new Problem('A300', `"lifetimeDays" must be a whole number from 1 to ${LONGEST_LIFETIME_DAYS}`);
  }
  return { name, role, lifetimeDays };
}

function roleProblem(): Problem {
  return new Problem('A300', `"role" must be one of ${ROLES.join(', ')}`);
}
