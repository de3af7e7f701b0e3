/** What an account has used of its quotas. */
import { type Fact, Facts } from '../components/facts.tsx';
import type { AccountDetail, Used } from '../gateway/accounts.ts';
import { useWords } from '../words/words.tsx';

const MEGABYTE = 1_000_000;

export function AccountUsage({ account }: { account: AccountDetail }) {
  const t = useWords();
  const { forms, reservations, reservationRecipients, reservationBytes, files, fileBytes, tokens } =
    account.usage;
  const facts: readonly Fact[] = [
    [t.accounts.forms, countOf(forms)],
    [t.accounts.reservations, countOf(reservations)],
    [t.accounts.reservationRecipients, countOf(reservationRecipients)],
    [t.accounts.reservationBytes, bytesOf(reservationBytes)],
    [t.accounts.files, countOf(files)],
    [t.accounts.fileBytes, bytesOf(fileBytes)],
    [t.accounts.tokens, countOf(tokens)],
  ];
  return <Facts label={t.accounts.usage} facts={facts} />;

  function countOf({ used, limit }: Used): string {
    return t.accounts.ofLimit(used.toLocaleString('en'), limit.toLocaleString('en'));
  }

  function bytesOf({ used, limit }: Used): string {
    return t.accounts.ofLimit(megabytes(used), `${megabytes(limit)} MB`);
  }
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toLocaleString('en', { maximumFractionDigits: 1 });
}
