/** The account that a page shows. The last choice is remembered, so that all pages use the same account. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Asked, useAnswer } from '../answers/use-answer.tsx';
import { type ListedAccount, listAccounts } from '../gateway/accounts.ts';
import { keepLastAccount, readLastAccount } from '../preferences.ts';
import { useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';
import { EmptyState } from './empty-state.tsx';
import { SelectField } from './field.tsx';
import { Loaded } from './loaded.tsx';
import { Loading } from './loading.tsx';
import { optionsOf } from './options.ts';

export interface AccountChoice {
  readonly account: string | undefined;
  readonly accounts: readonly ListedAccount[] | undefined;
  /** How they were read. */
  readonly asked: Asked<readonly ListedAccount[]>;
  readonly choose: (id: string) => void;
}

/** Chosen in the address. `''` stands for all accounts where a page allows that. */
export function useAccountInAddress(allowsAll = false): AccountChoice {
  const choice = useAccountChoice(allowsAll);
  const [named, name] = useTerm('account');
  const isKnown = choice.accounts?.some(({ id }) => id === named);
  return {
    ...choice,
    // Not before it is known whether there is such an account; if that cannot be known, as it is.
    account:
      named === '' || isKnown === false
        ? choice.account
        : isKnown || choice.asked.refusal
          ? named
          : undefined,
    choose(id) {
      choice.choose(id);
      name(id);
    },
  };
}

/** `''` stands for all accounts where a page allows that. */
export function useAccountChoice(allowsAll = false): AccountChoice {
  const asked = useAnswer(listAccounts());
  const [account, setAccount] = useState<string | undefined>(allowsAll ? '' : undefined);
  const accounts = asked.answer;

  useEffect(() => {
    // An account that a draft or an address names may be gone.
    const isKnown = account === '' || accounts?.some(({ id }) => id === account);
    if (!accounts || isKnown) return;
    const last = readLastAccount();
    setAccount(accounts.find(({ id }) => id === last)?.id ?? accounts[0]?.id);
  }, [account, accounts]);

  const choose = (id: string) => {
    setAccount(id);
    if (id) keepLastAccount(id);
  };
  return { account, accounts, asked, choose };
}

export function AccountPicker({ choice, allowsAll }: { choice: AccountChoice; allowsAll?: boolean }) {
  const t = useWords();
  return (
    <SelectField
      label={t.common.account}
      value={choice.account ?? ''}
      options={optionsOf(idsOf(choice.accounts), allowsAll ? { all: t.common.all } : {})}
      onChange={choice.choose}
      class="picker"
    />
  );
}

export function idsOf(accounts: readonly ListedAccount[] | undefined): readonly string[] {
  return (accounts ?? []).map(({ id }) => id);
}

/** What is about one account: until there is one, that the accounts load, why they do not, or that there are none. */
export function OfAccount(props: {
  choice: AccountChoice;
  children: (account: string) => ComponentChildren;
}) {
  const t = useWords();
  const { account, asked } = props.choice;
  if (account) return <>{props.children(account)}</>;
  return (
    <Loaded of={asked} empty={<EmptyState title={t.accounts.empty} hint={t.accounts.emptyHint} />}>
      {() => <Loading />}
    </Loaded>
  );
}
