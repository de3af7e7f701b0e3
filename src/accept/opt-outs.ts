/**
 * The list of recipients who opted out, of each account: kept by the account itself, by operators, by recipients who text a
 * keyword or call a free number. opt-out-lists.ts is asked on the way of a message.
 */
import type { Account } from '../domain/account/account.ts';
import {
  ANY_SENDER,
  isOptOutKeyword,
  type NewOptOut,
  type OptOut,
  type OptOutWay,
} from '../domain/delivery/opt-out.ts';
import { NUMBER_FORM } from '../domain/delivery/opt-out-request.ts';
import type { AccountId } from '../domain/ids.ts';
import type { OptOutByKeyword, OwnedInbound } from '../domain/inbound/inbound.ts';
import { canonicalNumber } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pieces } from '../platform/pieces.ts';
import type { Consent, OptOutList, OptOutQuery, Store } from '../store/store.ts';
import { knownAccount } from './known-account.ts';
import { readOptOutFile } from './read-opt-out-file.ts';

/** Entries of one account. Our choice: more than the largest senders of the country have. */
const MOST_OPT_OUTS = 2_000_000;
/** How long the number of entries is remembered; counting reads them all. */
const COUNTED_FOR_MS = 60_000;
/** Entries of a recipient that are looked through for an inbound message. */
const LATEST = 100;

/** By whom and how the list is changed. */
export interface OptOutAuthor {
  readonly way: OptOutWay;
  readonly by: string;
}

export interface AddedOptOuts {
  readonly added: number;
  /** Those that were there before. */
  readonly known: number;
}

export interface OptOuts {
  /** All of them or none. At most as many as one call has; see `addAll`. */
  add(account: string, entries: readonly NewOptOut[], author: OptOutAuthor): Promise<AddedOptOuts | Problem>;
  /** The entries of a file that the account brings. */
  read(account: string, file: string): Promise<readonly NewOptOut[] | Problem>;
  /** Resolves to how many entries ended. */
  consent(account: string, consents: readonly Consent[], author: OptOutAuthor): Promise<number | Problem>;
  end(account: string, id: number, author: OptOutAuthor): Promise<OptOut | Problem>;
  /** Newest first. */
  page(account: string, query: OptOutQuery): Promise<readonly OptOut[] | Problem>;
  byKeyword: OptOutByKeyword;
  /** Somebody called the free number of the account. */
  byCall(
    account: string,
    call: { readonly from: string; readonly called: string },
  ): Promise<Problem | undefined>;
}

export function createOptOuts(deps: {
  readonly store: Pick<Store, 'accounts' | 'optOuts'>;
  readonly clock: Clock;
  /** Long lists are read and written in these. */
  readonly pieces: Pieces;
  /** The account has entries that cover this, from now on. */
  readonly note: (list: OptOutList) => void;
}): OptOuts {
  const { store, clock, pieces, note } = deps;
  const counted = new Map<AccountId, { readonly until: number; there: number }>();

  return {
    async add(id, entries, author) {
      const account = await knownAccount(store.accounts, id);
      return account instanceof Problem ? account : addTo(account.id, entries, author);
    },
    async consent(id, consents, author) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const origin = { at: clock.now(), ...author };
      return pieces.do(id, () => store.optOuts.consent(account.id, consents, origin));
    },
    async read(account, file) {
      const entries: NewOptOut[] = [];
      const parts = readOptOutFile(file);
      for (;;) {
        const { done, value } = await pieces.do(account, async () => parts.next());
        if (done) break;
        if (value instanceof Problem) return value;
        entries.push(...value);
      }
      return entries.length > 0 ? entries : new Problem('A300', 'The file has no recipients');
    },
    async end(id, optOut, author) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const ended = await store.optOuts.end(account.id, optOut, { at: clock.now(), ...author });
      return ended ?? new Problem('A300', `There is no active opt-out ${optOut}`, { status: 404 });
    },
    async page(id, query) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const page = () => store.optOuts.page(account.id, query);
      // A filter may leave little of a long list, so the scan is split into short turns.
      return query.sender === undefined && !query.isCurrent ? pieces.do(id, page) : page();
    },
    async byCall(id, { from, called }) {
      const account = await knownAccount(store.accounts, id);
      if (account instanceof Problem) return account;
      const number = canonicalNumber(from);
      if (number === undefined) return new Problem('A306', `"from" must be ${NUMBER_FORM}`);
      const source = /^[\d -]{3,20}$/.test(called) ? called : undefined;
      const entry: NewOptOut = { number, sender: ANY_SENDER, covers: 'advertisements', source };
      await write(account.id, [entry], { way: 'call', by: 'recipient' });
      return undefined;
    },
    async byKeyword(mo) {
      const account = await store.accounts.find(mo.account);
      const number = canonicalNumber(mo.from);
      if (!account || number === undefined || !isOptOut(mo, account)) return false;
      // It may come twice, and consent may have been given back in between.
      const listed = await store.optOuts.page(mo.account, { number, limit: LATEST });
      if (listed.some(({ source }) => source === mo.msgKey)) return true;
      const entry: NewOptOut = { number, sender: ANY_SENDER, covers: 'advertisements', source: mo.msgKey };
      await write(mo.account, [entry], { way: 'keyword', by: 'recipient' });
      return true;
    },
  };

  async function addTo(
    account: AccountId,
    entries: readonly NewOptOut[],
    author: OptOutAuthor,
  ): Promise<AddedOptOuts | Problem> {
    const there = await countOf(account);
    if (there.there + entries.length > MOST_OPT_OUTS) {
      return new Problem('A300', `An account can have at most ${MOST_OPT_OUTS} opt-outs`);
    }
    const added = await pieces.do(account, () => write(account, entries, author));
    there.there += added;
    return { added, known: entries.length - added };
  }

  async function write(
    account: AccountId,
    entries: readonly NewOptOut[],
    author: OptOutAuthor,
  ): Promise<number> {
    const added = await store.optOuts.add(account, entries, { at: clock.now(), ...author });
    for (const { covers } of entries) note({ account, covers });
    return added;
  }

  async function countOf(account: AccountId): Promise<{ there: number }> {
    const now = clock.monotonic();
    const known = counted.get(account);
    if (known && now < known.until) return known;
    const fresh = { until: now + COUNTED_FOR_MS, there: await store.optOuts.count(account, MOST_OPT_OUTS) };
    counted.set(account, fresh);
    return fresh;
  }
}

/** On a number that several accounts share, the text begins with the word that says which of them is meant. */
function isOptOut({ text, keyword = '' }: OwnedInbound, { settings }: Account): boolean {
  const [head = '', ...rest] = text.trim().split(/\s+/);
  const isShared = keyword !== '' && head.toLowerCase() === keyword.toLowerCase();
  return [text, ...(isShared ? [rest.join(' ')] : [])].some(said =>
    isOptOutKeyword(said, settings.optOutKeywords),
  );
}
