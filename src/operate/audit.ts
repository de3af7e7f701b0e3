/** The audit log: every change by the operator, who made it and how. Kept for a year. */

import type { Registry } from '../accept/registry.ts';
import type { Carriers } from '../deliver/carriers.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { AuditEntry, Store } from '../store/store.ts';
import type { Accounts } from './accounts.ts';
import type { Webhooks } from './webhooks.ts';

export interface Audit {
  record(change: Omit<AuditEntry, 'at'>): Promise<void>;
  /** Newest first. */
  list(
    limit: number,
    before: number | undefined,
  ): Promise<{ readonly entries: readonly object[]; readonly next: string | null }>;
}

export function createAudit(deps: {
  readonly store: Pick<Store, 'audit'>;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
}): Audit {
  const { store, clock, formatTime } = deps;
  return {
    record: change => store.audit.add({ ...change, at: clock.now() }),
    async list(limit, before) {
      const entries = await store.audit.list(limit + 1, before);
      const page = entries.slice(0, limit);
      const last = page.at(-1);
      return {
        entries: page.map(({ id, at, ...entry }) => ({ at: formatTime(at), ...entry })),
        next: entries.length > limit && last ? String(last.id) : null,
      };
    },
  };
}

/** The operator's changes, each followed by its entry; for callers that have no route to do that. */
export function auditedAccounts(accounts: Accounts, audit: Audit, who: AuditEntry['who']): Accounts {
  async function noted(isDone: boolean, action: string, target: string, details: object = {}) {
    if (isDone) await audit.record({ who, action, target, details: { ...details } });
    return isDone;
  }
  return {
    ...accounts,
    create: async (id, password, settings) =>
      noted(await accounts.create(id, password, settings), 'account.create', id, settings),
    change: async (id, change) => noted(await accounts.change(id, change), 'account.change', id, change),
    setPassword: async (id, password) =>
      noted(await accounts.setPassword(id, password), 'account.password', id),
  };
}

export function auditedRegistry(registry: Registry, audit: Audit, who: AuditEntry['who']): Registry {
  return {
    ...registry,
    async put(account, entries) {
      const problem = await registry.put(account, entries);
      const kinds = [...new Set(entries.map(({ kind }) => kind))];
      const details = { entries: entries.length, kinds };
      if (!problem) await audit.record({ who, action: 'registry.put', target: account, details });
      return problem;
    },
    async remove(account, kind, key) {
      const problem = await registry.remove(account, kind, key);
      const details = { kind, key };
      if (!problem) await audit.record({ who, action: 'registry.remove', target: account, details });
      return problem;
    },
  };
}

export function auditedCarriers(carriers: Carriers, audit: Audit, who: AuditEntry['who']): Carriers {
  const noted = (action: string, change: Carriers['pause']) => async (name: string) => {
    const problem = await change(name);
    if (!problem) await audit.record({ who, action, target: name, details: {} });
    return problem;
  };
  return {
    ...carriers,
    pause: noted('carrier.pause', carriers.pause),
    resume: noted('carrier.resume', carriers.resume),
  };
}

export function auditedWebhooks(webhooks: Webhooks, audit: Audit, who: AuditEntry['who']): Webhooks {
  async function noted<T>(answer: T, action: string, target: string): Promise<T> {
    if (!(answer instanceof Problem)) await audit.record({ who, action, target, details: {} });
    return answer;
  }
  return {
    ...webhooks,
    rotate: async id => noted(await webhooks.rotate(id), 'webhook.rotate', id),
    replay: async (id, body) => noted(await webhooks.replay(id, body), 'webhook.replay', id),
    resume: async id => noted(await webhooks.resume(id), 'webhook.resume', id),
  };
}
