import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Forms } from '../../accept/forms.ts';
import type { Account } from '../../domain/account/account.ts';
import { isObject, memberOf } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import { parseJsonBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';
import type { Callers } from './caller.ts';

type FormRequest = FastifyRequest<{ Params: { formId?: string } }>;

/** `/v1/form…`: message forms. */
export function formRoutes(deps: {
  readonly app: FastifyInstance;
  readonly callers: Callers;
  readonly forms: Forms;
  readonly measured: Measured;
}): void {
  const { app, callers, forms } = deps;

  /**
   * Declares a route for an authenticated account; `handle` returns the members of a success besides code and result.
   */
  function route(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    handle: (account: Account, formId: string, request: FormRequest) => Promise<object | Problem>,
  ): void {
    const handler = deps.measured<{ Params: { formId?: string } }>(url, async (request, reply) => {
      const account = await callers.caller(request);
      if (account instanceof Problem) return sendProblem(reply, account);
      const members = await handle(account, request.params.formId ?? '', request);
      return members instanceof Problem
        ? sendProblem(reply, members)
        : sendSuccess(reply, successBody(members));
    });
    app.route({ method, url, handler });
  }

  route('POST', '/v1/form', async (account, _formId, request) => {
    const entries = entriesOf(request);
    if (entries instanceof Problem) return entries;
    const formId = await forms.create(account, entries.messageForm);
    return formId instanceof Problem ? formId : { data: { formId } };
  });
  route('PUT', '/v1/form/:formId', async (account, formId, request) => {
    const entries = entriesOf(request);
    if (entries instanceof Problem) return entries;
    return (await forms.replace(account, formId, entries.messageForm)) ?? { data: { formId } };
  });
  route('GET', '/v1/form/:formId', async (account, formId) => {
    const messageForm = await forms.entries(account, formId, 'formId');
    return messageForm instanceof Problem ? messageForm : { data: { formId, messageForm } };
  });
  route('DELETE', '/v1/form/:formId', async (account, formId) => (await forms.remove(account, formId)) ?? {});
}

function entriesOf(request: FormRequest): { readonly messageForm: unknown } | Problem {
  const body = parseJsonBody(request);
  if (body instanceof Problem) return body;
  if (!isObject(body.json)) return new Problem('A011', 'The body must be a JSON object');
  return { messageForm: memberOf(body.json, 'messageForm') };
}
