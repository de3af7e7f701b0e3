import { parseRegistryEntry } from '../../domain/registry/registry.ts';
import { isTemplate, TEMPLATE_KINDS } from '../../domain/registry/template.ts';
import { parseTemplateState } from '../../domain/registry/template-state.ts';
import { isStorable } from '../../domain/request/field-kinds.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { TemplateDecision } from '../../operate/templates.ts';
import { parseLimit, parseObjectBody, parseText } from './list-query.ts';
import type { OperatorRoute } from './route.ts';

const TEMPLATES = '/admin/v1/accounts/:id/templates';
const TEMPLATE = `${TEMPLATES}/:kind/:key`;
const LONGEST_REASON = 500;

/** `/admin/v1/accounts/{id}/templates…`: the library of templates, their states and their history. */
export function operatorTemplatesRoutes({ route }: { readonly route: OperatorRoute }): void {
  route('GET', TEMPLATES, 'viewer', async ({ params, query }, { templates }) => {
    const kind = query.kind === undefined ? undefined : parseKind(query.kind);
    if (kind instanceof Problem) return kind;
    const state = query.state === undefined ? undefined : parseTemplateState(query.state);
    if (state instanceof Problem) return state;
    const limit = parseLimit(query.limit);
    if (limit instanceof Problem) return limit;
    const cursor = parseText(query, 'cursor');
    const after = cursor === undefined ? undefined : parseCursor(cursor);
    if (after instanceof Problem) return after;
    return templates.list(params.id ?? '', { kind, state, wanted: parseText(query, 'text'), limit, after });
  });

  route('GET', TEMPLATE, 'viewer', async ({ params }, { templates }) => {
    const kind = parseKind(params.kind);
    return kind instanceof Problem ? kind : templates.read(params.id ?? '', { kind, key: params.key ?? '' });
  });

  route('PUT', TEMPLATE, 'operator', async (request, { templates }, { name }) => {
    const { id = '', key } = request.params;
    const kind = parseKind(request.params.kind);
    if (kind instanceof Problem) return kind;
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const { revision: given, ...fields } = body;
    const revision = parseRevision(given);
    if (revision instanceof Problem) return revision;
    const entry = parseRegistryEntry({ ...fields, kind, key });
    if (entry instanceof Problem) return entry;
    return isTemplate(entry) ? templates.save(id, entry, revision, name) : new Problem('A300');
  });

  route('POST', `${TEMPLATE}/state`, 'operator', async (request, { templates }, { name }) => {
    const { id = '', key = '' } = request.params;
    const kind = parseKind(request.params.kind);
    if (kind instanceof Problem) return kind;
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const decision = parseDecision(body);
    return decision instanceof Problem ? decision : templates.decide(id, { kind, key }, decision, name);
  });

  route('POST', `${TEMPLATES}/import`, 'operator', async (request, { templates }, { name }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const { templates: list, trial = false } = body;
    if (!Array.isArray(list)) return new Problem('A011', '"templates" must be a list');
    if (typeof trial !== 'boolean') return new Problem('A011', '"trial" must be true or false');
    return templates.import(request.params.id ?? '', list, name, trial);
  });
}

function parseKind(given: unknown) {
  const kind = TEMPLATE_KINDS.find(known => known === given);
  return kind ?? new Problem('A300', `"kind" must be one of ${TEMPLATE_KINDS.join(', ')}`);
}

/** `kind:key`, as the `next` of an earlier answer has it. */
function parseCursor(given: string) {
  const colon = given.indexOf(':');
  const kind = TEMPLATE_KINDS.find(known => known === given.slice(0, Math.max(colon, 0)));
  return kind
    ? { kind, key: given.slice(colon + 1) }
    : new Problem('A300', '"cursor" must be the "next" of an earlier answer');
}

function parseDecision(body: Readonly<Record<string, unknown>>): TemplateDecision | Problem {
  const state = parseTemplateState(body.state);
  if (state instanceof Problem) return state;
  const reason = typeof body.reason === 'string' ? body.reason.trim() : (body.reason ?? '');
  if (typeof reason !== 'string' || reason.length > LONGEST_REASON || !isStorable(reason)) {
    return new Problem('A300', `"reason" must be text of at most ${LONGEST_REASON} characters`);
  }
  const revision = parseRevision(body.revision);
  if (revision instanceof Problem) return revision;
  if (revision === undefined) return new Problem('A300', '"revision" is required');
  return { state, reason: reason === '' ? undefined : reason, revision };
}

function parseRevision(given: unknown): number | undefined | Problem {
  if (given === undefined || given === null) return undefined;
  const isRevision = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given < 2 ** 31;
  return isRevision
    ? given
    : new Problem('A300', '"revision" must be the revision of the template that was read');
}
