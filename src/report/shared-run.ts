/**
 * One run in progress for each account. Callers that arrive meanwhile share the next run. It starts after they asked, so its
 * result is never older than their call.
 */
import type { Account } from '../domain/account/account.ts';
import type { AccountId } from '../domain/ids.ts';

interface Running<T> {
  readonly current: Promise<T>;
  next?: { account: Account; readonly result: Promise<T> };
}

export function sharedByAccount<T>(run: (account: Account) => Promise<T>): (account: Account) => Promise<T> {
  const underWay = new Map<AccountId, Running<T>>();

  return account => {
    const running = underWay.get(account.id);
    if (!running) return begin(account);
    running.next ??= { account, result: after(running, account) };
    // With the settings as they are now.
    running.next.account = account;
    return running.next.result;
  };

  function begin(account: Account): Promise<T> {
    const current = run(account).finally(() => {
      if (!running.next) underWay.delete(account.id);
    });
    const running: Running<T> = { current };
    underWay.set(account.id, running);
    return current;
  }

  /** If the current run fails, so do those who waited for it: they have waited as long. */
  async function after(running: Running<T>, first: Account): Promise<T> {
    try {
      await running.current;
    } catch (error) {
      underWay.delete(first.id);
      throw error;
    }
    return begin(running.next?.account ?? first);
  }
}
