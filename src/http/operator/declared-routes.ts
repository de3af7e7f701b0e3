/** The routes of declared operations: one for each handler. */
import { isUtf8 } from 'node:buffer';
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import { type Audit, authorOf } from '../../operate/audit.ts';
import type { SightOf } from '../../operate/masking.ts';
import { type AllHandlers, type Handler, operationAt, perform } from '../../operate/perform.ts';
import type { Address, AnyOperation, Method } from '../../operations/operation.ts';
import type { CsvPart, CsvShape } from '../../operations/shapes.ts';
import { baseUrl } from '../contract/file.ts';
import { parseJsonBody, rawBody } from '../json-body.ts';
import { CsvFile } from './csv-file.ts';
import type { OperatorRequest, OperatorRoute } from './route.ts';

export type DeclaredRoutes = (handlers: Partial<AllHandlers>) => void;

export function declaredRoutes(deps: {
  readonly route: OperatorRoute;
  readonly sightOf: SightOf;
  readonly audit: Audit;
  readonly publicUrl: string | undefined;
}): DeclaredRoutes {
  return handlers => {
    for (const [address, handle] of Object.entries(handlers) as [Address, Handler][]) {
      const [method, path = ''] = address.split(' ');
      const url = `/admin/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      const leastOf = async () => (await operationAt(address)).role;
      deps.route(method as Method, url, leastOf, async (request, _tools, operator) => {
        const operation = await operationAt(address);
        const body = bodyOf(request, operation);
        if (body instanceof Problem) return body;
        const { role, name: by, id: operatorId } = operator;
        const record = deps.audit.writerOf(authorOf(operator));
        const gatewayUrl = baseUrl(request, deps.publicUrl);
        const caller = { by, operatorId, gatewayUrl, role, sight: deps.sightOf(role), record };
        const asked = { path: request.params, query: request.query, body };
        const answer = await perform(operation, handle, asked, caller);
        const { fileName } = operation.answer as Partial<CsvShape<unknown>>;
        if (answer instanceof Problem || fileName === undefined) return answer as object;
        const { text, next } = answer as CsvPart;
        return new CsvFile(fileName, text, next);
      });
    }
  };
}

function bodyOf(request: OperatorRequest, { body, takesCsv, takesFields }: AnyOperation): unknown {
  if (body === undefined) return undefined;
  if (takesCsv) {
    const bytes = rawBody(request);
    return isUtf8(bytes)
      ? { file: bytes.toString('utf8') }
      : new Problem('A300', 'The file must be CSV in UTF-8');
  }
  const parsed = parseJsonBody(request);
  if (parsed instanceof Problem) return parsed;
  if (!isObject(parsed.json)) return new Problem('A011', 'The body must be a JSON object');
  return takesFields ? { fields: parsed.json } : parsed.json;
}
