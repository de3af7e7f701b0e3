/**
 * What nodes share for a moment, in memory: one process serves a SQLite file. Several nodes may still share one open store,
 * as those of the simulation do.
 */
import { type RateClaim, rateShare } from '../../domain/delivery/rate-shares.ts';
import {
  type BudgetAsk,
  type BudgetGrant,
  type ClusterStore,
  MOST_SKEW_MS,
  NEWS_MS,
} from '../port/cluster-store.ts';
import type { Living } from './living.ts';

interface Budget {
  readonly tokens: number;
  readonly filledAt: number;
  readonly fullAt: number;
}

interface Share extends RateClaim {
  readonly node: string;
  readonly until: number;
}

export function sqliteCluster(living: Living, monotonic: () => number): ClusterStore {
  const budgets = new Map<string, Budget>();
  const shares = new Map<string, Share[]>();
  const duties = new Map<string, string>();
  const told = new Map<string, { readonly news: string; readonly at: number }>();

  function take(ask: BudgetAsk, now: number): BudgetGrant {
    const { key, ratePerSecond, burst, returned, least, most } = ask;
    const { tokens, filledAt } = budgets.get(key) ?? { tokens: burst, filledAt: now };
    const isAhead = filledAt > now + MOST_SKEW_MS;
    const elapsedMs = isAhead ? 0 : Math.max(0, now - filledAt);
    const level = Math.min(burst, tokens + returned + (elapsedMs * ratePerSecond) / 1000);
    const isEnough = most > 0 && level >= Math.min(least, burst);
    const granted = isEnough ? Math.max(least, Math.min(most, level)) : 0;
    const left = level - granted;
    const at = isAhead ? now : Math.max(now, filledAt);
    const fullAt = at + (Math.max(0, burst - left) * 1000) / ratePerSecond;
    budgets.set(key, { tokens: left, filledAt: at, fullAt });
    return { granted, left };
  }

  function forgetOldNews(): void {
    const now = monotonic();
    for (const [node, { at }] of told) if (now - at > NEWS_MS) told.delete(node);
  }

  return {
    async lease(asks, now) {
      return asks.map(ask => take(ask, now));
    },
    async sweep(now) {
      for (const [key, { fullAt }] of budgets) if (fullAt < now) budgets.delete(key);
      forgetOldNews();
    },
    async shareRates(node, ttlMs, wishes) {
      const alive = new Set(living.names());
      const now = monotonic();
      const wished = new Set(wishes.map(({ carrier }) => carrier));
      for (const [carrier, all] of shares) {
        if (!wished.has(carrier))
          shares.set(
            carrier,
            all.filter(share => share.node !== node),
          );
      }
      return new Map(
        wishes.map(({ carrier, rate, wanted }) => {
          const others = (shares.get(carrier) ?? []).filter(
            share => share.node !== node && share.until > now && alive.has(share.node),
          );
          const share = rateShare(rate, wanted, others);
          shares.set(carrier, [...others, { node, wanted, share, until: now + ttlMs }]);
          return [carrier, share];
        }),
      );
    },
    async takeDuty(duty, node) {
      const holder = duties.get(duty);
      if (holder !== undefined && holder !== node && living.names().includes(holder)) return false;
      duties.set(duty, node);
      return true;
    },
    async leaveDuty(duty, node) {
      if (duties.get(duty) === node) duties.delete(duty);
    },
    async tellNews(node, news) {
      if (news === undefined) told.delete(node);
      else told.set(node, { news, at: monotonic() });
    },
    async newsOfOthers(node) {
      forgetOldNews();
      return [...told].filter(([each]) => each !== node).map(([each, { news }]) => ({ node: each, news }));
    },
  };
}
