import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../domain/request/fields.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { OperatorAccess, Session, SessionView, Visitor } from '../../operate/access.ts';
import { type Audit, authorOf } from '../../operate/audit.ts';
import type { SightOf } from '../../operate/masking.ts';
import type { Clock } from '../../platform/clock.ts';
import { readVersion } from '../../platform/version.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { baseUrl } from '../contract/file.ts';
import { sendProblem, sendSuccess, successBody } from '../envelope.ts';
import { parseJsonBody } from '../json-body.ts';
import type { Measured } from '../measured.ts';
import { foreignPage, isSameOrigin, type OperatorGuard } from './guard.ts';
import type { OperatorRoute } from './route.ts';
import { sessionCookie, sessionOf } from './session-cookie.ts';

const PATH = '/admin/v1/session';
const JOIN = '/admin/v1/invitations/accept';
const SESSIONS = '/admin/v1/sessions';
const LINKS = '/admin/v1/session/links';

interface SessionRouteDependencies {
  readonly app: FastifyInstance;
  readonly operatorAccess: OperatorAccess;
  readonly guard: OperatorGuard;
  readonly route: OperatorRoute;
  readonly audit: Audit;
  readonly sightOf: SightOf;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly measured: Measured;
  readonly mode: string;
  readonly timeZone: string;
  readonly headerPrefixes: readonly string[];
  readonly publicUrl: string | undefined;
}

/** `/admin/v1/session…`: signing in to the console with the token of an operator, a code or an invitation, and out. */
export function operatorSessionRoutes(deps: SessionRouteDependencies): void {
  const { app, operatorAccess, guard, route, audit, clock, measured, publicUrl } = deps;
  const version = readVersion();

  const signIn: Parameters<Measured>[1] = async (request, reply) => {
    if (!isSameOrigin(request, publicUrl)) return sendProblem(reply, foreignPage());
    const body = parseJsonBody(request);
    if (body instanceof Problem) return sendProblem(reply, body);
    const credentials = credentialsIn(body.json);
    if (credentials instanceof Problem) return sendProblem(reply, credentials);
    const session = await operatorAccess.signIn(credentials, visitorOf(request));
    if (session instanceof Problem) return refuse(reply, session);
    const by = 'token' in credentials ? 'token' : 'code';
    await audit.recordBy(authorOf(session.operator))('session.open', request.ip, by);
    const cookie = cookieOf(session, request.protocol === 'https');
    const data = { expiresAt: deps.formatTime(session.expiresAt) };
    return sendSuccess(reply, successBody({ data }), { 'set-cookie': cookie });
  };
  app.post(PATH, measured(PATH, signIn));

  const join: Parameters<Measured>[1] = async (request, reply) => {
    if (!isSameOrigin(request, publicUrl)) return sendProblem(reply, foreignPage());
    const body = parseJsonBody(request);
    if (body instanceof Problem) return sendProblem(reply, body);
    const code = isObject(body.json) ? body.json.code : undefined;
    if (typeof code !== 'string') return sendProblem(reply, new Problem('A300', '"code" is required'));
    const joined = await operatorAccess.join(code, visitorOf(request));
    if (joined instanceof Problem) return refuse(reply, joined);
    const { session, token, tokenExpiresAt } = joined;
    const { id = '', name, role } = session.operator;
    await audit.recordBy(authorOf(session.operator))('operator.join', name, id, role, request.ip);
    const cookie = cookieOf(session, request.protocol === 'https');
    const data = { name, role, token, expiresAt: deps.formatTime(tokenExpiresAt) };
    return sendSuccess(reply, successBody({ data }), { 'set-cookie': cookie });
  };
  app.post(JOIN, measured(JOIN, join));

  const show: Parameters<Measured>[1] = async (request, reply) => {
    const operator = await guard(request, 'viewer');
    if (operator instanceof Problem) return refuse(reply, operator);
    const { name, role } = operator;
    const { mode, timeZone } = deps;
    const headerPrefix = deps.headerPrefixes[0] ?? 'SVC';
    const data = {
      signedIn: true,
      name,
      role,
      masked: deps.sightOf(role) === 'masked',
      mode,
      version,
      headerPrefix,
      publicUrl: publicUrl ?? null,
      timeZone,
    };
    return sendSuccess(reply, successBody({ data }));
  };
  app.get(PATH, measured(PATH, show));

  const signOut: Parameters<Measured>[1] = async (request, reply) => {
    const operator = await guard(request, 'viewer');
    if (operator instanceof Problem) return refuse(reply, operator);
    await operatorAccess.signOut(sessionOf(request) ?? '');
    await audit.recordBy(authorOf(operator))('session.close', request.ip);
    const cookie = sessionCookie('', 0, request.protocol === 'https');
    return sendSuccess(reply, successBody({ data: {} }), { 'set-cookie': cookie });
  };
  app.delete(PATH, measured(PATH, signOut));

  route('POST', LINKS, 'viewer', async (request, { record }, operator) => {
    const issued = await operatorAccess.issueLink(operator, visitorOf(request));
    if (issued instanceof Problem) return issued;
    const expiresAt = deps.formatTime(issued.expiresAt);
    await record('session.link', request.ip, expiresAt);
    // After the #: no browser sends it, so it is in the log of no proxy.
    return { link: `${baseUrl(request, publicUrl)}/console/#code=${issued.code}`, expiresAt };
  });

  const view = ({ operatorId, address, agent, openedAt, usedAt, expiresAt, ...rest }: SessionView) => ({
    ...rest,
    operatorId: operatorId ?? null,
    address: address ?? null,
    agent: agent ?? null,
    openedAt: openedAt === undefined ? null : deps.formatTime(openedAt),
    usedAt: usedAt === undefined ? null : deps.formatTime(usedAt),
    expiresAt: deps.formatTime(expiresAt),
  });
  route('GET', SESSIONS, 'viewer', async (_request, _tools, operator) => ({
    sessions: (await operatorAccess.sessions(operator)).map(view),
  }));
  route('DELETE', `${SESSIONS}/:sessionId`, 'viewer', async ({ params }, { record }, operator) => {
    const ended = await operatorAccess.endSession(params.sessionId ?? '', operator);
    if (ended instanceof Problem) return ended;
    await record('session.close', ended.address ?? '?', { name: ended.name, session: ended.id });
    return view(ended);
  });

  function cookieOf({ id, expiresAt }: Session, isHttps: boolean): string {
    const seconds = Math.floor((expiresAt - clock.now()) / 1000);
    return sessionCookie(id, seconds, isHttps || publicUrl?.startsWith('https:') === true);
  }
}

function visitorOf({ ip, headers }: FastifyRequest): Visitor {
  return { address: ip, agent: headers['user-agent'] };
}

/**
 * Here an operator who is not signed in gets 401 instead of 403, so that the console knows to show the sign-in page.
 */
function refuse(reply: FastifyReply, problem: Problem): FastifyReply {
  const { code, result } = problem;
  return sendProblem(reply, code === 'A002' ? new Problem(code, result, { status: 401 }) : problem);
}

function credentialsIn(body: unknown): { readonly token: string } | { readonly code: string } | Problem {
  if (!isObject(body)) return new Problem('A011', 'The body must be a JSON object');
  const { token, code } = body;
  if (typeof token === 'string' && token !== '') return { token };
  if (typeof code === 'string' && code !== '') return { code };
  return new Problem('A300', '"token" or "code" is required');
}
