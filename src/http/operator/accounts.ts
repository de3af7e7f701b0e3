import { knownAccount } from '../../accept/known-account.ts';
import { type Account, NEW_PASSWORD_FORM, parseNewPassword } from '../../domain/account/account.ts';
import { accountView, parseSettings } from '../../domain/account/account-settings.ts';
import { BASE32, parseAccountId } from '../../domain/ids.ts';
import type { Role } from '../../domain/operator/role.ts';
import { Problem } from '../../domain/request/problem.ts';
import { ACCOUNT_ORDERS, pageOfAccounts } from '../../operate/account-page.ts';
import { shownUrl } from '../../operate/masking.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import { parseLimit, parseObjectBody, parseText } from './list-query.ts';
import type { OperatorRequest, OperatorRoute } from './route.ts';

const ACCOUNTS = '/admin/v1/accounts';
const ACCOUNT = `${ACCOUNTS}/:id`;
const GENERATED_LENGTH = 20;
/** Without their settings they are small. */
const MOST_OF_A_PAGE = 1000;

/** `/admin/v1/accounts…`: accounts: the clients of the gateway and their settings. */
export function operatorAccountsRoutes(deps: {
  readonly route: OperatorRoute;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
}): void {
  const { route, random } = deps;
  const view = (account: Account, role: Role) => {
    const { settings, ...rest } = accountView(account, deps.formatTime);
    return { ...rest, settings: { ...settings, webhookUrl: shownUrl(settings.webhookUrl, role) } };
  };

  route('GET', ACCOUNTS, 'viewer', async ({ query }, { accounts }, { role }) => {
    const limit = parseLimit(query.limit, MOST_OF_A_PAGE);
    if (limit instanceof Problem) return limit;
    const order = ACCOUNT_ORDERS.find(name => name === (parseText(query, 'order') ?? 'id'));
    if (!order) return new Problem('A300', `"order" must be ${ACCOUNT_ORDERS.join(' or ')}`);
    const search = parseText(query, 'search') ?? '';
    const found = pageOfAccounts(await accounts.list(), {
      ...{ search, order, limit },
      cursor: parseText(query, 'cursor'),
    });
    if (found instanceof Problem) return found;
    const views = found.page.map(account => view(account, role));
    const isBrief = query.settings === 'false';
    return {
      accounts: isBrief ? views.map(({ settings: _, ...brief }) => brief) : views,
      next: found.next,
    };
  });

  route('GET', ACCOUNT, 'viewer', async ({ params }, { accounts }, { role }) => {
    const account = await knownAccount(accounts, params.id);
    if (account instanceof Problem) return account;
    return { ...view(account, role), usage: await accounts.usage(account) };
  });

  route('POST', ACCOUNTS, 'admin', async (request, { accounts }) => {
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const id = parseAccountId(typeof body.id === 'string' ? body.id : '');
    if (!id) {
      return new Problem('A300', '"id" must be 1 to 64 letters, digits, dots, dashes, underscores or @');
    }
    const password = passwordIn(body);
    if (password instanceof Problem) return password;
    const settings = parseSettings(body.settings);
    if (settings instanceof Problem) return settings;
    const problem = accounts.problemOf(settings);
    if (problem) return problem;
    const isCreated = await accounts.create(id, password, settings);
    return isCreated ? { id, password } : new Problem('A300', await accounts.whyTaken(id));
  });

  route('PATCH', ACCOUNT, 'admin', async (request, { accounts }, { role }) => {
    const account = await knownAccount(accounts, request.params.id);
    if (account instanceof Problem) return account;
    const body = parseObjectBody(request);
    if (body instanceof Problem) return body;
    const { blocked } = body;
    if (blocked !== undefined && typeof blocked !== 'boolean') {
      return new Problem('A300', '"blocked" must be true or false');
    }
    const settings = parseSettings(body.settings);
    if (settings instanceof Problem) return settings;
    const problem = accounts.problemOf(settings, account.settings);
    if (problem) return problem;
    const expected = parseSettings(body.expected);
    if (expected instanceof Problem) return expected;
    const applied = await accounts.change(account.id, {
      ...(blocked !== undefined && { blocked }),
      ...(body.settings !== undefined && { settings }),
      expected,
    });
    if (applied instanceof Problem) return applied;
    const changed = await knownAccount(accounts, request.params.id);
    return changed instanceof Problem ? changed : view(changed, role);
  });

  route('DELETE', ACCOUNT, 'admin', async ({ params }, { accounts }) => {
    const account = await knownAccount(accounts, params.id);
    return account instanceof Problem ? account : accounts.remove(account.id);
  });

  route('POST', `${ACCOUNT}/password`, 'admin', async (request, { accounts }) => {
    const account = await knownAccount(accounts, request.params.id);
    if (account instanceof Problem) return account;
    // The console sends no body.
    const body = hasBody(request) ? parseObjectBody(request) : {};
    if (body instanceof Problem) return body;
    const password = passwordIn(body);
    if (password instanceof Problem) return password;
    await accounts.setPassword(account.id, password);
    return { password };
  });

  route('DELETE', `${ACCOUNT}/tokens`, 'admin', async ({ params }, { accounts }) => {
    const account = await knownAccount(accounts, params.id);
    if (account instanceof Problem) return account;
    await accounts.revokeTokens(account.id);
    return {};
  });

  function passwordIn({ password }: Readonly<Record<string, unknown>>): string | Problem {
    if (password === undefined || password === null || password === '') {
      return random.characters(GENERATED_LENGTH, BASE32);
    }
    const parsed = typeof password === 'string' ? parseNewPassword(password) : undefined;
    return parsed ?? new Problem('A300', `"password" must be ${NEW_PASSWORD_FORM}`);
  }
}

function hasBody({ body }: OperatorRequest): boolean {
  return Buffer.isBuffer(body) && body.length > 0;
}
