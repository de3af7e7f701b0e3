/** The account that a page shows. The last choice is remembered, so that all pages use the same account. */
import { useEffect, useState } from 'preact/hooks';
import { type Account, listAccounts } from '../gateway/accounts.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { keepLastAccount, readLastAccount } from '../preferences.ts';
import { useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';
import { SelectField } from './field.tsx';

export interface AccountChoice {
  readonly account: string | undefined;
  readonly accounts: readonly Account[] | undefined;
  readonly choose: (id: string) => void;
}

/** Chosen in the address. `''` stands for all accounts where a page allows that. */
export function useAccountInAddress(allowsAll = false): AccountChoice {
  const choice = useAccountChoice(allowsAll);
  const [named, name] = useTerm('account');
  const isKnown = choice.accounts?.some(({ id }) => id === named);
  return {
    ...choice,
    // Not before it is known whether there is such an account.
    account: named === '' || isKnown === false ? choice.account : isKnown ? named : undefined,
    choose(id) {
      choice.choose(id);
      name(id);
    },
  };
}

/** `''` stands for all accounts where a page allows that. */
export function useAccountChoice(allowsAll = false): AccountChoice {
  const { answer } = useAnswer(signal => listAccounts(signal), []);
  const [account, setAccount] = useState<string | undefined>(allowsAll ? '' : undefined);
  const accounts = answer?.accounts;

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
  return { account, accounts, choose };
}

export function AccountPicker({ choice, allowsAll }: { choice: AccountChoice; allowsAll?: boolean }) {
  const t = useWords();
  const options = (choice.accounts ?? []).map(({ id }) => ({ value: id, label: id }));
  return (
    <SelectField
      label={t.common.account}
      value={choice.account ?? ''}
      options={allowsAll ? [{ value: '', label: t.common.all }, ...options] : options}
      onChange={choice.choose}
      class="picker"
    />
  );
}
