/** The tools of a command on a running gateway, over its operator API. What it refuses is thrown as `GatewayRefusal`. */
import type { AccountView } from '../domain/account/account-settings.ts';
import { requestFor } from '../operations/request-for.ts';
import type { OperatorClient } from './operator-call.ts';
import type { CommandTools, Done, Status, Subject } from './tools.ts';

export function remoteTools({ url, call, download }: OperatorClient): CommandTools {
  return {
    where: url,
    call(address, asked) {
      const { method, path, query: given, body } = requestFor(address, asked);
      return call(method, `${path}${query(given)}`, body);
    },
    timeZone: async () => (await call<{ timeZone: string }>('GET', '/session')).timeZone,
    async status() {
      const { version, mode } = await call<Pick<Status, 'version' | 'mode'>>('GET', '/session');
      const health = await call<NonNullable<Status['health']>>('GET', '/health');
      // Without its store a node knows only its own carriers, and the queue as it was.
      if (health.store.state !== 'ok') return { version, mode, health, queue: health.queue, carriers: [] };
      const { carriers } = await call<Pick<Status, 'carriers'>>('GET', '/carriers');
      return { version, mode, health, queue: await call<Status['queue']>('GET', '/queue'), carriers };
    },
    consoleLink: () => call('POST', '/session/links'),
    accounts: {
      async list() {
        const all: AccountView[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const query = new URLSearchParams({ limit: '200', ...(cursor && { cursor }) });
          const page: { accounts: AccountView[]; next: string | null } = await call(
            'GET',
            `/accounts?${query}`,
          );
          all.push(...page.accounts);
          cursor = page.next;
        }
        return all;
      },
      show: id => call('GET', account(id)),
      async create(id, password, settings) {
        await call('POST', '/accounts', { id, password, settings: written(settings) });
        return call('GET', account(id));
      },
      change: (id, { blocked, settings }) =>
        call('PATCH', account(id), { blocked, ...(settings && { settings: written(settings) }) }),
      async setPassword(id, password) {
        await call('POST', `${account(id)}/password`, { password });
      },
      async revokeTokens(id) {
        await call('DELETE', `${account(id)}/tokens`);
        return call('GET', account(id));
      },
      remove: id => call('DELETE', account(id)),
    },
    messages: {
      find: (filters, limit) => call('GET', `/messages${query({ ...filters, limit })}`),
      detail: msgKey => call('GET', `/messages/${encodeURIComponent(msgKey)}`),
      cancel: order => call('POST', '/messages/cancel', order),
      settle: order => call('POST', '/messages/settle', order),
    },
    privacy: {
      holdings: subject => call('POST', '/privacy/holdings', asked(subject)),
      export: subject => download('/privacy/exports', asked(subject)),
      erase: (subject, { images }) => call('POST', '/privacy/erasures', { ...asked(subject), images }),
      orders: async () =>
        (
          await call<{ orders: Done<ReturnType<CommandTools['privacy']['orders']>> }>(
            'GET',
            '/privacy/erasures',
          )
        ).orders,
    },
    inbound: {
      list: (filters, limit) => call('GET', `/inbound${query({ ...filters, limit })}`),
      assign: (msgKey, id) => call('POST', `/inbound/${encodeURIComponent(msgKey)}/assign`, { account: id }),
      simulate: message => call('POST', '/simulator/inbound', message),
    },
    reservations: {
      list: (filters, limit) => call('GET', `/reservations${query({ ...filters, limit })}`),
      show: resvKey => call('GET', reservation(resvKey)),
      change: (resvKey, change) => call('PATCH', reservation(resvKey), change),
      move: (resvKey, move) => call('POST', `${reservation(resvKey)}/${move}`),
    },
  };
}

const account = (id: string) => `/accounts/${encodeURIComponent(id)}`;
const reservation = (resvKey: string) => `/reservations/${encodeURIComponent(resvKey)}`;
const asked = ({ number, account }: Subject) => ({ recipient: number, account: account ?? null });

/** Settings as the API takes them: one that is removed is null. */
function written(settings: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? null]));
}

function query(given: Readonly<Record<string, unknown>>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) pairs.set(name, String(value));
  }
  return pairs.size === 0 ? '' : `?${pairs}`;
}
